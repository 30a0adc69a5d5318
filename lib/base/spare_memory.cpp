#include "base/spare_memory.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>

namespace ticketgate {
namespace {

// More than the coroutines that can be under way (admin.max_connections).
constexpr std::size_t most_blocks = 256;
// Larger than what Asio posts, and than what glibc keeps for the thread that frees it.
constexpr std::size_t block_size = 1100;
constexpr int between_tries_ms = 10;
constexpr Duration shortage_over = 1s;  // after the last try that failed

constinit std::array<std::atomic<void*>, most_blocks> blocks{};
thread_local Duration longest_wait{0};
thread_local Time short_since{}, last_try{};

bool fill(std::atomic<void*>& place) noexcept {
    if (place.load(std::memory_order_relaxed) != nullptr) return true;
    void* const block = std::malloc(block_size);
    void* none = nullptr;
    if (!place.compare_exchange_strong(none, block)) std::free(block);
    return block != nullptr;
}

bool free_one() noexcept {
    for (auto& place : blocks) {
        if (void* const block = place.exchange(nullptr)) return std::free(block), true;
    }
    return false;
}

// False: the shortage has lasted too long.
bool may_wait() noexcept {
    const Time now = monotonic_now();
    if (now - last_try > shortage_over) short_since = now;
    last_try = now;
    return now - short_since < longest_wait;
}

// operator new calls it where malloc has failed, and then tries again.
void find_memory() {
    const bool waits = longest_wait != Duration{0};
    if (!waits && std::uncaught_exceptions() == 0) throw std::bad_alloc();
    if (free_one()) return;
    if (!waits || !may_wait()) throw std::bad_alloc();
    (void)::poll(nullptr, 0, between_tries_ms);
}

}  // namespace

void set_spare_memory_aside() {
    if (!refill_spare_memory()) throw std::bad_alloc();
    std::set_new_handler(find_memory);
}

bool refill_spare_memory() noexcept {
    return std::ranges::all_of(blocks, fill);
}

void wait_for_memory_on_this_thread(Duration longest) noexcept {
    longest_wait = longest;
}

}  // namespace ticketgate
