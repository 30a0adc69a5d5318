// txid: 42 bits of real unix milliseconds, then 54 random bits; 20 characters of lower-case
// base32hex, so that text order is time order. The layout that ngx_txid documents, without its two
// known faults (uptime instead of the date, the two lowest time bits blurred). One Txid per
// generator, one thread. Invariant: each id is greater than the one before, also when the clock
// stands still or steps back.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "ids/entropy.hpp"
#include "ids/id.hpp"

namespace ticketgate::ids {

struct TxidParts {
    std::uint64_t unix_ms = 0;  ///< low 42 bits: until 2109
    std::uint64_t random = 0;   ///< low 54 bits
};

Id encode_txid(std::uint64_t unix_ms, std::uint64_t low54);

/// Empty for anything that `encode_txid` cannot have made.
std::optional<TxidParts> decode_txid(std::string_view text);

class Txid {
 public:
    explicit Txid(Entropy& entropy) : entropy_(&entropy) {}  // the entropy outlives this

    Id next(WallTime now);

 private:
    void start(std::uint64_t ms);

    Entropy* entropy_;
    std::uint64_t ms_ = 0;
    std::uint64_t low_ = 0;
    bool started_ = false;
};

}  // namespace ticketgate::ids
