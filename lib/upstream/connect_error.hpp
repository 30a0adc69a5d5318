// Why a backend cannot be connected to, and what to do about it, in one line for people. Pure.
#pragma once

#include <string>
#include <string_view>

#include "net/endpoint.hpp"

namespace ticketgate {

/// What to do about this errno of connect(); empty: the errno explains itself.
std::string connect_remedy(const net::Endpoint& at, int error);

/// What to do about a failed TLS handshake, by the text of its fault; empty: the text says it all.
std::string tls_remedy(std::string_view fault, std::string_view address);

/// The first byte that a backend sent on a fresh connection; -1: it closed without any.
inline constexpr int no_byte = -1;
/// What to do about an answer that breaks the protocol: does the backend speak another one? Empty:
/// nothing of it says so.
std::string protocol_remedy(bool fcgi, int first_byte, std::string_view address);

/// What to do about a backend's name that has no address.
std::string resolve_remedy(std::string_view host);

}  // namespace ticketgate
