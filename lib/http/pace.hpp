// Detects a sender that is too slow, with a bucket of time: each byte adds 1/rate seconds, the
// clock drains it; it begins full and holds `patience`. A body at the rate or faster never fails, a
// stalled one fails after `patience`, and a trickling one later (Apache's mod_reqtimeout has the
// same two numbers). Pure; one upload, one loop.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace ticketgate::http {

class Pace {
 public:
    Pace() = default;
    /// `rate` in bytes a second; 0: no limit.
    Pace(std::uint64_t rate, Duration patience) : rate_(rate), patience_(patience) {}

    /// Starts the clock.
    void start(Time now);
    /// Stops the clock until start(): the sender is not asked for bytes.
    void pause() { running_ = false; }
    /// Adds the bytes that arrived. False: the sender is too slow on the whole.
    bool took(std::uint64_t bytes, Time now);

 private:
    std::uint64_t rate_ = 0;
    Duration patience_{}, left_{};
    Time last_{};
    bool running_ = false, begun_ = false;
};

}  // namespace ticketgate::http
