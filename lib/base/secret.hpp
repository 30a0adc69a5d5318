// Secrets that a peer has to know: compared so that the time tells nothing of them. Pure.
#pragma once

#include <string_view>

namespace ticketgate {

/// Takes a time that depends on `given` only, which the peer knows. Nothing equals an empty secret.
bool equal_in_constant_time(std::string_view given, std::string_view secret);

}  // namespace ticketgate
