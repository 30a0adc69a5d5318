// The PROXY protocol: a few bytes before everything else, with which a proxy in front says for
// whom it connects (HAProxy's proxy-protocol.txt, versions 1 and 2). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace ticketgate::http {

/// Whose connection it is.
enum class ProxySubject : std::uint8_t {
    client,   ///< of a client, whose address it tells
    unknown,  ///< of a client without one: v1 UNKNOWN; v2 UNSPEC, UNIX, or a datagram
    sender,   ///< the sender's own: v2 LOCAL (section 2.2: a health check)
};

struct ProxyHeader {
    std::size_t bytes = 0;  ///< length of the header; 0: it is not here whole yet
    ProxySubject subject = ProxySubject::client;  ///< what follows is told of a client only
    std::string source = {};                      ///< its address, as `10.0.0.1` or `2001:db8::1`
    std::uint16_t source_port = 0;                ///< its port
    std::uint16_t port = 0;                       ///< to which it connected
    bool tls = false;  ///< v2 PP2_TYPE_SSL: it came to the sender over TLS
};

/// The header at the front of `bytes`, which holds everything that came so far. Error: bad_request
/// for anything that cannot become a header: a wrong signature, an unknown family or command, an
/// address that is none, a checksum that does not fit (section 2.2.3), more than 107 bytes without
/// a line end (v1), more than `max_size` bytes (v2).
result<ProxyHeader> parse_proxy_header(std::string_view bytes, std::size_t max_size);

}  // namespace ticketgate::http
