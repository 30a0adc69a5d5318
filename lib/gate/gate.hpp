// The thread-safe interface of one queue, which wakes waiting coroutines. Gate has the operations
// of sessions, runs and operators; Place and Slot hold a request's part in it. LocalGate keeps the
// line in this process. All routes and snapshots that use a queue share its gate by name
// (GateRegistry keeps it across reloads), so each queue has one sequencer.
//
// Threads: any thread may call Gate. The requests of a queue wait and run on its home loop: so a
// released slot passes to the next request without a change of thread.
//
// The table in queue/ticket.hpp has all states and events of a ticket. These calls cause the
// events:
//   take, take_within     enter, refuse   the session, where the request arrived
//   any call              grant           to the ticket that a free slot goes to
//   settle                expire          the session, when its deadline passed
//   move_away             move            the keeper of a clustered line, when it is elsewhere
//   cancel                cancel          the session, when the client left or the process stops
//   Place::begin          begin           the session, as it hands the request to its run
//   ~Place                drop            the session, however it ends
//   ~Slot                 leave           the run, when the backend is done
//   release, fail_open    release         an operator, or on_hold_timeout: release
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gate/gate_view.hpp"
#include "gate/pass.hpp"
#include "gate/permit.hpp"

namespace ticketgate {

/// Why a waiting ticket is given up.
enum class GivenUp : std::uint8_t {
    client_closed,
    draining,
    refused,  ///< its upload: too large, too slow, or not HTTP
    no_room,  ///< the spool has none for its upload
    timeout   ///< wait_timeout passed, and no keeper of the clustered line had taken it
};

/// The result of a release by an operator.
enum class Release : std::uint8_t {
    no_such,     ///< no ticket in flight or in line has this number
    another,     ///< the one that has it is another request
    not_sent,    ///< nothing of it was sent: it will never run, its client gets 503
    failed_open  ///< its backend may still run: counts as an exclusion violation
};

/// The slot that an operator releases. Numbers begin anew with a restart, and an operator may act
/// on what a picture showed before it: the request id tells the requests apart.
struct ToRelease {
    std::uint64_t number = 0;
    std::optional<std::string_view> request_id = {};  ///< none: whichever request has the number
};
struct Released {
    Release how = Release::no_such;
    RequestLabel label = {};  ///< of the request in flight with this number
};

/// The end of a pause that only resume() ends.
inline constexpr Time until_resumed = Time::max();

class Gate;

/// The exchanges with backends in the whole process. Any thread.
class Exchanges {
 public:
    /// Those under way. Each is counted before its ticket runs, and until after its slot is free.
    virtual std::uint32_t under_way() const = 0;
    /// When the last one ended that had no slot of this gate, counted before under_way() falls.
    virtual Time ended_elsewhere(const Gate& gate) const = 0;

 protected:
    ~Exchanges() = default;
};

/// What is known of the request that makes a call from inside.
struct CalledBy {
    std::string_view request_id;  ///< that the call names; empty: none
    /// The call came after this time; Time{}: not known.
    Time arrived_after{};
    const Exchanges& exchanges;
};

/// Counts of a queue's runs for its metrics. Any thread.
struct RunNotes {
    std::atomic<int> orphaned{0};            ///< running requests whose client has left
    std::atomic<int> timed_out{0};           ///< those that response_timeout has ended for it
    std::atomic<int> held_back{0};           ///< those whose backend waits for a slow client
    std::atomic<std::uint64_t> not_told{0};  ///< failed checks of whether a backend works
    /// Calls from inside (CONTRACT 10), by what became of them.
    std::atomic<std::uint64_t> inside_passed{0}, inside_waited{0}, inside_accepted{0},
        inside_refused{0};
    /// Requests of a clustered queue that went to its keeper, by what became of them.
    std::atomic<std::uint64_t> forwards_served{0}, forwards_moved{0}, forwards_lost{0},
        forwards_left{0}, forwards_failed{0};
    std::atomic<std::uint64_t> forwards_again{0};  ///< tries that the keeper did not take
    /// The last one: the keeper cannot be reached, or does not take this replica for one.
    std::atomic<bool> keeper_refuses{false};
    std::atomic<std::uint64_t> cluster_away{0};  ///< requests refused as no replica may grant
    std::atomic<Time> inside_told{};             ///< when a waiting one was last logged
};

class Gate {
 public:
    Gate(std::string name, net::Loop& home) : name_(std::move(name)), home_(home) {}
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    virtual ~Gate() = default;

