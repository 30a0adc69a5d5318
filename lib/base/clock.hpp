// Time as values. Pure code takes a Time or WallTime as an argument; only shells read the clocks.
#pragma once

#include <chrono>
#include <cstdint>

namespace ticketgate {

using namespace std::chrono_literals;
using Duration = std::chrono::nanoseconds;
using milliseconds = std::chrono::milliseconds;
using seconds = std::chrono::seconds;

/// Monotonic; for waits, deadlines and measured durations.
using Time = std::chrono::time_point<std::chrono::steady_clock, Duration>;

/// Wall clock, microseconds since 1970 UTC; for ids, log lines and X-Request-Start. May step.
struct WallTime {
    std::int64_t unix_us = 0;

    std::int64_t unix_ms() const { return unix_us / 1000; }
    std::int64_t unix_s() const { return unix_us / 1'000'000; }
    bool operator==(const WallTime&) const = default;
};

/// Monotonic, and goes on while the machine is suspended (CLOCK_BOOTTIME): for leases, which others
/// count meanwhile.
struct BootClock {};
using BootTime = std::chrono::time_point<BootClock, Duration>;

/// `never`: a duration that no wait reaches; spelled `never` in the config.
/// A hundred years, so that it can still be added to a Time.
inline constexpr milliseconds never = std::chrono::hours(24 * 365 * 100);

inline double to_s(Duration d) {
    return std::chrono::duration<double>(d).count();
}

/// Read the clocks; for shells.
Time monotonic_now();
WallTime wall_now();
BootTime boot_now();

}  // namespace ticketgate
