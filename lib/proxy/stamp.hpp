// The lines that ticketgate adds to heads: ids, X-Request-Start, X-Forwarded-*, Via, Server-Timing.
// Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "config/model.hpp"
#include "fcgi/origin.hpp"
#include "http/head.hpp"
#include "log/record.hpp"

namespace ticketgate::net {
struct Secured;
}

namespace ticketgate {

/// The party that a connection speaks for: its other end, or what a PROXY header says.
enum class SpeaksFor {
    itself,  ///< no header came
    client,  ///< whose address the header tells
    proxy,   ///< a health check of the proxy (LOCAL)
    nobody,  ///< a client without an address, or the proxy is not trusted any more
};

/// The peer of a connection, and the listener that it came to.
struct Peer {
    std::string ip;                         ///< of the connection's other end
    bool trusted = false;                   ///< it is a trusted proxy, by the present snapshot
    std::uint16_t port = 0;                 ///< of our listener, or that a PROXY header tells
    std::uint16_t from_port = 0;            ///< of the other end
    std::string local_ip = {};              ///< of our listener; empty for a unix socket
    std::size_t listener = 0;               ///< its index in the config
    bool proxied_tls = false;               ///< a PROXY header says that the client came over TLS
    bool proxied_port = false;              ///< a PROXY header tells `port`
    const net::Secured* secured = nullptr;  ///< null without TLS; the connection owns it
    bool many = false;                      ///< it stands for many clients: no limit for it
    SpeaksFor speaks_for = SpeaksFor::itself;
    /// Another replica of the cluster, which has stamped the request. `ip` is then that of its
    /// client.
    bool replica = false;

    bool https() const { return proxied_tls || secured != nullptr; }
};

/// The headers that tell a backend about the client's certificate: NONE or SUCCESS (as in nginx),
/// its subject (RFC 2253) and its SHA-256.
inline constexpr std::array<std::string_view, 3> client_certificate_headers{
    "X-Client-Cert-Verify", "X-Client-Cert-Subject", "X-Client-Cert-Fingerprint"};

/// Appends the lines for the backend. The ids are those of the record, made as `ids` says.
/// `host_otherwise` is the Host of an HTTP/1.0 request that names none.
void stamp_request(const http::RequestHead&, const config::Ids& ids, const Peer&, const Record&,
                   std::string_view host_otherwise, std::string& lines);

/// Appends the headers about the client's certificate.
void stamp_client_certificate(const http::RequestHead&, const Peer&, std::string& lines);

/// Appends the lines for the client. `version`: the HTTP version of the response (RFC 9110 7.6.3);
/// ticketgate's own answers, and those made of CGI, have 1.1.
void stamp_response(const config::Ids& ids, const Record&, bool server_timing, unsigned version,
                    std::string& lines);

/// Appends what a replica that forwarded the request wants to know. `moved`: it has no place here,
/// and was not started. `age`: since its head was complete.
void stamp_place(const Record&, bool moved, Duration age, std::string& lines);

/// The protocol that the backend is asked to upgrade to: the client's first that the route allows;
/// none for a request with a body or for HEAD. A view into the head or empty.
std::string_view upgrade_of(const http::RequestHead&, const config::Settings&);

/// `tunnel: bypass`: true if the request asks for an event stream or, where the backend `upgrades`,
/// for a protocol such as WebSocket.
bool bypasses(const http::RequestHead&, const config::Settings&, bool upgrades);

/// The client's address for the log: from a trusted proxy's header, else the peer's.
std::string client_ip(const http::RequestHead&, const Peer&);
/// The same, but empty where a proxy speaks for a client whose address it does not tell: that one
/// may be anybody.
std::string known_client_ip(const http::RequestHead&, const Peer&);

/// The facts for CGI variables that the head does not have. Views into the arguments.
fcgi::Origin origin_of(const Peer&, std::string_view client_ip, const Record&);

/// Fills in the client, the method, the target and TLS.
void describe(Record&, const http::RequestHead&, const Peer&);

}  // namespace ticketgate
