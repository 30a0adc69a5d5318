// The thread-safe, waking face of one queue: Gate says what a session, a run and an operator ask of
// it, Place and Slot hold a request's part in it. LocalGate keeps the line in this process. Shared
// by name among all routes and snapshots that use it (GateRegistry keeps it across reloads); there
// is one sequencer for a queue.
//
// Threads: every call of Gate may be made on any thread. Each queue has a home loop on which its
// requests wait and run: a released slot is handed to the next without a hop to another thread.
//
// What can happen to a ticket, and what each event means in each state, stands in one table
// (queue/ticket.hpp). Which call brings which event:
//   take                  enter, refuse   the session, where the request arrived
//   any call              grant           to the ticket that a free slot goes to
//   settle                expire          the session, when its deadline passed
//   cancel                cancel          the session, when the client left or the process stops
//   Place::begin          begin           the session, as it hands the request to its run
//   ~Place                drop            the session, on every way it ends
//   ~Slot                 leave           the run, when the backend is done
//   release, fail_open    release         an operator, or on_hold_timeout: release
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "gate/gate_view.hpp"
#include "gate/pass.hpp"

namespace ticketgate {

/// Why a ticket that waits is given up.
enum class GivenUp : std::uint8_t {
    client_closed,
    draining,
    refused  ///< its upload: too large, too slow, no HTTP, or no room for it
};

/// What became of an operator's wish to give a slot away.
enum class Release : std::uint8_t {
    no_such,     ///< no such number is in flight
    not_begun,   ///< it was granted and had not begun: it never will, its client gets 503
    failed_open  ///< its backend may still run: counted as an exclusion violation
};

/// What the runs of a queue tell its metrics. Any thread.
struct RunNotes {
    std::atomic<int> orphaned{0};            ///< requests that run now and have lost their client
    std::atomic<int> held_back{0};           ///< whose backend waits now for a slow client
    std::atomic<std::uint64_t> not_told{0};  ///< times a backend did not say whether it still works
};

class Gate {
 public:
    Gate(std::string name, net::Loop& home) : name_(std::move(name)), home_(home) {}
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    virtual ~Gate() = default;

    const std::string& name() const { return name_; }
    net::Loop& home() const { return home_; }

    /// Takes a number, or refuses with `full`. `here` is the caller's loop, here and below. A gate
    /// whose line is elsewhere may say `waiting` before it knows the number.
    virtual queue::State take(Pass&, const queue::Queue::Entry&, net::Loop& here) = 0;
    /// The body is whole.
    virtual void ready(Pass&, net::Loop& here) = 0;
    /// What became of the ticket: expires it if its time is up.
    virtual queue::State settle(Pass&, net::Loop& here) = 0;
    /// It will not run, for that reason.
    virtual queue::State cancel(Pass&, net::Loop& here, GivenUp why) = 0;
    /// Its run begins: `running`, or `revoked` if an operator was first.
    virtual queue::State begin(Pass&) = 0;
    /// Its session ends before its run began.
    virtual void drop(Pass&, net::Loop& here) noexcept = 0;
    /// Its run ended: the slot is free.
    virtual void leave(Pass&, net::Loop& here) noexcept = 0;
    /// Its slot counts as free though the backend may still run: an exclusion violation.
    virtual void fail_open(Pass&, net::Loop& here) noexcept = 0;

    /// An operator gives the slot of this number away; its session or run hears of it.
    virtual Release release(std::uint64_t number) = 0;
    /// New settings, on a reload.
    virtual void configure(GateSettings) = 0;

    virtual GateSettings settings() const = 0;
    virtual GateFigures figures() const = 0;
    /// The line now, with at most so many tickets in flight and waiting (GateView::most caps both).
    virtual GateView view(std::size_t most) const = 0;

    RunNotes notes;

 private:
    const std::string name_;
    net::Loop& home_;
};

/// The right to run. Moved from session to run; its end gives the slot back, on every way a run
/// ends.
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

    /// On the home loop: sets the coroutine that hears when an operator gives the slot away.
    void observe(Signal* holder) {
        if (pass_ != nullptr && here_ == &gate_->home()) pass_->wake(holder);
    }
    bool taken_away() const { return pass_ != nullptr && pass_->taken_away(); }

    explicit operator bool() const { return pass_ != nullptr; }
    std::uint64_t number() const { return pass_ ? pass_->number() : 0; }
    /// The fencing number for the backend; 0 without a slot.
    std::uint64_t token() const { return pass_ ? pass_->token() : 0; }
    Time granted() const { return pass_->granted(); }
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
/// a session leaves nothing behind on any path. Lives on the queue's home loop once the session is
/// there.
class [[nodiscard]] Place {
 public:
    Place(std::shared_ptr<Gate> gate, std::shared_ptr<Pass> pass, net::Loop& here)
        : gate_(std::move(gate)), pass_(std::move(pass)), here_(&here) {}
    Place(Place&&) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place();

    const Pass& pass() const { return *pass_; }
    Gate& gate() const { return *gate_; }

    /// Hands the granted slot to a run and ends the place. No slot: an operator took it after the
    /// grant, and the request must not run.
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
