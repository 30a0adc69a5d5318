// How long a test waits for an event. These are not promises of the product: a wait ends as soon as
// its condition holds, and reaches its limit only if something hangs.
#pragma once

#include <chrono>
#include <thread>

namespace ticketgate::test {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

inline constexpr auto patience = std::chrono::seconds(30);

/// Polls until `condition` holds; returns false at the limit.
template <class Condition>
bool eventually(Condition&& condition, Clock::duration limit = patience) {
    const auto end = Clock::now() + limit;
    while (!condition()) {
        if (Clock::now() >= end) return false;
        std::this_thread::sleep_for(500us);
    }
    return true;
}

/// Tells whether `condition` holds all the time. For events that must not happen: the time is what
/// a fault has to show itself. On a busy machine this proves less but never fails.
template <class Condition>
bool still(Clock::duration time, Condition&& condition) {
    const auto end = Clock::now() + time;
    while (condition()) {
        if (Clock::now() >= end) return true;
        std::this_thread::sleep_for(500us);
    }
    return false;
}

/// Sleeps like a slow client or backend, where slowness is what is tested. Never use it to wait for
/// an event.
inline void be_slow(Clock::duration how) {
    std::this_thread::sleep_for(how);
}

}  // namespace ticketgate::test
