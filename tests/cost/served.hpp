// Everything that is done with a head between its last byte and the first one to the backend, and
// with the same fields in an answer.
#pragma once

#include <string_view>

namespace ticketgate::cost {

/// As a session does it with one read. What is refused is done with sooner.
void serve(std::string_view head);
/// Byte after byte, as far as the head goes.
void trickle(std::string_view head);
/// One request after another out of one read, with a wait after each.
void serve_pipelined(std::string_view heads);
/// A response with these fields.
void relay(std::string_view head);

}  // namespace ticketgate::cost
