// The framing around a piece of a request body: a value of fixed size, so that a request which
// holds a slot is sent to its end whether or not there is free memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "base/check.hpp"

namespace ticketgate {

class FrameBytes {
 public:
    /// The size line of a chunk with 16 digits; two FastCGI headers have 16 bytes.
    static constexpr std::size_t capacity = 20;

    void append(std::string_view bytes) {
        TG_CHECK(bytes.size() <= capacity - size_);
        std::ranges::copy(bytes, bytes_.data() + size_);
        size_ += bytes.size();
    }
    std::string_view view() const { return {bytes_.data(), size_}; }

 private:
    std::array<char, capacity> bytes_;  // only the first size_ are ever read
    std::size_t size_ = 0;
};

struct Frame {
    FrameBytes before, after;
};

}  // namespace ticketgate
