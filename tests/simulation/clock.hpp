// The clocks of a simulated world. clock.cpp defines monotonic_now() and wall_now() themselves, so
// the linker takes these for the ones in lib/base: what is simulated is the code that ships.
#pragma once

#include "base/clock.hpp"

namespace ticketgate::sim {

struct Clock {
    static constexpr Time begin = Time(24h);  // well after Time{}, which lib uses for "never yet"
    Time now = begin;
    std::int64_t wall_step_us = 0;  ///< how far the wall clock was set forward or back

    void reset() { *this = Clock(); }
};

extern Clock clock;

}  // namespace ticketgate::sim
