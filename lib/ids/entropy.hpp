// Random bytes for ids, a page at a time so that a call costs nanoseconds: each page is ChaCha8
// under a fresh key from the kernel. One per I/O thread, owned by its Generator; not thread-safe.
// Never blocks and never loops: when the source fails, bytes come from a mix of clocks, process id,
// address and a counter, which keeps ids distinct but guessable; `failures` counts this. A buffer
// is as safe as a call for each id: bytes are used once, in order, and discarded after a fork.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

#include "ids/fork_mark.hpp"

namespace ticketgate::ids {

class Entropy {
 public:
    /// Fills the whole span; false: it could not.
    using Source = std::function<bool(std::span<std::uint8_t>)>;

    Entropy();                        ///< from random_page
    explicit Entropy(Source source);  ///< for tests
    Entropy(Entropy&&) noexcept = default;
    Entropy& operator=(Entropy&&) noexcept = default;

    std::uint64_t u64() { return take<std::uint64_t>(); }
    std::uint16_t u16() { return take<std::uint16_t>(); }
    std::uint32_t u32() { return take<std::uint32_t>(); }
    void fill(std::span<std::uint8_t> out);

    /// True once in each child of a fork; discards the bytes drawn in the parent.
    bool forked() {
        if (!mark_.forked()) [[likely]]
            return false;
        used_ = buffer_.size();
        return true;
    }

    /// How often the source failed, so that the mix was used instead.
    std::uint64_t failures() const { return failures_; }

 private:
    template <class T>
    T take() {
        if (buffer_.size() - used_ < sizeof(T)) refill();
        T value;
        std::memcpy(&value, buffer_.data() + used_, sizeof value);
        used_ += sizeof value;
        return value;
    }
    void refill();

    Source source_;
    ForkMark mark_;
    std::size_t used_ = 4096;
    std::uint64_t failures_ = 0;
    std::array<std::uint8_t, 4096> buffer_;  // one page: 500 ids a system call
};

/// getrandom(2) that does not wait for the kernel's pool and gives up after a few short reads.
bool kernel_random(std::span<std::uint8_t> out);

/// Expands 32 bytes of kernel_random to any number: a page of 4 KiB takes 2 µs instead of 13. The
/// key is used once and discarded, so a page reveals nothing about other pages.
bool random_page(std::span<std::uint8_t> out);

}  // namespace ticketgate::ids
