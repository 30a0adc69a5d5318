// Shared by the tests of queue: a Queue with its tickets and a clock that the test sets.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "queue/queue.hpp"

namespace ticketgate::queue {

using Entry = Queue::Entry;
using Numbers = std::vector<std::uint64_t>;

inline constexpr Time start{1000s};

struct Line {
    explicit Line(Limits limits = {}) : queue(limits) {}

    Ticket& take(const Entry& entry = {}) {
        Ticket& ticket = tickets.emplace_back();
        queue.take(ticket, entry, now, granted);
        return ticket;
    }
    Ticket& take_uploading() { return take({.ready = false}); }
    /// Takes a ticket and begins its run; there must be a free slot.
    Ticket& hold() {
        Ticket& ticket = take();
        EXPECT_EQ(ticket.state, State::granted);
        EXPECT_EQ(begin(ticket), State::running);
        granted.clear();
        return ticket;
    }

    void ready(Ticket& ticket) { queue.ready(ticket, now, granted); }
    State settle(Ticket& ticket) { return queue.settle(ticket, now, granted); }
    State cancel(Ticket& ticket) { return queue.cancel(ticket, now, granted); }
    State begin(Ticket& ticket) { return queue.begin(ticket); }
    State drop(Ticket& ticket) { return queue.drop(ticket, now, granted); }
    /// Ends the run of a ticket; begins it first if the ticket is only granted.
    State leave(Ticket& ticket) {
        if (ticket.state == State::granted) begin(ticket);
        return queue.leave(ticket, now, granted);
    }
    State release(Ticket& ticket) { return queue.release(ticket, now, granted); }
    /// Returns the numbers of those that moved.
    Numbers move() {
        Tickets woken;
        queue.move(now, woken);
        Numbers numbers;
        for (const Ticket& ticket : woken) numbers.push_back(ticket.number);
        woken.clear();
        return numbers;
    }
    void allow(bool on) { allow_until(on ? all_tickets : no_ticket); }
    void allow_until(Time until) { queue.allow(until, now, granted); }
    void resize(Limits limits) { queue.resize(limits, now, granted); }

    /// Returns the numbers granted since the last call, in order of grant.
    Numbers take_granted() {
        Numbers numbers;
        for (const Ticket& ticket : granted) numbers.push_back(ticket.number);
        granted.clear();
        return numbers;
    }
    Numbers waiting() const {
        Numbers numbers;
        queue.for_each_waiting(unlimited,
                               [&](const Ticket& ticket) { numbers.push_back(ticket.number); });
        return numbers;
    }
    Numbers holders() const {
        Numbers numbers;
        queue.for_each_holder(unlimited,
                              [&](const Ticket& ticket) { numbers.push_back(ticket.number); });
        return numbers;
    }

    Time now = start;
    std::deque<Ticket> tickets;  // outlives the queue, which unlinks them
    Tickets granted;
    Queue queue;
};

}  // namespace ticketgate::queue
