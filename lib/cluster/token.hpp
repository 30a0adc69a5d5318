// Fencing numbers and epochs. An epoch is one term of one keeper of a queue; it rises for ever. A
// token is a number that rises with each grant of a queue, over all replicas and restarts, so that
// a backend can refuse the write of a request that was overtaken.
//
// A token is epoch * 2^30 + n, with n from 1. The numbers of tickets have the same form. Epochs
// follow the wall clock, so a store that has lost its data does not repeat a token, and every token
// has 19 digits: text order is number order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/clock.hpp"

namespace ticketgate::cluster {

using Epoch = std::uint64_t;

inline constexpr int epoch_shift = 30;
/// Grants of one epoch after which the keeper takes the next; half of what the numbers hold.
inline constexpr std::uint64_t grants_an_epoch = std::uint64_t{1} << (epoch_shift - 1);
/// The tokens of any epoch from here on have 19 digits.
inline constexpr Epoch first_epoch = 931'322'575;  // 1999-07-07; 10^18 / 2^30, rounded up
/// 2200-01-01. A clock that shows more is wrong; it must not use up the epochs that are left.
inline constexpr Epoch last_clock = 7'258'118'400;

/// The last number before those of this epoch.
constexpr std::uint64_t numbers_before(Epoch epoch) {
    return epoch << epoch_shift;
}

/// The epoch that follows `last` (0: there was none).
inline Epoch next_epoch(Epoch last, WallTime now) {
    const std::int64_t clock = now.unix_s();
    const bool good = clock > 0 && static_cast<Epoch>(clock) < last_clock;
    return std::max({last + 1, first_epoch, good ? static_cast<Epoch>(clock) : 0});
}

}  // namespace ticketgate::cluster
