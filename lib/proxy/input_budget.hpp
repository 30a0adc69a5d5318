// The bytes that all connections together keep of their clients. Bounded by `clients.max_input`, of
// which each kind of bytes has a share that no other kind can use up. A request that arrives whole
// on a free connection needs none of it, unless it waits for a disk. Any thread (relaxed atomics).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ticketgate {

class InputBudget {
 public:
    /// The part of a request that the bytes belong to.
    enum class Kind : std::uint8_t {
        head,    ///< a head that is not whole yet, a pipelined request, a part of a TLS record
        whole,   ///< a request that is whole and waits for a disk
        tunnel,  ///< behind a request for a tunnel, which is not open yet
        body,    ///< a part of a TLS record of a body: at most one record; counts, and has no limit
    };

    explicit InputBudget(std::uint64_t limit) : limit_(limit) {}

    std::uint64_t used() const {
        return of(Kind::head) + of(Kind::whole) + of(Kind::tunnel) + of(Kind::body);
    }
    void limit(std::uint64_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }

    /// True if there is room for a part of a head. head_timeout limits its wait.
    bool takes_heads() const { return of(Kind::head) <= share(Kind::head); }
    /// True if there is room for pipelined requests. They may wait as long as the one ahead of
    /// them, so the rest of the share stays for heads.
    bool takes_pipelined() const {
        return of(Kind::head) <= limit_.load(std::memory_order_relaxed) / 2;
    }
    /// True if there is room for these `own` bytes, already taken, of a whole request, or behind
    /// one. A single one always has room.
    bool takes(Kind kind, std::size_t own) const {
        return of(kind) <= share(kind) || of(kind) == own;
    }

    void take(Kind kind, std::size_t bytes) {
        at(kind).fetch_add(bytes, std::memory_order_relaxed);
    }
    void give_back(Kind kind, std::size_t bytes) {
        at(kind).fetch_sub(bytes, std::memory_order_relaxed);
    }

 private:
    static constexpr std::array<std::uint64_t, 4> eighths{6, 1, 1, 0};
    std::uint64_t share(Kind kind) const {
        return limit_.load(std::memory_order_relaxed) / 8 * eighths[static_cast<std::size_t>(kind)];
    }
    std::atomic<std::uint64_t>& at(Kind kind) { return used_[static_cast<std::size_t>(kind)]; }
    std::uint64_t of(Kind kind) const {
        return used_[static_cast<std::size_t>(kind)].load(std::memory_order_relaxed);
    }
    std::array<std::atomic<std::uint64_t>, 4> used_{};
    std::atomic<std::uint64_t> limit_;
};

}  // namespace ticketgate
