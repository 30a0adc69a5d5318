// The one source of chance of a world: everything that a seed decides is drawn from here, in one
// order.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace ticketgate::sim {

class Random {
 public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 0x7f4a7c15u) {}

    /// SplitMix64: small, quick, the same everywhere.
    std::uint64_t next() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    /// 0 to `end` - 1; 0 when `end` is 0.
    std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : next() % end; }
    /// `low` to `high`, both included.
    std::uint64_t between(std::uint64_t low, std::uint64_t high) {
        return low + below(high - low + 1);
    }
    /// True in `percent` of a hundred.
    bool chance(unsigned percent) { return below(100) < percent; }
    template <class T>
    T one_of(std::initializer_list<T> values) {
        return *(values.begin() + below(values.size()));
    }

 private:
    std::uint64_t state_;
};

}  // namespace ticketgate::sim
