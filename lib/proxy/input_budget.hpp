// The bytes that all connections together keep of their clients: heads that are not whole yet, and
// pipelined requests. Bounded by `clients.max_input`. A request that arrives whole on a free
// connection needs none of it. Any thread (relaxed atomics).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ticketgate {

class InputBudget {
 public:
    explicit InputBudget(std::uint64_t limit) : limit_(limit) {}

    std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
    void limit(std::uint64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }

    /// True if there is room for a part of a head. head_timeout limits its wait.
    bool takes_heads() const { return used() <= limit_.load(std::memory_order_relaxed); }
    /// True if there is room for pipelined requests. They may wait as long as the one ahead of
    /// them, so half of the room stays for heads.
    bool takes_pipelined() const { return used() <= limit_.load(std::memory_order_relaxed) / 2; }

    void take(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
    void give_back(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
    std::atomic<std::uint64_t> used_{0}, limit_;
};

}  // namespace ticketgate
