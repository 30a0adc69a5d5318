// How the admin listener reads a request: its limits, what it expects of the client, and what is
// answered when it cannot be read. Pure.
#pragma once

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/status.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <string>

#include "base/error.hpp"

namespace ticketgate::admin {

inline constexpr std::uint64_t most_body = 64 << 10;
inline constexpr std::uint32_t most_head = 8 << 10;
/// Chunk extensions, trailers, and the sizes of chunks.
inline constexpr std::uint64_t most_framing = 16 << 10;
inline constexpr std::uint64_t most_request = most_head + most_body + most_framing;

using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

enum class Expects : std::uint8_t {
    nothing,
    go_on,  ///< the client sends its body after `100 Continue`
    other   ///< an expectation that nobody meets here
};
/// Of a request whose head is read.
Expects expects(const Parser& parser);

/// The answer to a request that is refused by its head; `unknown`: it is not.
boost::beast::http::status refusal_of(const Parser& parser);
/// The answer to a request that could not be read; `unknown`: none, its client has left or is late.
boost::beast::http::status refusal_of(const error_code& error);
/// Its text.
std::string why(boost::beast::http::status refused);

}  // namespace ticketgate::admin
