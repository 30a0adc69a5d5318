// The lines that ticketgate adds to heads: ids, X-Request-Start, X-Forwarded-*, Via, Server-Timing.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "config/model.hpp"
#include "fcgi/origin.hpp"
#include "http/head.hpp"
#include "log/record.hpp"

namespace ticketgate {

/// Where a request came in.
struct Peer {
    std::string ip;          ///< of the connection's other end
    bool trusted = false;    ///< it is a proxy of ours
    std::uint16_t port = 0;  ///< of our listener
    bool tls = false;        ///< the client speaks TLS, to us or to who speaks for it
    std::uint16_t from_port = 0;
    std::string local_ip = {};  ///< of our listener; empty for a unix socket
};

/// Appends the lines for the backend. The ids are those of the record, made as `ids` says.
void stamp_request(const http::RequestHead&, const config::Ids& ids, const Peer&, const Record&,
                   std::string& lines);

/// Appends the lines for the client.
void stamp_response(const config::Ids& ids, const Record&, bool server_timing, std::string& lines);

/// The protocol that the backend is asked to upgrade to: the first of the client's that the route
/// lets pass, and none for a request with a body or to HEAD. A view into the head or empty.
std::string_view upgrade_of(const http::RequestHead&, const config::Settings&);

/// `tunnel: bypass`: does it ask for a WebSocket or an event stream?
bool bypasses(const http::RequestHead&, const config::Settings&);

/// The client's address for the log: what a trusted proxy says, else the peer.
std::string client_ip(const http::RequestHead&, const Peer&);

/// What CGI variables tell beside the head. Views into the arguments.
fcgi::Origin origin_of(const Peer&, std::string_view client_ip, const Record&);

/// Who asks for what, into the record.
void describe(Record&, const http::RequestHead&, const Peer&);

}  // namespace ticketgate
