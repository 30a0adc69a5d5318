// Rewrites redirects in which a backend names its own address or port: to the authority that the
// client used, like nginx's `proxy_redirect default`. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/head.hpp"

namespace ticketgate::http {

/// The address of a backend, from its URL.
struct BackendAddress {
    bool https = false;
    std::string host;  ///< an IPv6 address in brackets
    std::uint16_t port = 0;
    bool operator==(const BackendAddress&) const = default;
};

/// The scheme and host that the client used, as the request to the backend has them.
struct AskedAs {
    bool https = false;
    std::string_view host;  ///< with its port, if it has one; empty: not known
};

/// Reads Host and X-Forwarded-Proto from a request head to an HTTP backend.
AskedAs asked_as(std::string_view request_head);

/// Returns `url` with the scheme and authority that the client used, if `url` leads to:
/// - `scheme://host[:port]` of the backend's URL, or
/// - the host that the client asked for with the backend's port, where that port is written out
///   and is not the scheme's default. The scheme is the backend's, or the client's.
/// Nothing: it leads elsewhere, has no authority, or is already right.
std::optional<std::string> for_client(std::string_view url, const BackendAddress&, const AskedAs&);

constexpr bool is_redirect(FieldName id) {
    return id == FieldName::location || id == FieldName::refresh;
}

/// Appends the rewritten Location and Refresh lines of a response if one of them leads to the
/// backend; otherwise appends nothing and returns false.
bool rewrite_redirects(const ResponseHead&, const BackendAddress&, std::string_view request_head,
                       std::string& lines);

}  // namespace ticketgate::http
