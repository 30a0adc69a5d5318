// The line itself: first in, first out, with a limited number of slots. Pure: no lock, no clock, no
// socket; time is an argument, and the tickets that may go next come back in `granted`. Owned by a
// gate, whose lock guards every call. One table (ticket.hpp) has the next state of a ticket for
// every state and event; no call allocates memory.
//
// Invariants, checked at each grant in release builds too:
// - in flight never exceeds max_in_flight by a grant (it may stand above it after the limit was
// lowered);
// - a grant goes to the lowest ready number (order: ready) or to the head of the line (order:
// arrival);
// - after every call no ready ticket that may be granted waits while a slot is free.
// take, ready, settle, cancel and leave are O(1), or O(log n) for a ticket that becomes ready late.
#pragma once

#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/clock.hpp"
#include "queue/ticket.hpp"

namespace ticketgate::queue {

enum class Order : std::uint8_t {
    ready,   ///< a free slot goes to the lowest number whose body is whole
    arrival  ///< a free slot waits for the head of the line
};

inline constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();

/// For Queue::allow(): all tickets, or none.
inline constexpr Time all_tickets = Time::max(), no_ticket = Time::min();

struct Limits {
    std::uint32_t max_in_flight = 1;  ///< at least 1
    Order order = Order::ready;
};

/// The last number and token that were given. Lines that share it have one total order.
struct Numbering {
    std::uint64_t number = 0, token = 0;
};

class Queue {
 public:
    explicit Queue(Limits limits) : limits_(limits) {}
    /// A line within a line: its tickets take their numbers and tokens from `shared`.
    Queue(Limits limits, Numbering& shared) : limits_(limits), numbering_(shared) {}
    Queue(const Queue&) = delete;
    Queue& operator=(const Queue&) = delete;

    /// How a ticket enters the line.
    struct Entry {
        std::uint32_t max_waiting =
            1024;                     ///< tickets that may wait; those for a free slot do not count
        bool ready = true;            ///< no body, or the body is here already
        Time deadline = Time::max();  ///< end of the wait
        /// The number that it had in an earlier term of the line, which it keeps: it stands before
        /// all that are new, in the order of these numbers. 0: it is new.
        std::uint64_t place = 0;
    };

    /// Numbers the ticket and puts it into the line, or refuses it with `full`. With Entry::ready
    /// it may be granted at once. Precondition: idle.
    State take(Ticket&, const Entry&, Time now, Tickets& granted);

    /// The ticket's body is whole. No-op once the ticket is decided.
    void ready(Ticket&, Time now, Tickets& granted);

    /// Expires the ticket if it still waits and its deadline has come. Returns the state; any state
    /// but `waiting` ends the wait.
    State settle(Ticket&, Time now, Tickets& granted);

    /// The client left or the process stops: a waiting ticket leaves the line, any other stays.
    State cancel(Ticket&, Time now, Tickets& granted);

    /// Another replica keeps the line: every waiting ticket leaves it (`moved`), and stands in
    /// `woken`.
    void move(Time now, Tickets& woken);

    /// The ticket's run begins. Precondition: granted, or revoked since the grant; a revoked ticket
    /// stays revoked and must not run.
    State begin(Ticket&);

    /// The session ends before the run begins: takes the ticket out of the line, or passes its slot
    /// on to the next. Precondition: not begun.
    State drop(Ticket&, Time now, Tickets& granted);

    /// The backend is done: gives the slot back. Precondition: begun. No-op on a released ticket.
    State leave(Ticket&, Time now, Tickets& granted);

    /// Grants no slot from now on.
    void close() { limits_.max_in_flight = 0; }

    /// Free slots are granted to tickets taken before `until` only: a clustered line may grant only
    /// in some times, and in an upgrade another process may have older tickets. The others gather
    /// in their order.
    void allow(Time until, Time now, Tickets& granted);
    Time allowed() const { return allowed_; }
    /// From now on numbers and tokens are above `last`. Those who wait get new numbers in their
    /// order, but for those that keep one of an earlier term.
    void raise(std::uint64_t last);

    /// New limits; holders above a lowered limit are not touched.
    void resize(Limits, Time now, Tickets& granted);

    /// Gives the slot away, for an operator or `on_hold_timeout: release`. A ticket that runs fails
    /// open: the slot counts as free although its backend may still work (`released`). A granted
    /// ticket that has not begun never will (`revoked`), nor will one that waits. Any other stays.
    State release(Ticket&, Time now, Tickets& granted);

