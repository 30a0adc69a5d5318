// The thread-safe, waking face of one queue. Shared by name among all routes and snapshots that use
// it (GateRegistry keeps it across reloads); there is one sequencer for a queue in the process.
//
// Threads: take, ready, settle, cancel and the end of a Slot may be called on any loop. Each queue
// has a home loop on which its requests wait and run: a released slot is handed to the next without
// a hop to another thread. Under the lock there is the pure Queue and nothing else: no I/O, no
// callback, no wake-up.
//
// What can happen to a ticket, and what each event means in each state, stands in one table
// (queue/ticket.hpp). Which call brings which event, always under the lock:
//   take                  enter, refuse   the session, where the request arrived
//   any call              grant           to whom a slot became free
//   settle                expire          the session, when its deadline passed
//   cancel                cancel          the session, when the client left or the process stops
//   Place::begin          begin           the session, as it hands the request to its run
//   ~Place                drop            the session, whatever way it ends
//   ~Slot                 leave           the run, when the backend is done
//   release, fail_open    release         an operator, or on_hold_timeout: release
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "gate/gate_metrics.hpp"
#include "gate/gate_view.hpp"
#include "net/loop.hpp"
#include "queue/queue.hpp"

namespace ticketgate {

struct Record;

enum class OnHoldTimeout : std::uint8_t { keep, release };

/// Why a ticket that waits is given up.
enum class GivenUp : std::uint8_t {
    client_closed,
    draining,
    refused  ///< its upload: too large, too slow, no HTTP, or no room for it
};

/// The settings of a queue.
struct GateSettings {
    queue::Limits limits;
    Duration hold_timeout = never;
    OnHoldTimeout on_hold_timeout = OnHoldTimeout::keep;
    bool worker_idle = false;  ///< the backend is asked before a slot goes back (CONTRACT 2.6)
};

/// What became of an operator's wish to give a slot away.
enum class Release : std::uint8_t {
    no_such,     ///< no such number is in flight
    not_begun,   ///< it was granted and had not begun: it never will, its client gets 503
    failed_open  ///< its backend may still run: counted as an exclusion violation
};

/// A ticket and who is to be woken when it is decided. Shared by its session or Slot and by a
/// wake-up on its way between threads, which it is itself: nothing has to be allocated for it.
class Pass final : public queue::Ticket,
                   public net::Job,
                   public std::enable_shared_from_this<Pass> {
 public:
    Pass() = default;
    /// Of this request, for views: it outlives the ticket's time in line and in flight, and what is
    /// shown of it no longer changes.
    explicit Pass(const Record& record) : record_(&record) {}
    const Record* record() const { return record_; }

    /// From the home loop only: who waits for the decision, then who runs; null when nobody does
    /// any more.
    void wake(Signal* waiter) { waiter_ = waiter; }
    /// Its slot was given away while it ran. Any thread.
    bool taken_away() const { return taken_away_.load(std::memory_order_acquire); }

 private:
    friend class Gate;
    void run() override;        // on the home loop: wakes the waiter
    Signal* waiter_ = nullptr;  // touched on the home loop only
    std::atomic<bool> taken_away_{false};
    std::shared_ptr<Pass> self_;  // itself, from its grant to its wake-up; under the gate's lock
    const Record* record_ = nullptr;
};

class Gate : public std::enable_shared_from_this<Gate> {
 public:
    Gate(std::string name, GateSettings settings, net::Loop& home, metrics::Registry& registry);
    ~Gate();

    const std::string& name() const { return name_; }
    net::Loop& home() const { return home_; }

    /// Takes a number, or refuses with `full`. Any thread; `here` is the caller's loop.
    queue::State take(Pass&, const queue::Queue::Entry&, net::Loop& here);
    /// The body is whole.
    void ready(Pass&, net::Loop& here);
    /// What became of the ticket: expires it if its time is up.
    queue::State settle(Pass&, net::Loop& here);
    /// It will not run, for that reason.
    queue::State cancel(Pass&, net::Loop& here, GivenUp why);
    /// Its run begins: `running`, or `revoked` if an operator was first.
    queue::State begin(Pass&);
    /// New limits, on a reload; any thread.
    void configure(GateSettings);
    GateSettings settings() const;
    /// Nobody waits and nothing runs.
    bool empty() const;
    std::uint32_t waiting() const;
    std::uint32_t in_flight() const;
    std::uint32_t retry_after() const;
    double oldest_wait_seconds() const;
    double oldest_hold_seconds() const;
    /// The line now, with at most so many of those who wait. Any thread.
    GateView view(std::size_t most) const;
    /// An operator gives the slot of this number away; its session or run hears of it. Any thread.
    Release release(std::uint64_t number);

