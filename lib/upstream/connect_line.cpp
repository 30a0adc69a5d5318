#include "upstream/connect_line.hpp"

#include <algorithm>

namespace ticketgate {
namespace {

// Between two tries in vain: twice as long each time. A busy backend makes room soon.
constexpr Duration shortest_pause = 1ms, longest_pause = 10ms;

}  // namespace

void ConnectLine::wait(Place& place, net::Loop& loop) {
    loop_ = &loop;
    const bool stood = place.is_linked();
    if (!stood) line_.push_back(place);
    if (&line_.front() != &place) return;
    if (stood && !turn_) return;  // it has not tried: a byte of its client's upload woke it
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
