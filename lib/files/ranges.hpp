// The Range field (RFC 9110 14): which parts of a file a client wants. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ticketgate::files {

struct Range {
    std::uint64_t from = 0, size = 0;
    bool operator==(const Range&) const = default;
};

/// The most ranges of one request. More are answered with the whole file (RFC 9110 14.2 leaves it
/// to the server): each part costs a header and a read, and no reader of files needs many.
inline constexpr std::size_t most_ranges = 16;

struct Ranges {
    enum class How : std::uint8_t {
        whole,         ///< no range that counts: 200
        parts,         ///< 206
        unsatisfiable  ///< 416
    } how = How::whole;
    std::vector<Range> parts = {};  ///< in the order of the field; none overlaps another
};

/// Reads the field for a file of `size` bytes. Malformed, in another unit, too many, or overlapping
/// ranges: the whole file.
Ranges read_ranges(std::string_view field, std::uint64_t size);

}  // namespace ticketgate::files
