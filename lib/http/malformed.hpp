// Handles response heads with a malformed field that does not affect framing: a control character
// that an application echoed, a blank in a name. Such an answer is not forwarded, but it is read to
// its end, since its script runs until then. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate::http {

/// Returns `head` (status line to empty line, CRLF throughout) without its malformed fields, and
/// without a malformed reason phrase. Empty if some parser may read one of them as framing.
std::string without_malformed_fields(std::string_view head);

/// True if any parser may read the line of a field as framing: some drop invalid characters before
/// they compare. Allocates nothing.
bool may_frame(std::string_view line);

}  // namespace ticketgate::http
