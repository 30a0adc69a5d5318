// Random bytes for ids, read from the kernel in large pieces so that a call costs nanoseconds.
// One per I/O thread, owned by its Generator; not thread-safe.
// Never blocks and never loops: when the source fails, bytes come from a mix of clocks, process id,
// address and a counter, which keeps ids apart but guessable, and `failures` counts it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>

namespace ticketgate::ids {

class Entropy {
 public:
    /// Fills the whole span, or says false.
    using Source = std::function<bool(std::span<std::uint8_t>)>;

    Entropy();                        ///< getrandom(2)
    explicit Entropy(Source source);  ///< for tests
    Entropy(Entropy&&) noexcept = default;
    Entropy& operator=(Entropy&&) noexcept = default;

    std::uint64_t u64() { return take<std::uint64_t>(); }
    std::uint16_t u16() { return take<std::uint16_t>(); }
    std::uint32_t u32() { return take<std::uint32_t>(); }
    void fill(std::span<std::uint8_t> out);

    /// How often the source failed and the mix had to serve.
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
    std::size_t used_ = 4096;
    std::uint64_t failures_ = 0;
    std::array<std::uint8_t, 4096> buffer_;  // one page: 500 ids a system call
};

/// getrandom(2) that does not wait for the kernel's pool and gives up after a few short reads.
bool kernel_random(std::span<std::uint8_t> out);

}  // namespace ticketgate::ids