    /// A running request lost its client, or an orphan ended.
    void orphaned(int by) { metrics_.orphaned.fetch_add(by, std::memory_order_relaxed); }
    /// The backend could not be asked whether it still works; the slot stays held.
    void not_told() { metrics_.not_told.fetch_add(1, std::memory_order_relaxed); }
    /// A slow client holds a running request's backend back, or does so no longer.
    void held_back(int by) { metrics_.held_back.fetch_add(by, std::memory_order_relaxed); }

 private:
    friend class Slot;
    friend class Place;
    void drop(Pass&, net::Loop& here) noexcept;
    void leave(Pass&, net::Loop& here) noexcept;
    void fail_open(Pass&, net::Loop& here) noexcept;
    queue::State give_away(Pass&, Time now, queue::Tickets& granted);
    template <class Change>
    void change(const net::Loop* here, Change change);
    void wake(std::shared_ptr<Pass>, const net::Loop* here);

    const std::string name_;
    net::Loop& home_;
    GateMetrics metrics_;  // its histograms are written under lock_

    mutable std::mutex lock_;  // guards all below
    queue::Queue queue_;
    GateSettings settings_;
};

/// The right to run. Moved from session to run; its end gives the slot back, whatever way the run
/// ended.
class [[nodiscard]] Slot {
 public:
    Slot() = default;  ///< none: the request bypasses the queue
    Slot(Slot&& other) noexcept = default;
    Slot& operator=(Slot&&) = delete;
    ~Slot() { give_back(); }

    /// Hands the slot to the next in line, now.
    void give_back() noexcept;
    /// `on_hold_timeout: release`: fails open. The slot counts as free though the backend may still
    /// run; every such act is counted as an exclusion violation.
    void fail_open() noexcept;

    /// On the home loop: who hears when an operator gives the slot away.
    void observe(Signal* holder) {
        if (pass_ != nullptr && here_ == &gate_->home()) pass_->wake(holder);
    }
    bool taken_away() const { return pass_ != nullptr && pass_->taken_away(); }

    explicit operator bool() const { return pass_ != nullptr; }
    std::uint64_t number() const { return pass_ ? pass_->number : 0; }
    Time granted() const { return pass_->granted; }
    const std::shared_ptr<Gate>& gate() const { return gate_; }

 private:
    friend class Place;
    Slot(std::shared_ptr<Gate> gate, std::shared_ptr<Pass> pass, net::Loop* here)
        : gate_(std::move(gate)), pass_(std::move(pass)), here_(here) {}
    std::shared_ptr<Gate> gate_;
    std::shared_ptr<Pass> pass_;
    net::Loop* here_ = nullptr;
};

/// A place in the line, from take to the grant. Held by the session; its end gives the place up, so
/// a session that dies on any path leaves nothing behind. Lives on the queue's home loop once the
/// session is there.
class [[nodiscard]] Place {
 public:
    Place(std::shared_ptr<Gate> gate, std::shared_ptr<Pass> pass, net::Loop& here)
        : gate_(std::move(gate)), pass_(std::move(pass)), here_(&here) {}
    Place(Place&&) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place();

    Pass& pass() const { return *pass_; }
    Gate& gate() const { return *gate_; }

    /// Hands the granted slot to a run; the place is none any more. No slot: an operator has taken
    /// it since the grant, and the request must not run.
    Slot begin() &&;

    /// The session has come to the queue's home loop; from now on `waiter` hears of the decision.
    void arrive(Signal& waiter);

    // As Gate's, from the session's present loop.
    void ready() { gate_->ready(*pass_, *here_); }
    queue::State settle() { return gate_->settle(*pass_, *here_); }
    queue::State cancel(GivenUp why) { return gate_->cancel(*pass_, *here_, why); }

 private:
    std::shared_ptr<Gate> gate_;
    std::shared_ptr<Pass> pass_;
    net::Loop* here_;
};

}  // namespace ticketgate
