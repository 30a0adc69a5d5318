#include "task/deadlines.hpp"

#include <algorithm>
#include <iterator>
#include <new>

namespace ticketgate {

void Deadlines::arm(Deadline& deadline, Duration after, Time now) noexcept {
    deadline.disarm();
    if (after >= Duration(never) || after > Time::max() - std::max(now, Time{})) return;
    deadline.at_ = now + after;
    // Each list is in order of time. A new deadline is nearly always the last. One armed from a
    // time a little past (a ticket that changed loops) moves a few places; one in a list of another
    // duration may move many.
    auto& armed = list(after).armed;
    auto place = armed.end();
    while (place != armed.begin() && std::prev(place)->at_ > deadline.at_) --place;
    armed.insert(place, deadline);
}

Deadlines::List& Deadlines::list(Duration after) noexcept {
    for (auto& list : lists_)
        if (list->after == after) return *list;
    try {
        lists_.push_back(std::make_unique<List>(after));
        return *lists_.back();
    } catch (const std::bad_alloc&) {
        return *lists_.front();
    }
}

std::optional<Time> Deadlines::next() const {
    std::optional<Time> earliest;
    for (const auto& list : lists_)
        if (!list->armed.empty() && (!earliest || list->armed.front().at_ < *earliest))
            earliest = list->armed.front().at_;
    return earliest;
}

// An observer may arm a deadline, which may add a list.
void Deadlines::expire(Time now) {
    for (std::size_t i = 0; i < lists_.size(); ++i) {
        auto& armed = lists_[i]->armed;
        while (!armed.empty() && armed.front().at_ <= now) {
            Deadline& deadline = armed.front();
            armed.pop_front();
            deadline.expired_ = true;
            deadline.observer_->notify();
        }
    }
}

}  // namespace ticketgate
