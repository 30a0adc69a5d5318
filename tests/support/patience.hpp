// How long a test waits for what must happen. Nothing here is a promise of the product: a wait ends
// the moment its condition holds, and the limit is only reached where something hangs.
#pragma once

#include <chrono>
#include <thread>

namespace ticketgate::test {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

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

/// Does `condition` hold all the while? For what must not happen, which nothing tells: the time is
/// how long a fault has to show. A busy machine makes that prove less, and never fail.
template <class Condition>
bool still(Clock::duration time, Condition&& condition) {
    const auto end = Clock::now() + time;
    while (condition()) {
        if (Clock::now() >= end) return true;
        std::this_thread::sleep_for(500us);
    }
    return false;
}

/// Takes this long, as slow clients and backends do: the slowness is what is tested. Never a way to
/// wait.
inline void be_slow(Clock::duration how) {
    std::this_thread::sleep_for(how);
}

}  // namespace ticketgate::test
