#include "upstream/connect_line.hpp"

#include <algorithm>

namespace ticketgate {
namespace {

constexpr Duration longest_pause = 10ms;

}  // namespace

bool ConnectLine::may_try(Place& place) {
    if (line_.empty()) return true;
    if (!place.is_linked()) line_.push_back(place);
    return turn_ && &line_.front() == &place;
}

void ConnectLine::failed(Place& place, int refusal, net::Loop& loop) {
    if (!place.is_linked()) line_.push_back(place);
    refusal_ = refusal;
    loop_ = &loop;
    turn_ = false;
    loop.arm(pause_, pause_time_);
    pause_time_ = std::min(2 * pause_time_, longest_pause);
}

void ConnectLine::leave(Place& place) noexcept {
    if (!place.is_linked()) return;
    const bool first = &line_.front() == &place;
    line_.erase(line_.iterator_to(place));
    if (first) pause_time_ = shortest_pause;
    if (line_.empty()) return pause_.disarm();
    if (first) give_turn();
}

void ConnectLine::notify() {
    give_turn();
}

// The pause ends a turn that is not used.
void ConnectLine::give_turn() {
    turn_ = true;
    loop_->arm(pause_, longest_pause);
    line_.front().exchange_->notify();
}

}  // namespace ticketgate
