// The meaning of a config file as plain structs, with all defaults in one place. Each field is one
// setting of the YAML file, with the same name. Pure values; immutable once a Snapshot is built
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
#include "config/model_files.hpp"
#include "config/model_workers.hpp"
#include "config/shared_text.hpp"
#include "ids/format.hpp"

namespace ticketgate::config {

using Bytes = std::uint64_t;

enum class Order { ready, arrival };
enum class OnHoldTimeout { keep, release };
enum class Release { response, worker_idle };
enum class HalfClose { leave, stay };
enum class InsideCalls { wait, pass, pass_any, accept, refuse };
enum class Tunnel { bypass, release, hold };
enum class UnusualNames { drop, forward, refuse };
enum class MethodOverride { queue, remove, forward };
/// The same as in net/, a separate module.
enum class TlsVersion { v1_2, v1_3 };
enum class ClientAuth { off, optional, required };
enum class AccessFormat { off, json, combined };
enum class LogLevel { debug, info, warn, error };
using IdFormat = ids::Format;
enum class IdPolicy { generate, preserve_or_generate, preserve, disable };

/// What a browser gets in place of an answer's body.
struct Page {
    enum class Kind {
        automatic,  ///< the built-in page, unless a body is set
        off,        ///< what programs get
        on,         ///< the built-in page
        own         ///< `text`
    } kind = Kind::automatic;
    SharedText text;  ///< with placeholders
    bool operator==(const Page&) const = default;
};

/// One of the three settable error answers. Each field is inherited by itself.
template <class Form>
struct AnswerIn {
    In<Form, std::uint16_t> status = Form::initial(std::uint16_t{503});  ///< 400-599
    In<Form, std::string> content_type = Form::initial("application/problem+json");
    /// Text with placeholders; absent: the problem document (RFC 9457).
    In<Form, std::optional<SharedText>> body = Form::initial(std::nullopt);
    In<Form, Page> page = Form::initial(Page());
    In<Form, Headers> headers = {};  ///< added to the answer
    bool operator==(const AnswerIn&) const = default;
};
using Answer = AnswerIn<Whole>;

/// One id of a request: its headers, its format, and whether a client may set it.
template <class Form>
struct IdIn {
    /// Sent to the backend and the client in these headers; none: only logged.
    In<Form, std::vector<std::string>> headers = {};
    In<Form, IdFormat> format = Form::initial(IdFormat::uuidv7);    ///< of ticketgate's own ids
    In<Form, IdPolicy> policy = Form::initial(IdPolicy::generate);  ///< for ids from clients
    /// The request header that passes the client's value to the backend; empty: none.
    WholeOnly<Form, std::string> keep_client_in = {};
    bool operator==(const IdIn&) const = default;
};
using Id = IdIn<Whole>;

/// Makes the ids of this process differ from those of others. `auto`: from the environment or the
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
    std::map<std::string, IdIn<Form>> other;  ///< by their names in the log
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
    /// How to treat a skipped method if the request names another method.
    In<Form, MethodOverride> method_override = Form::initial(MethodOverride::queue);
    In<Form, milliseconds> wait_timeout = Form::initial(60s);    ///< from the ticket to the grant
    In<Form, std::uint32_t> max_waiting = Form::initial(1024u);  ///< tickets; 0: no waiting
    AnswerIn<Form> on_full = {};                                 ///< max_waiting tickets wait
    AnswerIn<Form> on_wait_timeout = {};                         ///< wait_timeout has passed
    AnswerIn<Form> on_cluster_away = {};  ///< no replica may grant to the clustered queue
    /// The status is 504 if the backend was silent, unless a route sets the status.
    AnswerIn<Form> on_backend_error{.status = Form::initial(std::uint16_t{502})};
    /// True if a route sets `on_backend_error.status`: then it applies to all errors.
    WholeOnly<Form, bool> on_backend_error_status_set = {};
    /// Whether a FIN while queued gives up the ticket.
    In<Form, HalfClose> client_half_close = Form::initial(HalfClose::leave);
    /// What a call from inside gets while a request of the queue is in flight (CONTRACT 10).
    In<Form, InsideCalls> inside_calls = Form::initial(InsideCalls::wait);
    In<Form, Bytes> max_body = Form::initial(128ull << 20);    ///< request body; 413 above
    In<Form, milliseconds> body_timeout = Form::initial(30s);  ///< upload silence; 408
    In<Form, Bytes> body_min_rate = Form::initial(500u);  ///< upload bytes a second; 408. 0: any
    In<Form, milliseconds> connect_timeout = Form::initial(5s);    ///< to the backend; 504
    In<Form, milliseconds> response_timeout = Form::initial(60s);  ///< backend silence; 504
    /// Response bytes buffered for a slow client.
    In<Form, Bytes> response_spool_max = Form::initial(256ull << 20);
    /// The longest time in which a slow client of a queued route lets the backend send less than a
    /// MiB.
    In<Form, milliseconds> hold_back_timeout = Form::initial(10s);
    In<Form, bool> server_timing = Form::initial(true);  ///< `Server-Timing` on responses
    /// When the slot of an upgraded connection or event stream is released.
    In<Form, Tunnel> tunnel = Form::initial(Tunnel::release);
    In<Form, milliseconds> tunnel_timeout = Form::initial(1h);  ///< silence in both directions
    /// Protocols that may be upgraded to; others are not passed to the backend.
    In<Form, std::vector<std::string>> upgrades =
        Form::initial(std::vector<std::string>{"websocket"});
    FilesIn<Form> files = {};  ///< of the upstream, with those of the route
    IdsIn<Form> ids = {};      ///< the file's ids, with the route's formats and policies
    bool operator==(const SettingsIn&) const = default;
};
using Settings = SettingsIn<Whole>;

