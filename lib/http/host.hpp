// The parts of a Host field's value, `name[:port]` (RFC 9112 3.2). Pure.
#pragma once

#include <string_view>

namespace ticketgate::http {

/// Without the port; an IPv6 address keeps its brackets, as in nginx and Apache.
std::string_view host_name(std::string_view host);

/// One to five digits.
bool is_port(std::string_view text);

/// Empty: it names none, or something else stands behind the colon.
std::string_view host_port(std::string_view host);

/// The port that a client used, who named this host: URLs of the application have it. Another port
/// than ours where a container or a firewall maps it.
inline std::string_view client_port(std::string_view host, bool https) {
    const auto named = host_port(host);
    if (!named.empty()) return named;
    return https ? "443" : "80";
}

}  // namespace ticketgate::http
