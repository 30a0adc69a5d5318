// Compares a secret with what a peer sent; the time reveals nothing about the secret. Pure.
#pragma once

#include <string_view>

namespace ticketgate {

/// Takes a time that depends only on `given`, which the peer knows. False for an empty secret.
bool equal_in_constant_time(std::string_view given, std::string_view secret);

}  // namespace ticketgate
