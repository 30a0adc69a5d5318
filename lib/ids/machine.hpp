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
    std::uint32_t side = 0;  ///< 0 or 1: two processes share a worker number during an upgrade
    bool operator==(const Machine&) const = default;
};

/// One of several threads that share an identity: thread `index` of `count`. Formats without room
/// for a thread give each its own residue class of their counter.
struct Lane {
    std::uint32_t index = 0, count = 1;

    /// A power of two, so that classes stay apart when the counter wraps.
    constexpr std::uint32_t stride() const { return std::bit_ceil(count); }
};

/// The lane of a process's thread: even ones for one side, odd ones for the other, so the two of an
/// upgrade make no id twice, whatever their numbers of threads.
constexpr Lane lane_of(const Machine& machine, std::uint32_t index, std::uint32_t count) {
    return {2 * index + machine.side, 2 * count};
}

}  // namespace ticketgate::ids
