// Remedies for errors of connections to backends, each one line for the log and `check`. Pure.
#pragma once

#include <string>
#include <string_view>

#include "net/endpoint.hpp"

namespace ticketgate {

/// Returns the remedy for this errno of connect(); empty if the errno explains itself.
std::string connect_remedy(const net::Endpoint& at, int error);

/// Returns the remedy for a failed TLS handshake, by the text of its fault; empty if there is none.
std::string tls_remedy(std::string_view fault, std::string_view address);

/// The first byte that a backend sent on a fresh connection; -1: it closed without any.
inline constexpr int no_byte = -1;
/// Returns the remedy for an invalid answer if its first byte belongs to another protocol, such as
/// FastCGI or TLS; else empty.
std::string protocol_remedy(bool fcgi, int first_byte, std::string_view address);

/// Returns the remedy for a backend's name that has no address.
std::string resolve_remedy(std::string_view host);

}  // namespace ticketgate
