// The machine and process that make the ids, for the formats that hold them, and the share of a
// format's numbers that a thread may use. Values; determined once at the start (app/machine).
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

namespace ticketgate::ids {

struct Machine {
    std::optional<std::uint32_t> address;  ///< IPv4, as a number; httpd up to 2.4.28
    std::uint32_t process = 0;             ///< process id
    std::optional<std::uint32_t> worker;   ///< 0-31, unique to this process; for snowflake
    std::uint32_t datacenter = 0;          ///< 0-31
    bool operator==(const Machine&) const = default;
};

/// One of several threads that share an identity: thread `index` of `count`. Formats without room
/// for a thread give each its own residue class of their counter.
struct Lane {
    std::uint32_t index = 0, count = 1;

    /// A power of two, so that classes stay apart when the counter wraps.
    constexpr std::uint32_t stride() const { return std::bit_ceil(count); }
};

}  // namespace ticketgate::ids
