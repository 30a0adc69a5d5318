// All work on a head between its last byte and the first byte to the backend, and on the same
// fields in an answer.
#pragma once

#include <string_view>

namespace ticketgate::cost {

/// Processes a head from one read, like a session. A refused head ends sooner.
void serve(std::string_view head);
/// Processes the head byte by byte, to its end.
void trickle(std::string_view head);
/// Processes one request after another from one read, with a wait after each.
void serve_pipelined(std::string_view heads);
/// Processes a response with these fields.
void relay(std::string_view head);

}  // namespace ticketgate::cost
