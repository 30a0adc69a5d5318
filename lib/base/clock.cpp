#include "base/clock.hpp"

#include <ctime>

namespace ticketgate {

Time monotonic_now() {
    return std::chrono::steady_clock::now();
}

WallTime wall_now() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
}

BootTime boot_now() {
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return BootTime(seconds(now.tv_sec) + Duration(now.tv_nsec));
}

}  // namespace ticketgate
