// A bounded amount that several threads take from. Any thread (relaxed atomics).
#pragma once

#include <atomic>
#include <cstdint>

namespace ticketgate {

/// Adds `n` to `used`. False: it would exceed `limit`, and nothing is added.
inline bool take_within(std::atomic<std::uint64_t>& used, std::uint64_t limit, std::uint64_t n) {
    std::uint64_t now = used.load(std::memory_order_relaxed);
    do {
        if (n > limit || now > limit - n) return false;
    } while (!used.compare_exchange_weak(now, now + n, std::memory_order_relaxed));
    return true;
}

}  // namespace ticketgate