struct Queue {
    std::uint32_t max_in_flight = 1;
    Order order = Order::ready;
    milliseconds hold_timeout = never;  ///< the longest time to hold a slot
    OnHoldTimeout on_hold_timeout = OnHoldTimeout::keep;
    Release release = Release::response;  ///< when the slot is released
    std::uint32_t max_inside = 8;         ///< calls from inside within one hold: deep, and beside
    bool cluster = false;                 ///< one line over all replicas of the cluster
    std::optional<std::string> token = "Fencing-Token";  ///< header of its number; absent: `off`
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

/// Where the scripts are, and which script a path selects.
struct Fcgi {
    std::string root;           ///< document root as php-fpm sees it, without a last slash
    bool resolve_root = false;  ///< tell the application where links lead from it
    std::optional<std::string> script = "/index.php";  ///< front controller; absent: `off`
    std::string index = "index.php";
    bool split = true;  ///< paths may select scripts
    Headers params;     ///< CGI variables
    bool keep_alive = false;
    std::optional<FcgiStatus> status;
    bool operator==(const Fcgi&) const = default;
};

/// TLS to a backend. Relative paths are already resolved.
struct UpstreamTls {
    bool verify = true;       ///< check its certificate: the signer and the name
    std::string ca_file;      ///< trusted signers; empty: the system's
    std::string server_name;  ///< SNI and the name to check; empty: the host of the url
    std::string certificate;  ///< the client certificate, if the backend wants one
    std::string key;
    bool operator==(const UpstreamTls&) const = default;
};

struct Upstream {
    std::string url;  ///< as written: http://host:port, https://host:port, unix:/path,
                      ///< fastcgi://host:port or fastcgi+unix:/path; `workers` for workers
    bool https = false;
    std::string host;  ///< host name or address; empty for a unix socket
    std::uint16_t port = 0;
    std::string unix_path;            ///< empty for TCP
    std::uint32_t max_idle = 64;      ///< pooled idle connections, a thread
    milliseconds idle_timeout = 4s;   ///< below Apache's KeepAliveTimeout of 5 s
    Bytes max_head = 64 << 10;        ///< response head; 502 above
    std::uint32_t max_headers = 200;  ///< fields in a response head; 502 above
    bool rewrite_location = true;     ///< rewrite redirects to its own address for clients
    std::optional<Fcgi> fcgi;         ///< absent: it speaks HTTP
    std::optional<Workers> workers;   ///< in place of a url
    UpstreamTls tls;                  ///< for https
    FilesOverrides files;             ///< of every route to it that does not set its own
    bool operator==(const Upstream&) const = default;
};

/// Requests to either reach the same processes in the same form; only the status page of php-fpm
/// and how connections are kept may differ.
bool same_backend(const Upstream& a, const Upstream& b);

/// A certificate chain and the key of its first certificate, as resolved paths.
struct CertificateFiles {
    std::string certificate, key;
    bool operator==(const CertificateFiles&) const = default;
};

/// TLS to the clients of one listener.
struct ListenTls {
    std::vector<CertificateFiles> certificates;  ///< the first also serves clients without SNI
    TlsVersion min_version = TlsVersion::v1_2;
    std::string client_ca;                     ///< signers of client certificates
    ClientAuth client_auth = ClientAuth::off;  ///< whether clients need a certificate
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
    std::string name = {};        ///< for `listener` of routes; empty: none
    bool operator==(const Listen&) const = default;
};

/// Limits and headers of clients, before a route is known.
struct Clients {
    std::uint32_t max_connections = 10000;  ///< open at one time; further ones wait in the backlog
    std::uint32_t max_connections_per_client = unlimited;  ///< from one address; 429 above
    std::uint32_t max_requests = unlimited;                ///< per connection
    Bytes max_head = 32 << 10;                             ///< request head; 431 above
    Bytes max_uri = 8 << 10;                               ///< request target; 414 above
    std::uint32_t max_headers = 100;                       ///< fields in a head; 431 above
    Bytes max_input = 64ull << 20;     ///< for all clients together; above: 503 or close
    milliseconds head_timeout = 10s;   ///< first byte of a head to its end; 408
    milliseconds idle_timeout = 60s;   ///< keep-alive between requests
    milliseconds write_timeout = 60s;  ///< longest silence of a client that reads its answer
    milliseconds linger_time = 30s;    ///< longest time to discard a refused upload,
    milliseconds linger_timeout = 5s;  ///< and its longest silence meanwhile; then it is closed
    UnusualNames unusual_names = UnusualNames::drop;  ///< fields that CGI servers cannot tell apart
    std::vector<std::string>
        trusted_proxies;  ///< CIDRs; extends their X-Forwarded-* instead of replacing them
    std::vector<std::string> inside;  ///< CIDRs from which only backends call
    /// Fields with a client's address, dropped unless a trusted proxy sent them. `default`: the
    /// list in proxy_headers.cpp.
    std::vector<std::string> address_headers{"default"};
    std::vector<std::string> path_headers{"default"};  ///< fields with another path, always dropped
    bool operator==(const Clients&) const = default;
};

/// Limits of connections to the admin listener.
struct AdminLimits {
    std::uint32_t max_connections = 64;
    std::uint32_t max_viewers = 32;    ///< of the live page
    milliseconds read_timeout = 10s;   ///< until the whole request has arrived
    milliseconds write_timeout = 10s;  ///< until the whole answer has been sent
    bool operator==(const AdminLimits&) const = default;
};

struct Spool {
    Bytes memory_per_body = 64 << 10;  ///< larger bodies go to an unlinked file
    Bytes max_memory = 64ull << 20;    ///< all spools together; then files
    Bytes max_disk = 4ull << 30;       ///< all files together; then 503
    std::string directory = "/tmp";
    bool operator==(const Spool&) const = default;
};

/// Serves noeqd's protocol on its own port.
struct IdService {
    Listen address;
    std::uint32_t datacenter = 0;          ///< 0-31
    std::uint32_t worker = unlimited;      ///< 0-31; `unlimited` is `auto`, as in Machine
    std::string token;                     ///< empty: not required
    std::string state_file;                ///< resolved; empty: none, a restart trusts the clock
    std::uint32_t max_connections = 1000;  ///< above: the longest idle one ends
    std::uint32_t max_connections_per_client = 100;  ///< above: its own longest idle one ends
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
    Bytes max_buffer = 1 << 20;  ///< per log, for a slow reader; more lines are dropped, counted
    bool operator==(const Log&) const = default;
};

}  // namespace ticketgate::config
