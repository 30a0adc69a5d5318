#include "queue/queue.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace ticketgate::queue {

State Queue::take(Ticket& ticket, const Entry& entry, Time now, Tickets& granted) {
    TG_CHECK(ticket.state == State::idle);
    ticket.position = waiting();
    ticket.blocked_by = holders_.empty() ? 0 : holders_.front().number;
    if (full(entry)) return ticket.state = State::full;
    ticket.state = State::waiting;
    ticket.number = ++last_number_;
    ticket.taken = now;
    ticket.deadline = entry.deadline;
    line_.push_back(ticket);
    if (entry.ready) ready(ticket, now, granted);
    return ticket.state;
}

// max_waiting counts those who wait for a slot; who could take a free one as soon as its body is
// here does not wait in that sense, and who takes it at once does not wait at all: unfinished
// uploads never keep others out of a free slot. So max_waiting: 0 admits as many as there are
// slots.
bool Queue::full(const Entry& entry) const {
    if (entry.max_waiting == unlimited) return false;
    const std::uint64_t free =
        limits_.max_in_flight > in_flight() ? limits_.max_in_flight - in_flight() : 0;
    // While a slot is free nobody who is ready waits, except behind the head in order: arrival.
    const bool at_once = entry.ready && (limits_.order == Order::ready || line_.empty());
    if (free > 0 && at_once) return false;
    return waiting() >= entry.max_waiting + free;
}

void Queue::ready(Ticket& ticket, Time now, Tickets& granted) {
    if (!ticket.waiting() || ticket.ready) return;
    mark_ready(ticket);
    grant_free_slots(now, granted);
}

// Numbers become ready mostly in order, so the end is tried first.
void Queue::mark_ready(Ticket& ticket) {
    ticket.ready = true;
    ready_.insert(ready_.end(), ticket);
}

State Queue::settle(Ticket& ticket, Time now, Tickets& granted) {
    if (ticket.waiting() && now >= ticket.deadline) {
        take_out(ticket, State::expired);
        grant_free_slots(now,
                         granted);  // order: arrival: the next may have waited for this head only
    }
    return ticket.state;
}

State Queue::cancel(Ticket& ticket, Time now, Tickets& granted) {
    if (ticket.waiting()) {
        take_out(ticket, State::cancelled);
        grant_free_slots(now, granted);
    }
    return ticket.state;
}

void Queue::leave(Ticket& ticket, Time now, Tickets& granted) {
    TG_CHECK(ticket.state == State::granted);
    ticket.state = State::left;
    const Duration hold = now - ticket.granted;
    mean_hold_ = mean_hold_ == Duration{0} ? hold : mean_hold_ + (hold - mean_hold_) / 8;
    holders_.erase(holders_.iterator_to(ticket));
    grant_free_slots(now, granted);
}

bool Queue::release_held(Ticket& ticket, Time now, Tickets& granted) {
    if (ticket.state != State::granted) return false;
    leave(ticket, now, granted);
    return true;
}

Ticket* Queue::holder(std::uint64_t number) {
    const auto found = std::ranges::find(holders_, number, &Ticket::number);
    return found == holders_.end() ? nullptr : &*found;
}

void Queue::resize(Limits limits, Time now, Tickets& granted) {
    TG_CHECK(limits.max_in_flight >= 1);
    limits_ = limits;
    grant_free_slots(now, granted);
}

Ticket* Queue::next() {
    if (limits_.order == Order::ready) return ready_.empty() ? nullptr : &*ready_.begin();
    return line_.empty() || !line_.front().ready ? nullptr : &line_.front();
}

void Queue::grant_free_slots(Time now, Tickets& granted) {
    while (in_flight() < limits_.max_in_flight) {
        Ticket* ticket = next();
        if (ticket == nullptr) return;
        admit(*ticket, now);
        granted.push_back(ticket);
    }
}

void Queue::admit(Ticket& ticket, Time now) {
    take_out(ticket, State::granted);
    ticket.granted = now;
    holders_.push_back(ticket);
    TG_CHECK(in_flight() <= limits_.max_in_flight);
    TG_CHECK(ready_.empty() || ticket.number < ready_.begin()->number);
    TG_CHECK(limits_.order == Order::ready || line_.empty() ||
             ticket.number < line_.front().number);
}

void Queue::take_out(Ticket& ticket, State state) {
    TG_CHECK(ticket.waiting());
    if (ticket.ready) ready_.erase(ready_.iterator_to(ticket));
    line_.erase(line_.iterator_to(ticket));
    ticket.state = state;
}

Duration Queue::oldest_wait(Time now) const {
    return line_.empty() ? Duration{0} : now - line_.front().taken;
}

Duration Queue::oldest_hold(Time now) const {
    return holders_.empty() ? Duration{0} : now - holders_.front().granted;
}

std::uint32_t Queue::retry_after(Time now) const {
    const double turns = static_cast<double>(waiting() + 1) / limits_.max_in_flight;
    const double wait_s = to_s(std::max(mean_hold_, oldest_hold(now))) * turns;
    return static_cast<std::uint32_t>(std::clamp(wait_s + 0.999, 1.0, 3600.0));
}

}  // namespace ticketgate::queue
