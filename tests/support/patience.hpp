// How long a test waits for what must happen. Nothing here is a promise of the product: a wait ends
// the moment its condition holds, and the limit is only reached where something hangs.
#pragma once

#include <chrono>
#include <thread>

namespace ticketgate::test {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Sanitizers make everything slower, TSan most; for the few tests that bound a time from above.
#if defined(__SANITIZE_THREAD__)
inline constexpr int slowness = 8;
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr int slowness = 4;
#else
inline constexpr int slowness = 1;
#endif

inline constexpr auto patience = std::chrono::seconds(30);

/// Looks until `condition` holds; false when it does not within the limit.
template <class Condition>
bool eventually(Condition&& condition, Clock::duration limit = patience) {
    const auto end = Clock::now() + limit;
    while (!condition()) {
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(500us);
    }
    return true;
}

/// Takes this long, as slow clients and backends do: the slowness is what is tested. Never a way to
/// wait.
inline void be_slow(Clock::duration how) {
    std::this_thread::sleep_for(how);
}

}  // namespace ticketgate::test
