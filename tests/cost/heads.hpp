// Heads that would be dear for a reader with a loop too many: each grows with a number, and has as
// much of two things as fits, since a product of the two is what must not be.
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
