#include "base/clock.hpp"

#include <ctime>

namespace ticketgate {

Time monotonic_now() {
    return std::chrono::steady_clock::now();
}

WallTime wall_now() {
    timespec now{};  // std's clock counts nanoseconds, which end in the year 2262
    ::clock_gettime(CLOCK_REALTIME, &now);
    return {std::int64_t{now.tv_sec} * 1'000'000 + now.tv_nsec / 1000};
}

BootTime boot_now() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return BootTime(seconds(now.tv_sec) + Duration(now.tv_nsec));
}

}  // namespace ticketgate
