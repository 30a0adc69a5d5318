// Heads that would be expensive for a parser with a nested loop: each grows with a number and has
// as much of two things as fits, since the work must not be their product.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ticketgate::cost {

struct Family {
    const char* name;
    /// A head of about this many bytes.
    std::string (*head)(std::size_t bytes);
};
const std::vector<Family>& families();

/// Requests in a row, of about this many bytes together.
std::string small_requests(std::size_t bytes);

/// Any head, of at most about this many bytes: repeated units in targets, names and values.
std::string random_head(std::uint64_t seed, std::size_t bytes);

}  // namespace ticketgate::cost
