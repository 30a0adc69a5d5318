#include "queue/queue.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace ticketgate::queue {

// The one place where a ticket changes its state.
State Queue::apply(Ticket& ticket, Event event, Time now, Tickets& granted) {
    const State from = ticket.state, to = next(from, event);
    TG_CHECK(to != State::misuse);
    if (to == from) return to;
    unlink(ticket, to, now);
    ticket.state = to;
    // order: arrival: the next ticket may have waited for this head only.
    if (event != Event::grant && (from == State::waiting || (holds_slot(from) && !holds_slot(to))))
        grant_free_slots(now, granted);
    return to;
}

// Takes the ticket out of its list if its new state does not belong there.
void Queue::unlink(Ticket& ticket, State to, Time now) {
    if (ticket.state == State::waiting) {
        if (ticket.ready) ready_.erase(ready_.iterator_to(ticket));
        line_.erase(line_.iterator_to(ticket));
    } else if (holds_slot(ticket.state) && !holds_slot(to)) {
        if (ticket.state == State::running) mean_hold_ = follow(mean_hold_, now - ticket.granted);
        note_slots(now);
        holders_.erase(holders_.iterator_to(ticket));
        if (slot_is_free()) note_free(ticket.state == State::running, now);
    }
}

Duration Queue::follow(Duration mean, Duration one) {
    return mean == Duration{0} ? one : mean + (one - mean) / 8;
}

// A slot that was given back unused says nothing about the next one. The time between two slots is
// that of a line only while somebody waits. A slot above a lowered limit that ends frees none.
void Queue::note_free(bool used, Time now) {
    if (used && !line_.empty()) mean_turn_ = follow(mean_turn_, now - moved_);
    moved_ = now;
}

// Before the number of slots in use changes.
void Queue::note_slots(Time now) {
    slot_seconds_ = slot_seconds(now);
    counted_ = now;
}

double Queue::slot_seconds(Time now) const {
    return slot_seconds_ + (holders_.empty() ? 0 : to_s(now - counted_) * in_flight());
}

State Queue::take(Ticket& ticket, const Entry& entry, Time now, Tickets& granted) {
    ticket.position = waiting();
    ticket.blocked_by = holders_.empty() ? 0 : holders_.front().number;
    if (full(entry, now)) {
        refused_with_ = entry.max_waiting;
        return apply(ticket, Event::refuse, now, granted);
    }
    // Others are welcome.
    if (entry.ready && entry.place == 0 && refuses_newcomers(now)) refused_with_ = unlimited;
    (void)apply(ticket, Event::enter, now, granted);
    ticket.taken = now;
    ticket.deadline = entry.deadline;
    line_up(ticket, entry.place);
    if (entry.ready) ready(ticket, now, granted);
    return ticket.state;
}

// Those with an old place come once, behind the loss of a keeper, and stand at the front.
void Queue::line_up(Ticket& ticket, std::uint64_t place) {
    ticket.returned = place != 0;
    ticket.number = ticket.returned ? place : ++numbering_.number;
    if (!ticket.returned) return line_.push_back(ticket);
    ticket.position = 0;
    auto next = line_.begin();
    for (; next != line_.end() && !(ticket < *next); ++next) ++ticket.position;
    line_.insert(next, ticket);
}

