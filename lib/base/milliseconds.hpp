// A duration as text, in milliseconds with three places, as the access log and Server-Timing have
// it. By integers: a double would cost four times as much. Pure.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "base/clock.hpp"
#include "base/text.hpp"

namespace ticketgate {

/// A negative duration counts as 0.
class Milliseconds {
 public:
    explicit Milliseconds(Duration duration) : Milliseconds(microseconds(duration)) {}
    std::string_view whole() const { return whole_; }
    /// With the point before them.
    std::string_view places() const { return {places_.data(), places_.size()}; }

 private:
    explicit Milliseconds(std::uint64_t us)
        : whole_(us / 1000), places_{'.', digit(us / 100), digit(us / 10), digit(us)} {}
    static std::uint64_t microseconds(Duration duration) {
        return static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 0)) / 1000;
    }
    static char digit(std::uint64_t number) { return static_cast<char>('0' + number % 10); }

    Decimal whole_;
    std::array<char, 4> places_;
};

}  // namespace ticketgate
