// Parses bytes into heads: a class derived from Beast's basic_parser checks the grammar, then the
// framing rules of http/framing apply. The parse functions are synchronous and keep no state
// between calls, so a partial head is offered again with more bytes.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "http/head.hpp"

namespace ticketgate::http {

struct HeadLimits {
    std::size_t max_head = 32 << 10;  ///< bytes of the whole head
    std::size_t max_uri = 8 << 10;    ///< bytes of the request target
    std::size_t max_headers = 100;    ///< number of fields
    bool operator==(const HeadLimits&) const = default;
};

enum class Progress : std::uint8_t { need_more, done };

/// Parses one request head at the front of `bytes`. `need_more`: the empty line has not arrived.
/// Errors: bad_request, head_too_large, uri_too_long, version_refused, method_refused,
/// expectation_failed; head.complaint then has the details. Skips empty lines before the start line
/// (RFC 9112 2.2) and counts them in head.bytes. The first `scanned` bytes contain no end of head
/// (0 at first).
result<Progress> parse_request(std::string_view bytes, const HeadLimits&, RequestHead& head,
                               std::size_t scanned = 0);

/// Whether the answer to an incomplete or unread request needs a body, judged by these bytes.
enum class AsksFor : std::uint8_t { body, head, unknown };
AsksFor asks_for(std::string_view bytes);

/// Parses one response head; `to_head`: the request was HEAD. A status line may end after its code,
/// without a reason phrase and the blank before it. Errors: upstream_bad_response. Without
/// memory for its fields the head is malformed; throws only if it is malformed anyway.
result<Progress> parse_response(std::string_view bytes, const HeadLimits&, bool to_head,
                                ResponseHead& head, std::size_t scanned = 0);

/// Reads what the whole head `bytes` says of the end of its answer (CONTRACT 2.13). The head is
/// malformed then and has no fields, so that it is not forwarded. False: its end is unknown.
/// Allocates nothing.
bool read_end(std::string_view bytes, bool to_head, ResponseHead& head) noexcept;

}  // namespace ticketgate::http
