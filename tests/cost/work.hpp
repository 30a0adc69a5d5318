// Work as a number that is the same on every machine: basic blocks that were run, and the bytes
// that the C library was asked to move, compare or search, sixteen for one.
#pragma once

#include <cstdint>

namespace ticketgate::cost {

std::uint64_t work();

template <class Do>
std::uint64_t work_of(Do something) {
    const std::uint64_t before = work();
    something();
    return work() - before;
}

}  // namespace ticketgate::cost
