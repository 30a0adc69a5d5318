// Redirects of a backend that names its own address or port to the client: rewritten to the
// authority that the client used, as nginx' `proxy_redirect default` does. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/head.hpp"

namespace ticketgate::http {

/// Where a backend is, as its URL names it.
struct BackendAddress {
    bool https = false;
    std::string host;  ///< an IPv6 address in brackets
    std::uint16_t port = 0;
    bool operator==(const BackendAddress&) const = default;
};

/// What the client used, as a request for the backend tells it.
struct AskedAs {
    bool https = false;
    std::string_view host;  ///< with its port, if it names one; empty: not known
};

/// Of a request head as it goes to an HTTP backend: Host and X-Forwarded-Proto.
AskedAs asked_as(std::string_view request_head);

/// `url` with the scheme and authority that the client used, if `url` leads to the backend itself:
/// - to `scheme://host[:port]` of the backend's URL, or
/// - to the host that the client asked for with the backend's port, where that port is written out
///   and is not the scheme's default. The scheme is the backend's, or the client's.
/// Nothing: it leads elsewhere, has no authority, or is right already.
std::optional<std::string> for_client(std::string_view url, const BackendAddress&, const AskedAs&);

constexpr bool is_redirect(FieldName id) {
    return id == FieldName::location || id == FieldName::refresh;
}

/// Appends the Location and Refresh lines of a response, rewritten, if one of them leads to the
/// backend. False: nothing to do, and nothing is appended.
bool rewrite_redirects(const ResponseHead&, const BackendAddress&, std::string_view request_head,
                       std::string& lines);

}  // namespace ticketgate::http
