// Shared by all fuzz targets: a check that ends the program on failure, and choices taken from the
// front of an input.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <source_location>
#include <string_view>

namespace ticketgate::fuzz {

inline void expect(bool holds, const char* promise,
                   std::source_location at = std::source_location::current()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%u: broken: %s\n", at.file_name(), at.line(), promise);
    std::abort();
}

/// The first byte of an input chooses, the rest is tried.
class Input {
 public:
    Input(const std::uint8_t* bytes, std::size_t size)
        : rest_(reinterpret_cast<const char*>(bytes), size) {}
    std::uint8_t choice() {
        if (rest_.empty()) return 0;
        const auto byte = static_cast<std::uint8_t>(rest_[0]);
        rest_.remove_prefix(1);
        return byte;
    }
    std::string_view rest() const { return rest_; }

 private:
    std::string_view rest_;
};

/// Pieces whose sizes depend on the seed only: bytes cut elsewhere must give the same result.
class Cuts {
 public:
    explicit Cuts(std::uint32_t seed) : state_(seed * 2654435761u + 1) {}
    std::size_t next(std::size_t most) {
        state_ = state_ * 1664525u + 1013904223u;
        const std::size_t size = 1 + (state_ >> 24) % 7;
        return size < most ? size : most;
    }

 private:
    std::uint32_t state_;
};

}  // namespace ticketgate::fuzz
