// Converts a CGI response head (RFC 3875 section 6) to HTTP text, which the same strict parser
// reads as every other response: one set of rules. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "http/head.hpp"
#include "http/parser.hpp"

namespace ticketgate::fcgi {

/// Returns the size of the header block with its empty line; 0: it is incomplete. Lines end in CRLF
/// or LF. The first `scanned` bytes contain no end.
std::size_t head_block_size(std::string_view bytes, std::size_t scanned);

/// Reads a whole block into `head`, whose views point into `text`. The status is `Status:` (6.3.3)
/// or, as in nginx, 302 with a Location and 200 without. Drops hop-by-hop fields, which a script
/// must not set (6.3.4). Error, upstream_bad_response: a line that is not a field (such as a status
/// line), a CR that does not end a line, a second Status, one outside 200 to 599, and every error
/// of an HTTP response; `head.complaint` says which.
error_code parse_head_block(std::string_view block, const http::HeadLimits& limits, bool to_head,
                            std::string& text, http::ResponseHead& head);

}  // namespace ticketgate::fcgi
