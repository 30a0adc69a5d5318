// Response heads with a field that is malformed but says nothing of where the message ends: a
// control character that an application echoed, a name with a blank in it. Such an answer is
// forwarded to nobody, yet it is read to its end, since that is when its script is over. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate::http {

/// `head` (status line to empty line, CRLF throughout) without its malformed fields. Empty if one
/// of them may say where the message ends in somebody's reading.
std::string without_malformed_fields(std::string_view head);

}  // namespace ticketgate::http
