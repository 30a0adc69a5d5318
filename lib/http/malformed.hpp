// Handles response heads with a malformed field that does not affect framing: a control character
// that an application echoed, a blank in a name. Such an answer is not forwarded, but it is read to
// its end, since its script runs until then. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace ticketgate::http {

/// Returns `head` (status line to empty line, CRLF throughout) without its malformed fields, and
/// without a malformed reason phrase. Empty
/// if some parser may read one of them as framing.
std::string without_malformed_fields(std::string_view head);

/// Reads a response head of any length that is not forwarded. `kept`: what it has kept so far;
/// holds the status line and the fields that say where the answer ends, and at most 20 KiB. Returns
/// how many bytes of `more` belong to the head: all, unless `kept` ends with an empty line. Then
/// the head is whole. Errors: these parts are longer than 16 KiB, or a line end that is not CRLF,
/// or a folded line: its end is unknown.
result<std::size_t> keep_framing(std::string& kept, std::string_view more);

}  // namespace ticketgate::http