    const std::string& name() const { return name_; }
    net::Loop& home() const { return home_; }

    /// Where a request takes its ticket now: a clustered line may be at another replica.
    virtual Whereabouts where() const { return {}; }
    /// The line is one over all replicas of a cluster.
    virtual bool clustered() const { return false; }
    /// As Permit::doubted().
    virtual void doubt_keeper() {}
    /// As Permit::give_word().
    virtual bool give_word(std::string_view /*instance*/, std::uint64_t /*term*/,
                           std::uint64_t /*by*/) {
        return false;
    }
    /// A granted request may be sent to the backend: looked at once more before its first byte.
    virtual bool may_send() const { return true; }

    /// Takes a number, or refuses with `full`. `here` is always the caller's loop. A gate whose
    /// line is elsewhere may return `waiting` before it knows the number.
    virtual queue::State take(Pass&, const queue::Queue::Entry&, net::Loop& here) = 0;
    /// Takes a number within the hold of the request that made this call (CONTRACT 10). `idle`: it
    /// is not known which request did. `full`: max_inside.
    virtual queue::State take_within(Pass&, const CalledBy&, const queue::Queue::Entry&,
                                     net::Loop& here) = 0;
    /// A request with this id holds a slot and runs.
    virtual bool runs(std::string_view /*request_id*/) { return false; }
    /// The request body is whole.
    virtual void ready(Pass&, net::Loop& here) = 0;
    /// Returns the ticket's state; expires it if its time is up.
    virtual queue::State settle(Pass&, net::Loop& here) = 0;
    /// Gives the ticket up for this reason.
    virtual queue::State cancel(Pass&, net::Loop& here, GivenUp why) = 0;
    /// Counts a request of this queue that was refused, after this time, without a ticket of it.
    /// Any thread.
    virtual void count_refused(GivenUp why, Duration waited) = 0;
    /// Counts an answer of the keeper of this clustered line, and what forwarding took. Any thread.
    virtual void count_forward(Duration took) = 0;
    /// Begins the run: `running`, or `revoked` if an operator has released the slot.
    virtual queue::State begin(Pass&) = 0;
    /// The session ends before its run began.
    virtual void drop(Pass&, net::Loop& here) noexcept = 0;
    /// The run has ended: frees the slot.
    virtual void leave(Pass&, net::Loop& here) noexcept = 0;
    /// Frees the slot although its backend may still run: an exclusion violation.
    virtual void fail_open(Pass&, net::Loop& here) noexcept = 0;

    /// An operator releases a slot, or takes a waiting ticket out of the line; wakes its session or
    /// run.
    virtual Released release(const ToRelease&) = 0;
    /// Admits nobody until then; who runs goes on (CONTRACT 11). `until_resumed`: until resume(). A
    /// time that has passed ends the pause. The end of a pause takes effect with the next call.
    virtual void pause(Time until) = 0;
    /// Admits the line in its order, as far as slots are free.
    void resume() { pause(Time{}); }
    /// The end of the present pause, which may have passed; Time{}: there is none.
    virtual Time paused_until() const = 0;
    /// Applies new settings at a reload.
    virtual void configure(GateSettings) = 0;

    virtual GateSettings settings() const = 0;
    virtual GateFigures figures() const = 0;
    /// Returns the line: at most `most` tickets in flight and waiting (GateView::most caps both).
    virtual GateView view(std::size_t most) const = 0;
    /// The tickets whose request id begins with this text, at most `most`. Looks at the whole line
    /// under the lock.
    virtual std::vector<FoundTicket> find(std::string_view request_id, std::size_t most) const = 0;
    virtual GateCounts counts() const = 0;

