// Is a sender too slow? A bucket of time: each byte that comes fills it by 1/rate seconds, the
// clock empties it; it begins full and holds `patience`. So a body that comes at the rate or faster
// never fails, one that stands still fails after `patience`, and one that trickles in between
// (Apache's mod_reqtimeout has the same two numbers). Pure; one upload, one loop.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace ticketgate::http {

class Pace {
 public:
    Pace() = default;
    /// `rate` in bytes a second; 0: anything goes.
    Pace(std::uint64_t rate, Duration patience) : rate_(rate), patience_(patience) {}

    /// Counts from here on.
    void start(Time now);
    /// The sender is not asked for anything: time passes without a count until start().
    void pause() { running_ = false; }
    /// So many bytes came. False: on the whole too slowly.
    bool took(std::uint64_t bytes, Time now);

 private:
    std::uint64_t rate_ = 0;
    Duration patience_{}, left_{};
    Time last_{};
    bool running_ = false, begun_ = false;
};

}  // namespace ticketgate::http
