#include "base/clock.hpp"

namespace ticketgate {

Time monotonic_now() {
    return std::chrono::steady_clock::now();
}

WallTime wall_now() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return {std::chrono::duration_cast<std::chrono::microseconds>(since_epoch).count()};
}

}  // namespace ticketgate
