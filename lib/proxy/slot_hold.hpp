// A run's hold on its slot, from the grant until the backend is done (CONTRACT 2). One table has
// the result of each event; SlotHold carries it out: it gives the slot back, watches hold_timeout
// and keeps the queue's gauges correct. It knows neither exchange nor socket. Owned by its run; the
// queue's home loop only.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gate/gate.hpp"
#include "net/loop.hpp"
#include "task/deadlines.hpp"

namespace ticketgate {

/// The state of a run's slot.
enum class Holding : std::uint8_t {
    none,     ///< the request is not queued
    held,     ///< the slot is this run's
    lost,     ///< given to another request while the backend still works (2.5)
    let_go,   ///< given back when a tunnel or an event stream began; no longer in flight (2.9)
    returned  ///< given back when the backend was done
};

enum class HoldEvent : std::uint8_t {
    taken_away,  ///< an operator released it
    fail_open,   ///< hold_timeout passed, with `on_hold_timeout: release`
    let_go,      ///< a tunnel or an event stream began, with `tunnel: release`
    give_back    ///< the backend is done
};

inline constexpr std::size_t holdings = 5, hold_events = 4;

/// Only a held slot can be given away, and only once.
constexpr Holding next(Holding state, HoldEvent event) {
    using enum Holding;
    // clang-format off
    constexpr std::array<std::array<Holding, hold_events>, holdings> table{{
        //           taken_away  fail_open  let_go    give_back
        /* none */     {none,      none,      none,     none},
        /* held */     {lost,      lost,      let_go,   returned},
        /* lost */     {lost,      lost,      let_go,   lost},
        /* let_go */   {let_go,    let_go,    let_go,   let_go},
        /* returned */ {returned,  returned,  returned, returned},
    }};
    // clang-format on
    return table[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

/// The news since the last look(). Each is returned once.
enum class HoldNews : std::uint8_t { none, taken_away, overdue, failed_open, withdrawn };

class SlotHold {
 public:
    /// The client of the response, as the queue's gauges and views show it.
    using Client = ClientIs;

    /// Notifies `holder` of an operator's release and of hold_timeout. An empty `slot`: not queued.
    SlotHold(Slot slot, Signal& holder);
    /// Gives back what is still held.
    ~SlotHold();
    SlotHold(const SlotHold&) = delete;
    SlotHold& operator=(const SlotHold&) = delete;

    /// Starts hold_timeout, which counts from the grant.
    void begin(net::Loop& loop) noexcept;
    /// Asks what happened since the last look. `overdue`: hold_timeout passed and the slot stays
    /// held. `failed_open`: it passed and the slot was given away. `withdrawn`: the same, of a
    /// request of which nothing was sent, nor will be.
    HoldNews look() noexcept;

    void client(Client now) noexcept;
    void let_go() noexcept { leave(HoldEvent::let_go); }
    void give_back() noexcept { leave(HoldEvent::give_back); }
    /// Counts that the workers could not be asked whether the backend is done.
    void not_told();
    /// They could be asked, and work still.
    void told() { slot_.end_unknown(false); }

    Holding state() const { return state_; }
    bool held() const { return state_ == Holding::held; }
    /// Held, or lost while the backend works.
    bool guards() const { return held() || state_ == Holding::lost; }
    /// Before the first byte goes to the backend: the line may still run requests here.
    bool may_send() const { return slot_.may_send(); }
    /// Before each try to send, until the backend may have a byte. False: the slot was released.
    bool claims_backend() { return slot_.claims_backend(); }
    /// Such a try has sent nothing.
    void not_sent() { slot_.not_sent(); }
    /// The queue has `release: worker_idle` (2.6), as the config in force says.
    bool waits_for_workers() const { return held() && slot_.gate()->worker_idle(); }
    /// Grant to give-back; zero while the slot is held, and without one.
    Duration duration() const { return duration_; }

 private:
    void leave(HoldEvent event) noexcept;
    void count(int by) const noexcept;

    Slot slot_;
    Signal& holder_;
    Deadline deadline_;  // hold_timeout
    Duration duration_{0};
    Holding state_;
    Client client_ = Client::served;
    bool withdrawn_ = false;
};

}  // namespace ticketgate
