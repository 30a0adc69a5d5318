// What a config file means: plain structs, complete, with every default in one place. Each field is
// one setting of the YAML file under the same name. Pure values; immutable once a Snapshot is built
// from them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "config/shared_text.hpp"

namespace ticketgate::config {

using Bytes = std::uint64_t;
using Headers = std::vector<std::pair<std::string, std::string>>;

/// Spelled `unlimited` in the file.
inline constexpr std::uint32_t unlimited = std::numeric_limits<std::uint32_t>::max();

enum class Order { ready, arrival };
enum class OnHoldTimeout { keep, release };
enum class Release { response, worker_idle };
enum class HalfClose { leave, stay };
enum class Tunnel { bypass, release, hold };
enum class UnusualNames { drop, forward, refuse };
enum class MethodOverride { queue, remove, forward };
/// As in net/, which stands in another module.
enum class TlsVersion { v1_2, v1_3 };
enum class ClientAuth { off, optional, required };
enum class AccessFormat { off, json, combined };
enum class LogLevel { debug, info, warn, error };
/// As ids::Format, which stands in another module: a test compares the two.
enum class IdFormat {
    txid,
    uuidv7,
    uuidv4,
    ulid,
    hex128,
    snowflake,
    httpd_1_3,
    httpd_1_3_threads,
    httpd_2_0,
    httpd_2_4_29,
    httpd_2_4_47,
    httpd_2_4_49
};
enum class IdPolicy { generate, preserve_or_generate, preserve, disable };

/// One of the three settable error answers. Each field is inherited by itself.
struct Answer {
    std::uint16_t status = 503;  ///< 400-599
    std::string content_type = "application/problem+json";
    std::optional<SharedText> body = std::nullopt;  ///< with placeholders; absent: problem document
    Headers headers = {};                           ///< added to the answer
    bool operator==(const Answer&) const = default;
};

/// One id of a request: where it goes, how it is made, whose it is.
struct Id {
    std::vector<std::string> headers;      ///< to the backend and the client; may be none: log only
    IdFormat format = IdFormat::uuidv7;    ///< of those made here
    IdPolicy policy = IdPolicy::generate;  ///< towards what a trusted proxy sends
    std::string keep_client_in =
        {};  ///< header to the backend with what the client sent; empty: none
    bool operator==(const Id&) const = default;
};

/// Who makes the ids, for the formats that say so. `auto`: from the environment or the system.
struct Machine {
    std::string address = "auto";      ///< IPv4
    std::uint32_t worker = unlimited;  ///< 0-31; `unlimited` is `auto`
    std::uint32_t datacenter = 0;      ///< 0-31
    bool operator==(const Machine&) const = default;
};

struct Ids {
    Id request_id{.headers = {"X-Request-Id"}, .format = IdFormat::txid};
    Id unique_id{.headers = {"UNIQUE_ID", "Unique-Id"}, .format = IdFormat::httpd_2_4_47};
    std::map<std::string, Id> other;  ///< by the names that the log gives them
    Machine machine;
    bool operator==(const Ids&) const = default;
};

/// The settings of a route, resolved: what applies to a request once all matching routes are
/// merged.
struct Settings {
    std::string upstream;                   ///< name in `upstreams`
    std::optional<std::string> queue;       ///< name of the queue; absent (`off`): bypass
    std::vector<std::string> skip_methods;  ///< methods that bypass the queue, upper case
    MethodOverride method_override = MethodOverride::queue;  ///< one of them that names another
    milliseconds wait_timeout = 60s;                         ///< in line, from the ticket; `never`
    std::uint32_t max_waiting = 1024;        ///< tickets waiting; 0: nobody waits; `unlimited`
    Answer on_full;                          ///< max_waiting tickets wait already
    Answer on_wait_timeout;                  ///< wait_timeout passed in line
    Answer on_backend_error{.status = 502};  ///< 504 when the backend was silent, unless set
    bool on_backend_error_status_set =
        false;  ///< `on_backend_error.status` was given: one status for all
    HalfClose client_half_close = HalfClose::leave;  ///< does a FIN while queued give up the place?
    Bytes max_body = 128ull << 20;                   ///< request body; 413 above
    milliseconds body_timeout = 30s;          ///< silence while the request body arrives; 408
    Bytes body_min_rate = 500;                ///< bytes a second of one, on the whole; 408. 0: any
    milliseconds connect_timeout = 5s;        ///< to the backend; 504
    milliseconds response_timeout = 60s;      ///< silence of the backend; 504
    Bytes response_spool_max = 256ull << 20;  ///< response bytes kept ahead of a slow client
    bool server_timing = true;                ///< `Server-Timing` on responses
    Tunnel tunnel = Tunnel::release;   ///< the slot of an upgraded connection or event stream
    milliseconds tunnel_timeout = 1h;  ///< silence in both directions of one
    std::vector<std::string> upgrades{"websocket"};  ///< protocols that pass; others are not asked
    Ids ids;  ///< those of the file, with the formats and policies of the route
    bool operator==(const Settings&) const = default;
};

struct Queue {
    std::uint32_t max_in_flight = 1;
    Order order = Order::ready;
    milliseconds hold_timeout = never;  ///< how long a slot may be held
    OnHoldTimeout on_hold_timeout = OnHoldTimeout::keep;
    Release release = Release::response;  ///< when the slot goes back
    bool operator==(const Queue&) const = default;
};

/// php-fpm's `pm.status_listen`.
struct FcgiStatus {
    std::string url;
    std::string host;
    std::uint16_t port = 0;
    std::string unix_path;
    std::string path = "/status";  ///< pm.status_path
    bool operator==(const FcgiStatus&) const = default;
};

/// Where the scripts are, and which one a path names.
struct Fcgi {
    std::string root;  ///< document root as php-fpm sees it, without a last slash
    std::optional<std::string> script = "/index.php";  ///< front controller; absent: `off`
    std::string index = "index.php";
    bool split = true;  ///< paths may name scripts
    Headers params;     ///< CGI variables
    bool keep_alive = false;
    std::optional<FcgiStatus> status;
    bool operator==(const Fcgi&) const = default;
};

/// Towards a backend. Paths are already those to open.
struct UpstreamTls {
    bool verify = true;       ///< its certificate: who signed it, and whom it names
    std::string ca_file;      ///< those who may sign; empty: the system's
    std::string server_name;  ///< asked for, and in the certificate; empty: the host of the url
    std::string certificate;  ///< our own, where the backend asks for one
    std::string key;
    bool operator==(const UpstreamTls&) const = default;
};

struct Upstream {
    std::string url;  ///< as written: http://host:port, https://host:port, unix:/path,
                      ///< fastcgi://host:port or fastcgi+unix:/path
    bool https = false;
    std::string host;  ///< host name or address; empty for a unix socket
    std::uint16_t port = 0;
    std::string unix_path;            ///< empty for TCP
    std::uint32_t max_idle = 64;      ///< pooled idle connections, a thread
    milliseconds idle_timeout = 4s;   ///< below Apache's KeepAliveTimeout of 5 s
    Bytes max_head = 64 << 10;        ///< response head; 502 above
    std::uint32_t max_headers = 200;  ///< fields in one; 502 above
    std::optional<Fcgi> fcgi;         ///< absent: it speaks HTTP
    UpstreamTls tls;                  ///< of https
    bool operator==(const Upstream&) const = default;
};

/// A chain of certificates and the key of the first, as paths to open.
struct CertificateFiles {
    std::string certificate, key;
    bool operator==(const CertificateFiles&) const = default;
};

/// Towards clients of one listener.
struct ListenTls {
    std::vector<CertificateFiles> certificates;  ///< the first is for clients that name nobody
    TlsVersion min_version = TlsVersion::v1_2;
    std::string client_ca;                     ///< who signs clients' certificates
    ClientAuth client_auth = ClientAuth::off;  ///< does a client need one?
    bool operator==(const ListenTls&) const = default;
};

/// `0.0.0.0:8080`, `[::]:8080`, or `unix:/path`.
struct Listen {
    std::string address;
    std::string host;
    std::uint16_t port = 0;
    std::string unix_path;
    std::optional<ListenTls> tls = std::nullopt;  ///< absent: plain HTTP
    bool proxy_protocol = false;  ///< every connection begins with a PROXY header, version 1 or 2
    bool operator==(const Listen&) const = default;
};

/// Towards clients, before a route is known.
struct Clients {
    std::uint32_t max_connections = 10000;  ///< accepted at one time; more wait in the backlog
    std::uint32_t max_connections_per_client = unlimited;  ///< of one address; 429 above
    std::uint32_t max_requests = unlimited;                ///< requests a connection
    Bytes max_head = 32 << 10;                             ///< request head; 431 above
    Bytes max_uri = 8 << 10;                               ///< request target; 414 above
    std::uint32_t max_headers = 100;                       ///< fields in a head; 431 above
    Bytes max_input = 64ull << 20;     ///< kept for all clients together; 503 or the end above
    milliseconds head_timeout = 10s;   ///< first byte of a head to its end; 408
    milliseconds idle_timeout = 60s;   ///< keep-alive between requests
    milliseconds write_timeout = 60s;  ///< a client that takes nothing of its answer
    milliseconds linger_time = 30s;    ///< an upload that was refused is dropped as long, in all,
    milliseconds linger_timeout = 5s;  ///< and at its first silence of this length it is closed
    UnusualNames unusual_names = UnusualNames::drop;  ///< fields that CGI servers fold together
    std::vector<std::string>
        trusted_proxies;  ///< CIDRs whose X-Forwarded-* are extended, not replaced
    /// Fields with a client's address, dropped unless a trusted proxy sent them. `default` stands
    /// for those of proxy_headers.cpp.
    std::vector<std::string> address_headers{"default"};
    std::vector<std::string> path_headers{"default"};  ///< fields with another path, dropped always
    bool operator==(const Clients&) const = default;
};

/// Limits of connections to the admin listener.
struct AdminLimits {
    std::uint32_t max_connections = 64;
    milliseconds read_timeout = 10s;   ///< until a request is there, whole
    milliseconds write_timeout = 10s;  ///< until its answer is taken
    bool operator==(const AdminLimits&) const = default;
};

struct Spool {
    Bytes memory_per_body = 64 << 10;  ///< above it a body goes to an unlinked file
    Bytes max_memory = 64ull << 20;    ///< all spools together; then files
    Bytes max_disk = 4ull << 30;       ///< all files together; then 503
    std::string directory = "/tmp";
    bool operator==(const Spool&) const = default;
};

/// noeqd's protocol on a port of its own.
struct IdService {
    Listen address;
    std::uint32_t datacenter = 0;          ///< 0-31
    std::uint32_t worker = unlimited;      ///< 0-31; `unlimited` is `auto`, as in Machine
    std::string token;                     ///< empty: none is asked for
    std::string state_file;                ///< to open; empty: none, and a restart trusts the clock
    std::uint32_t max_connections = 1000;  ///< above, the longest idle one ends
    std::uint32_t max_connections_per_client = 100;  ///< the same, of its own
    milliseconds login_timeout = 10s;
    milliseconds idle_timeout = 10min;
    milliseconds write_timeout = 10s;
    milliseconds clock_wait = 2s;
    bool operator==(const IdService&) const = default;
};

struct Log {
    AccessFormat access = AccessFormat::json;
    std::string access_file = "-";    ///< `-`: stdout
    LogLevel level = LogLevel::info;  ///< operational log, on stderr
    Bytes max_buffer = 1 << 20;  ///< lines of each waiting for a slow reader; then dropped, counted
    bool operator==(const Log&) const = default;
};

/// Where a value was set; line 0 is a built-in default.
struct Mark {
    std::string file;
    std::uint32_t line = 0, column = 0;
    bool operator==(const Mark&) const = default;
};

}  // namespace ticketgate::config
