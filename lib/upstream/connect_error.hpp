// Why a backend cannot be connected to, and what to do about it, in one line for people. Pure.
#pragma once

#include <string>
#include <string_view>

#include "net/endpoint.hpp"

namespace ticketgate {

/// What to do about this errno of connect(); empty: the errno explains itself.
std::string connect_remedy(const net::Endpoint& at, int error);

/// What to do about a backend's name that has no address.
std::string resolve_remedy(std::string_view host);

}  // namespace ticketgate
