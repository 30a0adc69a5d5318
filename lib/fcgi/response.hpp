// A CGI response head (RFC 3875 section 6) as an HTTP one. It is written out as HTTP and read by
// the same strict parser as every other response, so there is one set of rules. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "http/head.hpp"
#include "http/parser.hpp"

namespace ticketgate::fcgi {

/// The size of the header block with its empty line; 0: not here yet. Lines end in CRLF or LF.
/// `scanned` bytes are known to hold no end.
std::size_t head_block_size(std::string_view bytes, std::size_t scanned);

/// Reads a whole block into `head`, whose views are into `text`. `Status:` (6.3.3) or, as nginx has
/// it, 302 with a Location and 200 without; hop-by-hop fields, which a script may not set (6.3.4),
/// are dropped. Error, upstream_bad_response: a line that is no field (the start of a status line
/// counts), a CR that ends no line, a Status twice, or not 200 to 599, and whatever is wrong in an
/// HTTP response.
error_code parse_head_block(std::string_view block, const http::HeadLimits& limits, bool to_head,
                            std::string& text, http::ResponseHead& head);

}  // namespace ticketgate::fcgi