// max_waiting counts tickets that wait for a slot. A ticket that will take a free slot when its
// body is whole does not count, nor does one that takes a free slot at once: unfinished uploads
// never keep others out of a free slot. So max_waiting: 0 admits as many tickets as there are
// slots. An old place was accepted once and is not refused: no more of them come than waited at the
// keeper that was lost. Newcomers count them.
bool Queue::full(const Entry& entry, Time now) const {
    if (entry.max_waiting == unlimited || entry.place != 0) return false;
    const std::uint64_t free =
        limits_.max_in_flight > in_flight() ? limits_.max_in_flight - in_flight() : 0;
    // While a slot is free no ready ticket waits, except behind the head in order: arrival.
    const bool at_once = entry.ready && (limits_.order == Order::ready || line_.empty());
    if (free > 0 && at_once && now < allowed_) return false;
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

// An upload that keeps nobody waiting is judged when it is whole: it takes a slot that is free
// then.
State Queue::settle(Ticket& ticket, Time now, Tickets& granted) {
    const bool uploads = !ticket.ready && limits_.order == Order::ready;
    if (!ticket.waiting() || now < ticket.deadline || uploads) return ticket.state;
    return apply(ticket, Event::expire, now, granted);
}

State Queue::cancel(Ticket& ticket, Time now, Tickets& granted) {
    return apply(ticket, Event::cancel, now, granted);
}

void Queue::move(Time now, Tickets& woken) {
    const Time allowed = std::exchange(allowed_, no_ticket);  // no ticket is granted on the way
    while (!line_.empty()) {
        Ticket& ticket = line_.front();
        (void)apply(ticket, Event::move, now, woken);
        woken.push_back(ticket);
    }
    allowed_ = allowed;
}

State Queue::begin(Ticket& ticket) {
    Tickets nobody;
    return apply(ticket, Event::begin, ticket.granted, nobody);
}

State Queue::drop(Ticket& ticket, Time now, Tickets& granted) {
    return apply(ticket, Event::drop, now, granted);
}

State Queue::leave(Ticket& ticket, Time now, Tickets& granted) {
    return apply(ticket, Event::leave, now, granted);
}

State Queue::release(Ticket& ticket, Time now, Tickets& granted) {
    return apply(ticket, Event::release, now, granted);
}

void Queue::resize(Limits limits, Time now, Tickets& granted) {
    TG_CHECK(limits.max_in_flight >= 1);
    limits_ = limits;
    grant_free_slots(now, granted);
}

const Ticket* Queue::next_in_line() const {
    if (limits_.order == Order::arrival) return line_.empty() ? nullptr : &line_.front();
    return ready_.empty() ? nullptr : &*ready_.begin();
}

Ticket* Queue::next_in_line() {
    return const_cast<Ticket*>(std::as_const(*this).next_in_line());
}

Ticket* Queue::find_waiting(std::uint64_t number) {
    const auto found = std::ranges::find(line_, number, &Ticket::number);
    return found == line_.end() ? nullptr : &*found;
}

Ticket* Queue::first() {
    Ticket* const ticket = next_in_line();
    return ticket != nullptr && ticket->ready && ticket->taken < allowed_ ? ticket : nullptr;
}

void Queue::allow(Time until, Time now, Tickets& granted) {
    allowed_ = until;
    grant_free_slots(now, granted);
}

// Their order stays, and with it that of ready_.
void Queue::raise(std::uint64_t last) {
    numbering_.number = std::max(numbering_.number, last);
    numbering_.token = std::max(numbering_.token, last);
    for (Ticket& ticket : line_)
        if (!ticket.returned) ticket.number = ++numbering_.number;
}

void Queue::grant_free_slots(Time now, Tickets& granted) {
    while (in_flight() < limits_.max_in_flight) {
        Ticket* ticket = first();
        if (ticket == nullptr) return;
        admit(*ticket, now, granted);
    }
}

void Queue::admit(Ticket& ticket, Time now, Tickets& granted) {
    (void)apply(ticket, Event::grant, now, granted);
    ticket.granted = now;
    ticket.token = ++numbering_.token;
    note_slots(now);
    moved_ = now;
    holders_.push_back(ticket);
    TG_CHECK(in_flight() <= limits_.max_in_flight);
    TG_CHECK(ready_.empty() || !(*ready_.begin() < ticket));
    TG_CHECK(limits_.order == Order::ready || line_.empty() || !(line_.front() < ticket));
    granted.push_back(ticket);
}

Duration Queue::oldest_wait(Time now) const {
    return line_.empty() ? Duration{0} : now - line_.front().taken;
}

Duration Queue::oldest_hold(Time now) const {
    return holders_.empty() ? Duration{0} : now - holders_.front().granted;
}

bool Queue::slot_is_free() const {
    return in_flight() < limits_.max_in_flight;
}

std::uint32_t Queue::ends_needed() const {
    return slot_is_free() ? 0 : in_flight() - limits_.max_in_flight + 1;
}

Duration Queue::stalled(Time now) const {
    const Ticket* const next = next_in_line();
    if (next == nullptr) return Duration{0};
    return now - (slot_is_free() ? std::max(moved_, next->taken) : moved_);
}

// From one slot that comes free to the next. One slot that is held for long slows the line, but
// not to its own pace: the slots together are not slower than one of them, nor faster than all.
Duration Queue::pace() const {
    const Duration fastest = mean_hold_ / std::max(limits_.max_in_flight, 1u);
    return std::clamp(mean_turn_, fastest, mean_hold_);
}

// What is left until the next slot comes free. One that is overdue may take as long again.
Duration Queue::left_of_turn(Time now) const {
    const Duration past = slot_is_free() ? Duration{0} : now - moved_;
    return std::max(pace() - past, past);
}

// The wait of a ticket at the end of the line, if no slot is free for it. The slots above a lowered
// limit end first.
double Queue::seconds_to_the_end(Time now) const {
    const std::uint32_t above = std::max(ends_needed(), 1u) - 1;
    return to_s(left_of_turn(now)) + to_s(pace()) * (double(waiting()) + above);
}

std::uint32_t Queue::retry_after(Time now) const {
    return static_cast<std::uint32_t>(std::clamp(seconds_to_the_end(now) + 0.999, 1.0, 3600.0));
}

// Nobody knows when an upload ends, nor how long the first hold of all lasts.
Duration Queue::newcomer_wait(Time now) const {
    const bool behind = limits_.order == Order::ready ? !ready_.empty() : !line_.empty();
    if (slot_is_free() && !behind) return Duration{0};
    const bool for_upload =
        slot_is_free() && limits_.order == Order::arrival && !line_.front().ready;
    if (for_upload || mean_hold_ == Duration{0}) return Duration::max();
    constexpr double most = 3600;
    return std::chrono::duration_cast<Duration>(
        std::chrono::duration<double>(std::min(seconds_to_the_end(now), most)));
}

}  // namespace ticketgate::queue
