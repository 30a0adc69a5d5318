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
#include "config/forms.hpp"
#include "config/shared_text.hpp"
#include "ids/format.hpp"

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
using IdFormat = ids::Format;
enum class IdPolicy { generate, preserve_or_generate, preserve, disable };

/// One of the three settable error answers. Each field is inherited by itself.
template <class Form>
struct AnswerIn {
    In<Form, std::uint16_t> status = Form::initial(std::uint16_t{503});  ///< 400-599
    In<Form, std::string> content_type = Form::initial("application/problem+json");
    /// With placeholders; absent: the problem document.
    In<Form, std::optional<SharedText>> body = Form::initial(std::nullopt);
    In<Form, Headers> headers = {};  ///< added to the answer
    bool operator==(const AnswerIn&) const = default;
};
using Answer = AnswerIn<Whole>;

/// One id of a request: where it goes, how it is made, whose it is.
template <class Form>
struct IdIn {
    /// To the backend and the client; may be none: the id is only logged.
    In<Form, std::vector<std::string>> headers = {};
    In<Form, IdFormat> format = Form::initial(IdFormat::uuidv7);    ///< of those made here
    In<Form, IdPolicy> policy = Form::initial(IdPolicy::generate);  ///< for ids that come in
    /// Header to the backend with what the client sent; empty: none.
    WholeOnly<Form, std::string> keep_client_in = {};
    bool operator==(const IdIn&) const = default;
};
using Id = IdIn<Whole>;

/// What makes the ids of this process differ from others'. `auto`: from the environment or the
/// system.
struct Machine {
    std::string address = "auto";      ///< IPv4
    std::uint32_t worker = unlimited;  ///< 0-31; `unlimited` is `auto`
    std::uint32_t datacenter = 0;      ///< 0-31
    bool operator==(const Machine&) const = default;
};

template <class Form>
struct IdsIn {
    using Names = std::vector<std::string>;
    IdIn<Form> request_id{.headers = Form::initial(Names{"X-Request-Id"}),
                          .format = Form::initial(IdFormat::txid)};
    IdIn<Form> unique_id{.headers = Form::initial(Names{"UNIQUE_ID", "Unique-Id"}),
                         .format = Form::initial(IdFormat::httpd_2_4_47)};
    std::map<std::string, IdIn<Form>> other;  ///< by the names that the log gives them
    WholeOnly<Form, Machine> machine = {};
    bool operator==(const IdsIn&) const = default;
};
using Ids = IdsIn<Whole>;

/// The settings of a route. `Settings` is the resolved form: what applies to a request once all
/// matching routes are merged.
template <class Form>
struct SettingsIn {
    In<Form, std::string> upstream = {};              ///< name in `upstreams`
    In<Form, std::optional<std::string>> queue = {};  ///< name of the queue; absent (`off`): bypass
    In<Form, std::vector<std::string>> skip_methods = {};  ///< bypass the queue; upper case
    /// What becomes of a skipped method that names another one.
    In<Form, MethodOverride> method_override = Form::initial(MethodOverride::queue);
    In<Form, milliseconds> wait_timeout = Form::initial(60s);    ///< in line, from the ticket
    In<Form, std::uint32_t> max_waiting = Form::initial(1024u);  ///< tickets; 0: nobody waits
    AnswerIn<Form> on_full = {};                                 ///< max_waiting tickets wait
    AnswerIn<Form> on_wait_timeout = {};                         ///< wait_timeout passed in line
    /// 504 when the backend was silent, unless a route sets the status.
    AnswerIn<Form> on_backend_error{.status = Form::initial(std::uint16_t{502})};
    /// A route sets `on_backend_error.status`: one status for all.
    WholeOnly<Form, bool> on_backend_error_status_set = {};
    /// Does a FIN while queued give up the place?
    In<Form, HalfClose> client_half_close = Form::initial(HalfClose::leave);
    In<Form, Bytes> max_body = Form::initial(128ull << 20);    ///< request body; 413 above
    In<Form, milliseconds> body_timeout = Form::initial(30s);  ///< silence of an upload; 408
    In<Form, Bytes> body_min_rate = Form::initial(500u);  ///< bytes a second of one; 408. 0: any
    In<Form, milliseconds> connect_timeout = Form::initial(5s);    ///< to the backend; 504
    In<Form, milliseconds> response_timeout = Form::initial(60s);  ///< silence of the backend; 504
    /// Response bytes kept ahead of a slow client.
    In<Form, Bytes> response_spool_max = Form::initial(256ull << 20);
    In<Form, bool> server_timing = Form::initial(true);  ///< `Server-Timing` on responses
    /// The slot of an upgraded connection or event stream.
    In<Form, Tunnel> tunnel = Form::initial(Tunnel::release);
    In<Form, milliseconds> tunnel_timeout = Form::initial(1h);  ///< silence in both directions
    /// Protocols that pass; the backend is not asked for others.
    In<Form, std::vector<std::string>> upgrades =
        Form::initial(std::vector<std::string>{"websocket"});
    IdsIn<Form> ids = {};  ///< those of the file, with the formats and policies of the route
    bool operator==(const SettingsIn&) const = default;
};
using Settings = SettingsIn<Whole>;

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
    bool rewrite_location = true;     ///< redirects to its own address, for clients
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
    std::vector<CertificateFiles> certificates;  ///< the first also for clients without SNI
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

}  // namespace ticketgate::config
