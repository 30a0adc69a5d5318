#include "simulation/clock.hpp"

namespace ticketgate {

namespace sim {
Clock clock;
}

Time monotonic_now() {
    return sim::clock.now;
}

WallTime wall_now() {
    constexpr std::int64_t some_day_us = 1'790'000'000'000'000;
    const auto since =
        std::chrono::duration_cast<std::chrono::microseconds>(sim::clock.now - sim::Clock::begin);
    return {some_day_us + since.count() + sim::clock.wall_step_us};
}

}  // namespace ticketgate