    /// `release: worker_idle`, as the config in force has it. Any thread.
    bool worker_idle() const { return worker_idle_.load(std::memory_order_relaxed); }

    RunNotes notes;

 protected:
    void set_worker_idle(bool on) { worker_idle_.store(on, std::memory_order_relaxed); }

 private:
    std::atomic<bool> worker_idle_{false};
    const std::string name_;
    net::Loop& home_;
};

/// The right to run. Moved from the session to the run; its destructor releases the slot, however
/// the run ends.
class [[nodiscard]] Slot {
 public:
    Slot() = default;  ///< no slot: the request bypasses the queue
    Slot(Slot&& other) noexcept = default;
    Slot& operator=(Slot&&) = delete;
    ~Slot() { give_back(); }

    /// Releases the slot; the next ready ticket gets it at once.
    void give_back() noexcept;
    /// `on_hold_timeout: release`: frees the slot. True: it fails open, as the backend may still
    /// run, and counts an exclusion violation. False: nothing of the request was sent, nor will be.
    bool fail_open() noexcept;

    /// Sets the coroutine to wake if an operator releases the slot. On the home loop.
    void observe(Signal* holder) {
        if (pass_ != nullptr && here_ == &gate_->home()) pass_->wake(holder);
    }
    /// As Pass::may_send() and not_sent(). No slot: it may.
    bool claims_backend() { return pass_ == nullptr || pass_->may_send(); }
    void not_sent() {
        if (pass_ != nullptr) pass_->not_sent();
    }
    bool taken_away() const { return pass_ != nullptr && pass_->taken_away(); }
    /// What becomes of the client while the request runs.
    void client(ClientIs now) {
        if (pass_ != nullptr) pass_->client(now);
    }

    /// `release: worker_idle`: php-fpm's status does not tell whether the script has ended.
    void end_unknown(bool now) {
        if (pass_ != nullptr) pass_->end_unknown(now);
    }

    explicit operator bool() const { return pass_ != nullptr; }
    std::uint64_t number() const { return pass_ ? pass_->number() : 0; }
    /// The fencing number for the backend; 0: no slot.
    std::uint64_t token() const { return pass_ ? pass_->token() : 0; }
    Time granted() const { return pass_->granted(); }
    const std::shared_ptr<Gate>& gate() const { return gate_; }
    /// Before the first byte of the request goes out. No slot: it may.
    bool may_send() const { return gate_ == nullptr || gate_->may_send(); }

 private:
    friend class Place;
    Slot(std::shared_ptr<Gate> gate, std::shared_ptr<Pass> pass, net::Loop* here)
        : gate_(std::move(gate)), pass_(std::move(pass)), here_(here) {}
    std::shared_ptr<Gate> gate_;
    std::shared_ptr<Pass> pass_;
    net::Loop* here_ = nullptr;
};

/// A place in the line, from take to the grant. The session holds it; its destructor gives the
/// place up, so a session leaves nothing behind on any path. Used on the queue's home loop once the
/// session is there.
class [[nodiscard]] Place {
 public:
    Place(std::shared_ptr<Gate> gate, std::shared_ptr<Pass> pass, net::Loop& here)
        : gate_(std::move(gate)), pass_(std::move(pass)), here_(&here) {}
    Place(Place&&) noexcept = default;
    Place& operator=(Place&&) = delete;
    ~Place();

    const Pass& pass() const { return *pass_; }
    Gate& gate() const { return *gate_; }

    /// Hands the granted slot to a run and ends the place. Returns no slot if an operator has
    /// released it since the grant: then the request must not run.
    Slot begin() &&;

    /// The session is now on the queue's home loop; the decision wakes `waiter`.
    void arrive(Signal& waiter);

    // The same calls as Gate's, on the session's current loop.
    void ready() { gate_->ready(*pass_, *here_); }
    queue::State settle() { return gate_->settle(*pass_, *here_); }
    queue::State cancel(GivenUp why) { return gate_->cancel(*pass_, *here_, why); }

 private:
    std::shared_ptr<Gate> gate_;
    std::shared_ptr<Pass> pass_;
    net::Loop* here_;
};

}  // namespace ticketgate
