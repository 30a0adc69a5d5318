#include "task/deadlines.hpp"

#include <algorithm>
#include <iterator>

namespace ticketgate {

void Deadlines::arm(Deadline& deadline, Duration after, Time now) {
    deadline.disarm();
    if (after >= Duration(never) || after > Time::max() - std::max(now, Time{})) return;
    deadline.at_ = now + after;
    // Each list is in order of time. Nearly always the new one is the last; one that is armed from
    // a moment a little past (a ticket that changed loops) walks a few places.
    auto& armed = list(after).armed;
    auto place = armed.end();
    while (place != armed.begin() && std::prev(place)->at_ > deadline.at_) --place;
    armed.insert(place, deadline);
}

Deadlines::List& Deadlines::list(Duration after) {
    for (auto& list : lists_)
        if (list->after == after) return *list;
    lists_.push_back(std::make_unique<List>());
    lists_.back()->after = after;
    return *lists_.back();
}

std::optional<Time> Deadlines::next() const {
    std::optional<Time> earliest;
    for (const auto& list : lists_)
        if (!list->armed.empty() && (!earliest || list->armed.front().at_ < *earliest))
            earliest = list->armed.front().at_;
    return earliest;
}

void Deadlines::expire(Time now) {
    for (auto& list : lists_) {
        while (!list->armed.empty() && list->armed.front().at_ <= now) {
            Deadline& deadline = list->armed.front();
            list->armed.pop_front();
            deadline.expired_ = true;
            deadline.observer_->notify();
        }
    }
}

}  // namespace ticketgate
