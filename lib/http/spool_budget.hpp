// The limits and the present use of all spools together. Owned by the assembly; any thread (relaxed
// atomics).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/take_within.hpp"

namespace ticketgate::http {

class SpoolBudget {
 public:
    struct Limits {
        std::uint64_t memory_per_body = 64 << 10, max_memory = 64ull << 20, max_disk = 4ull << 30;
        std::string directory = "/tmp";
    };
    explicit SpoolBudget(Limits limits) : limits_(std::move(limits)) {}
    const Limits& limits() const { return limits_; }
    std::uint64_t memory() const { return memory_.load(std::memory_order_relaxed); }
    std::uint64_t disk() const { return disk_.load(std::memory_order_relaxed); }
    /// A body of a client was refused for lack of room.
    void note_refused(Time now) {
        refused_.fetch_add(1, std::memory_order_relaxed);
        last_refused_.store(now, std::memory_order_relaxed);
    }
    std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
    /// Time{}: none was.
    Time last_refused() const { return last_refused_.load(std::memory_order_relaxed); }
    /// errno of the last failure to make or write a file; 0: only limits were reached.
    int fault() const { return fault_.load(std::memory_order_relaxed); }
    /// Tries to make a file there. Returns errno, or 0.
    static int fault_of(const std::string& directory);

 private:
    friend class Spool;
    friend class SpoolFile;
    static void give_back(std::atomic<std::uint64_t>& used, std::uint64_t n) {
        used.fetch_sub(n, std::memory_order_relaxed);
    }
    bool take_memory(std::uint64_t n) { return take_within(memory_, limits_.max_memory, n); }
    /// Ignores the limit.
    void add_memory(std::uint64_t n) { memory_.fetch_add(n, std::memory_order_relaxed); }
    void give_memory_back(std::uint64_t n) { give_back(memory_, n); }
    bool take_disk(std::uint64_t n) { return take_within(disk_, limits_.max_disk, n); }
    void give_disk_back(std::uint64_t n) { give_back(disk_, n); }
    void note_fault(int error) { fault_.store(error, std::memory_order_relaxed); }

    Limits limits_;
    std::atomic<std::uint64_t> memory_{0}, disk_{0};
    std::atomic<int> fault_{0};
    std::atomic<std::uint64_t> refused_{0};
    std::atomic<Time> last_refused_{};
};

}  // namespace ticketgate::http