    std::uint32_t waiting() const { return static_cast<std::uint32_t>(line_.size()); }
    std::uint32_t in_flight() const { return static_cast<std::uint32_t>(holders_.size()); }
    bool empty() const { return line_.empty() && holders_.empty(); }
    std::uint64_t last_number() const { return numbering_.number; }
    Numbering& numbering() { return numbering_; }
    const Limits& limits() const { return limits_; }

    /// How long the head of the line has waited; zero when nobody waits.
    Duration oldest_wait(Time now) const;
    /// How long the oldest slot has been held; zero when none is.
    Duration oldest_hold(Time now) const;
    /// Running mean of the time a slot is kept; zero before the first.
    Duration mean_hold() const { return mean_hold_; }
    /// For how long tickets have waited without one that got a slot; zero when nobody waits, or,
    /// with `order: ready`, each of them still uploads. While every slot is held: since a slot last
    /// came free or was granted. One above a lowered limit that ends is no slot that comes free.
    Duration stalled(Time now) const;
    /// The slots that must come back before the next ticket can be granted one; more than one where
    /// the limit was lowered while more were held. 0: a slot is free.
    std::uint32_t ends_needed() const;
    /// The time for which slots were held, of all together, those held now included. Never falls.
    double slot_seconds(Time now) const;
    /// The expected wait for a slot of a ticket taken now: whole seconds, 1 to 3600. Counts a turn
    /// for each ticket ahead, and what is left of the present one.
    std::uint32_t retry_after(Time now) const;
    /// The same, exactly and up to an hour, for a ticket without a body; zero: a slot is free for
    /// it. Duration::max(): nobody knows, as a slot waits for an upload, or no hold has ended yet.
    /// Does not know of allow().
    Duration newcomer_wait(Time now) const;
    /// A ticket taken now is refused if it allows as many waiting ones as the last refused one did.
    bool refuses_newcomers(Time now) const { return full({.max_waiting = refused_with_}, now); }

    /// The line and the holders in order, the first `most` of them, for views.
    template <class Use>
    void for_each_waiting(std::size_t most, Use use) const {
        for_each(line_, most, use);
    }
    template <class Use>
    void for_each_holder(std::size_t most, Use use) const {
        for_each(holders_, most, use);
    }

    /// The same holders, to change what they belong to, not their states.
    template <class Use>
    void each_holder(Use use) {
        for (Ticket& ticket : holders_) use(ticket);
    }
    /// Null: no slot is held, nobody waits.
    Ticket* oldest_holder() { return holders_.empty() ? nullptr : &holders_.front(); }
    /// Null: none with this number waits. O(n).
    Ticket* find_waiting(std::uint64_t number);
    Ticket* oldest_waiting() { return line_.empty() ? nullptr : &line_.front(); }
    /// The ticket that the next slot is for. With `order: ready` its body is whole. Null: none.
    const Ticket* next_in_line() const;
    Ticket* next_in_line();

 private:
    using Line = boost::intrusive::list<Ticket>;
    // A request that was sent again may stand here twice, until the first of the two has left.
    using ReadySet = boost::intrusive::multiset<Ticket>;

    template <class Use>
    static void for_each(const Line& line, std::size_t most, Use& use) {
        for (auto it = line.begin(); it != line.end() && most != 0; ++it, --most) use(*it);
    }
    bool full(const Entry&, Time now) const;
    void line_up(Ticket&, std::uint64_t place);
    double seconds_to_the_end(Time now) const;
    Ticket* first();
    void grant_free_slots(Time now, Tickets& granted);
    void admit(Ticket&, Time now, Tickets& granted);
    State apply(Ticket&, Event, Time now, Tickets& granted);
    void unlink(Ticket&, State to, Time now);
    static Duration follow(Duration mean, Duration one);
    void note_free(bool used, Time now);
    void note_slots(Time now);
    bool slot_is_free() const;
    Duration pace() const;
    Duration left_of_turn(Time now) const;
    void mark_ready(Ticket&);

    Limits limits_;
    Time allowed_ = all_tickets;  // those taken before
    Line line_;                   // waiting, in order
    ReadySet ready_;              // the ready ones of line_, in order
    Line holders_;                // granted or running, in order of grant
    Numbering own_numbering_;
    Numbering& numbering_ = own_numbering_;
    Time moved_{};           // when a slot was last granted or came free for the line
    Time counted_{};         // up to then slot_seconds_ counts
    Duration mean_hold_{0};  // running means: of a hold,
    Duration mean_turn_{0};  // and between two slots that came free while tickets waited
    double slot_seconds_ = 0;
    std::uint32_t refused_with_ = unlimited;  // max_waiting of the last refused ticket
};

}  // namespace ticketgate::queue
