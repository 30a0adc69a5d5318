// UUIDs of RFC 9562 in their usual text, 36 characters in lower case.
// Version 7: 48 bits of unix milliseconds, then 74 bits by the RFC's method 2 of section 6.2,
// "monotonic random": drawn anew in each millisecond, raised by a random step within one.
// Invariant of Uuid7: each id is greater than the one before, also when the clock stands still or
// steps back. Version 4: 122 random bits. One of each per generator, one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "ids/entropy.hpp"
#include "ids/id.hpp"

namespace ticketgate::ids {

struct Uuid {
    std::uint64_t high = 0, low = 0;  ///< big-endian halves

    unsigned version() const { return high >> 12 & 15; }
    /// RFC 9562 4.1: the two top bits of the ninth byte.
    bool of_rfc() const { return low >> 62 == 2; }
    std::uint64_t unix_ms() const { return high >> 16; }  ///< of version 7
    bool operator==(const Uuid&) const = default;
};

Id encode_uuid(const Uuid& uuid);
/// Either case; empty for anything else than 8-4-4-4-12 hex digits.
std::optional<Uuid> decode_uuid(std::string_view text);

Uuid make_uuid4(std::uint64_t random_high, std::uint64_t random_low);
Uuid make_uuid7(std::uint64_t unix_ms, std::uint64_t rand_a, std::uint64_t rand_b);

class Uuid4 {
 public:
    explicit Uuid4(Entropy& entropy) : entropy_(&entropy) {}  // the entropy outlives this
    Id next(WallTime now);

 private:
    Entropy* entropy_;
};

class Uuid7 {
 public:
    explicit Uuid7(Entropy& entropy) : entropy_(&entropy) {}  // the entropy outlives this
    Id next(WallTime now);

 private:
    void start(std::uint64_t ms);
    void step();

    Entropy* entropy_;
    std::uint64_t ms_ = 0;
    std::uint64_t rand_a_ = 0;  // 12 bits
    std::uint64_t rand_b_ = 0;  // 62 bits
    bool started_ = false;
};

}  // namespace ticketgate::ids
