// ULID: 48 bits of unix milliseconds, 80 random bits; 26 characters of Crockford's base32 in upper
// case, so that text order is time order. Monotonic as its specification asks: within a millisecond
// the random field rises, here by a random step. One Ulid per generator, one thread. Invariant:
// each id is greater than the one before, also when the clock stands still or steps back.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "ids/entropy.hpp"
#include "ids/id.hpp"

namespace ticketgate::ids {

struct UlidParts {
    std::uint64_t unix_ms = 0;      ///< low 48 bits
    std::uint64_t random_high = 0;  ///< 16 bits
    std::uint64_t random_low = 0;   ///< 64 bits
    bool operator==(const UlidParts&) const = default;
};

Id encode_ulid(const UlidParts& parts);
/// Either case; empty for anything that is not 26 of Crockford's digits or is past 128 bits.
std::optional<UlidParts> decode_ulid(std::string_view text);

class Ulid {
 public:
    explicit Ulid(Entropy& entropy) : entropy_(&entropy) {}  // the entropy outlives this
    Id next(WallTime now);

 private:
    void start(std::uint64_t ms);
    void step();

    Entropy* entropy_;
    UlidParts parts_;
    bool started_ = false;
};

}  // namespace ticketgate::ids
