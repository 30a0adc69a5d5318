// A ticket: one request's place in one queue. Owned by a gate's Pass; the queue only links it.
// While it is linked its address must not change and it must not be destroyed: drop, leave or
// settle it first. Not thread-safe; a gate's lock guards it.
#pragma once

#include <array>
#include <boost/intrusive/list_hook.hpp>
#include <boost/intrusive/set_hook.hpp>
#include <boost/intrusive/slist.hpp>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"

namespace ticketgate::queue {

enum class State : std::uint8_t {
    idle,       ///< not yet in a queue
    full,       ///< refused: max_waiting
    waiting,    ///< in line, with or without its body
    expired,    ///< its wait_timeout passed in line
    cancelled,  ///< given up in line
    moved,      ///< another replica keeps the line now: its request takes a ticket there
    granted,    ///< it holds a slot; nothing has been sent to the backend
    revoked,    ///< its slot, or that of its caller, was released before it began: it never runs
    running,    ///< its run holds the slot
    released,   ///< its slot was given away while it runs: it failed open
    left,       ///< its slot has been given back
    misuse      ///< not a state: next() returns it for an event that only a bug can cause
};

/// What can happen to a ticket. Each is one call of the queue, under the gate's lock.
enum class Event : std::uint8_t {
    enter,    ///< Queue::take numbers it
    refuse,   ///< Queue::take finds the line full
    grant,    ///< a slot is free and it is next
    expire,   ///< Queue::settle, at its deadline
    cancel,   ///< Queue::cancel: the client left, or the process stops
    move,     ///< Queue::move: another replica keeps the line
    begin,    ///< Queue::begin: the session hands it to a run
    drop,     ///< Queue::drop: the session ends before its run begins
    leave,    ///< Queue::leave: the backend is done
    release,  ///< Queue::release: an operator, or on_hold_timeout
};

inline constexpr std::size_t states = 11, events = 10;

/// The whole life of a ticket. Of two events at the same time the lock lets one go first; the other
/// meets the state that the first has set, and this table says what it does then. Every pair has an
/// entry: an event that comes too late changes nothing, one that only a bug can cause is a misuse.
constexpr State next(State state, Event event) {
    using enum State;
    constexpr State bug = misuse;
    // clang-format off
    // One row a state, in the order of State; one column an event, in the order of Event: enter,
    // refuse, grant, expire, cancel; then move, begin, drop, leave, release.
    constexpr std::array<std::array<State, events>, states> table{{
        /* idle */
        {waiting,   full,      bug,       idle,      idle,
         idle,      bug,       idle,      bug,       idle},
        /* full */
        {bug,       bug,       bug,       full,      full,
         full,      bug,       full,      bug,       full},
        /* waiting */
        {bug,       bug,       granted,   expired,   cancelled,
         moved,     bug,       cancelled, bug,       revoked},
        /* expired */
        {bug,       bug,       bug,       expired,   expired,
         expired,   bug,       expired,   bug,       expired},
        /* cancelled */
        {bug,       bug,       bug,       cancelled, cancelled,
         cancelled, bug,       cancelled, bug,       cancelled},
        /* moved */
        {bug,       bug,       bug,       moved,     moved,
         moved,     bug,       moved,     bug,       moved},
        /* granted */
        {bug,       bug,       bug,       granted,   granted,
         granted,   running,   left,      bug,       revoked},
        /* revoked */
        {bug,       bug,       bug,       revoked,   revoked,
         revoked,   revoked,   revoked,   bug,       revoked},
        /* running */
        {bug,       bug,       bug,       running,   running,
         running,   bug,       bug,       left,      released},
        /* released */
        {bug,       bug,       bug,       released,  released,
         released,  bug,       bug,       released,  released},
        /* left */
        {bug,       bug,       bug,       left,      left,
         left,      bug,       left,      bug,       left},
    }};
    // clang-format on
    if (state == misuse) return misuse;
    return table[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

/// True if the state counts against max_in_flight.
constexpr bool holds_slot(State state) {
    return state == State::granted || state == State::running;
}

struct Ticket : boost::intrusive::list_base_hook<>,
                boost::intrusive::set_base_hook<>,
                boost::intrusive::slist_base_hook<> {
    State state = State::idle;
    bool ready = false;            ///< its request body is whole
    bool returned = false;         ///< its number is that of an earlier term of the line
    std::uint64_t number = 0;      ///< place in the queue's one total order, from 1
    std::uint32_t position = 0;    ///< tickets that waited ahead when it was taken
    std::uint64_t blocked_by = 0;  ///< oldest ticket in flight when it was taken; 0: none
    Time taken{}, deadline{}, granted{};
    std::uint64_t token = 0;  ///< fencing number: rises with each grant of the queue, from 1

    bool waiting() const { return state == State::waiting; }

    /// Until its term begins a line may have numbers of its own that are below those of an earlier
    /// one.
    friend bool operator<(const Ticket& a, const Ticket& b) {
        return a.returned == b.returned ? a.number < b.number : a.returned;
    }
};

/// The tickets that one call has granted, in the order of their grants. Linked through the tickets,
/// so it needs no memory: a slot that is given back must always reach the next in line.
using Tickets = boost::intrusive::slist<Ticket, boost::intrusive::cache_last<true>,
                                        boost::intrusive::constant_time_size<true>>;

}  // namespace ticketgate::queue
