// Bodies read and written again, as sessions and runs do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/body.hpp"

namespace ticketgate::fuzz {

/// The result of decoding some bytes.
struct Decoded {
    std::string payload;
    std::size_t consumed = 0;
    bool done = false, broken = false;
    bool operator==(const Decoded&) const = default;
};

/// `seed` 0: all at once, else in pieces.
Decoded decode(http::BodyDecoder decoder, std::string_view bytes, std::uint32_t seed);

/// In chunks of at most `most` bytes.
std::string chunked(std::string_view payload, std::size_t most);

}  // namespace ticketgate::fuzz
