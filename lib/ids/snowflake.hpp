// snowflake: 64 bits: milliseconds since 2010-11-04T01:42:54.657Z, datacenter 5, worker 5, sequence
// 12; as text in decimal. Twitter's layout and noeqd's bit for bit. One Snowflake per generator,
// one thread. Invariant: each id of one lane is greater than the one before. Past 4,096 ids in one
// millisecond (fewer with several lanes), or when the clock steps back, the time field runs ahead
// of the clock instead of waiting for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "ids/id.hpp"
#include "ids/machine.hpp"

namespace ticketgate::ids {

inline constexpr std::int64_t snowflake_epoch_ms = 1'288'834'974'657;
inline constexpr std::uint32_t snowflake_sequences = 4096;

struct SnowflakeParts {
    std::int64_t unix_ms = 0;
    std::uint32_t datacenter = 0, worker = 0;  ///< 0-31
    std::uint32_t sequence = 0;                ///< 0-4095
    bool operator==(const SnowflakeParts&) const = default;
};

constexpr std::uint64_t pack_snowflake(const SnowflakeParts& parts) {
    return static_cast<std::uint64_t>(parts.unix_ms - snowflake_epoch_ms) << 22 |
           std::uint64_t{parts.datacenter & 31} << 17 | std::uint64_t{parts.worker & 31} << 12 |
           (parts.sequence & 4095);
}
/// Reads the time as unsigned, so until 2149.
SnowflakeParts unpack_snowflake(std::uint64_t id);

Id encode_snowflake(std::uint64_t id);
/// Decimal without leading zeros, up to 2^64-1.
std::optional<std::uint64_t> decode_snowflake(std::string_view text);

class Snowflake {
 public:
    explicit Snowflake(const Machine& machine, Lane lane = {});
    Id next(WallTime now);

 private:
    void begin(std::int64_t ms);

    SnowflakeParts parts_;
    Lane lane_;
    std::uint32_t made_ = 0, room_;  // in this millisecond
    Id text_;                        // the previous id
    std::uint64_t last_digits_ = 0;  // the last eight digits of text_
};

}  // namespace ticketgate::ids
