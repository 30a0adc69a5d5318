// The PROXY protocol: a header at the start of a connection, in which a proxy names its client
// (HAProxy's proxy-protocol.txt, versions 1 and 2). Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace ticketgate::http {

/// The owner of the connection that the header describes.
enum class ProxySubject : std::uint8_t {
    client,   ///< a client, with its address
    unknown,  ///< a client, without its address: v1 UNKNOWN; v2 UNSPEC, UNIX, or a datagram
    sender,   ///< the sender itself: v2 LOCAL (section 2.2: a health check)
};

struct ProxyHeader {
    std::size_t bytes = 0;                        ///< length of the header; 0: it is incomplete
    ProxySubject subject = ProxySubject::client;  ///< other subjects leave the rest unset
    std::string source = {};                      ///< its address, as `10.0.0.1` or `2001:db8::1`
    std::uint16_t source_port = 0;                ///< the client's port
    std::uint16_t port = 0;                       ///< the port that the client connected to
    bool tls = false;  ///< v2 PP2_TYPE_SSL: it reached the sender over TLS
};

/// Parses the header at the front of `bytes`, which holds all bytes so far. Error: bad_request for
/// bytes that cannot become a header: a wrong signature, an unknown family or command, an invalid
/// address, a wrong checksum (section 2.2.3), more than 107 bytes without a line end (v1), more
/// than `max_size` bytes (v2).
result<ProxyHeader> parse_proxy_header(std::string_view bytes, std::size_t max_size);

}  // namespace ticketgate::http
