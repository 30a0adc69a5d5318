#include "config/keys.hpp"

#include <algorithm>
#include <array>

namespace ticketgate::config {
namespace {

constexpr std::uint64_t kib = 1024, mib = kib * 1024, gib = mib * 1024, tib = gib * 1024;

constexpr Key duration(std::string_view name, std::string_view fallback, std::string_view why,
                       std::string_view word = {}, std::uint64_t min = 1) {
    return {.name = name,
            .kind = Kind::duration,
            .fallback = fallback,
            .why = why,
            .min = min,
            .max = year_ms,
            .word = word};
}
constexpr Key size(std::string_view name, std::string_view fallback, std::string_view why,
                   std::uint64_t min = 0, std::uint64_t max = 1024 * tib) {
    return {
        .name = name, .kind = Kind::size, .fallback = fallback, .why = why, .min = min, .max = max};
}
constexpr Key count(std::string_view name, std::string_view fallback, std::string_view why,
                    std::uint64_t min, std::uint64_t max, std::string_view word = {}) {
    return {.name = name,
            .kind = Kind::count,
            .fallback = fallback,
            .why = why,
            .min = min,
            .max = max,
            .word = word};
}
constexpr Key choice(std::string_view name, std::string_view fallback, std::string_view choices,
                     std::string_view why) {
    return {
        .name = name, .kind = Kind::choice, .fallback = fallback, .why = why, .choices = choices};
}
constexpr Key nested(std::string_view name, Kind kind, Section section, std::string_view why,
                     bool required = false) {
    return {.name = name,
            .kind = kind,
            .fallback = "",
            .why = why,
            .section = section,
            .required = required};
}
constexpr Key plain(std::string_view name, Kind kind, std::string_view fallback,
                    std::string_view why) {
    return {.name = name, .kind = kind, .fallback = fallback, .why = why};
}
constexpr Key required(std::string_view name, Kind kind, std::string_view why) {
    return {.name = name, .kind = kind, .fallback = "", .why = why, .required = true};
}

template <std::size_t A, std::size_t B>
constexpr auto both(const std::array<Key, A>& a, const std::array<Key, B>& b) {
    std::array<Key, A + B> all{};
    std::copy(a.begin(), a.end(), all.begin());
    std::copy(b.begin(), b.end(), all.begin() + A);
    return all;
}

constexpr std::array top_keys{
    nested("listen", Kind::list, Section::listen, "Where clients connect; at least one address.",
           true),
    Key{.name = "admin",
        .kind = Kind::section_or_off,
        .fallback = "off",
        .why = "Where /livez, /readyz and /metrics are served, apart from traffic; keep it on "
               "loopback.",
        .section = Section::admin},
    count("threads", "1",
          "I/O threads; one is enough for a sidecar, order and exclusion hold for any number.", 1,
          64),
    nested("upstreams", Kind::named, Section::upstream,
           "The backends, by the names that routes use.", true),
    nested("queues", Kind::named, Section::queue,
           "Optional: a queue that is only named in a route exists with these defaults."),
    nested("defaults", Kind::section, Section::settings,
           "Settings of every route that says nothing else."),
    nested("routes", Kind::list, Section::route,
           "What is served, and in which line; a path that no route matches gets 404.", true),
    count("route_cache", "1000",
          "Combinations of regex routes whose merged settings are kept; those of others are merged "
          "for each request.",
          1, 1000000),
    nested("clients", Kind::section, Section::clients,
           "Limits towards clients, before a route is known."),
    nested("spool", Kind::section, Section::spool,
           "Where bodies wait: in memory first, then in files."),
    nested("ids", Kind::section, Section::ids, "The ids that every request to a backend carries."),
    Key{.name = "id_service",
        .kind = Kind::section_or_off,
        .fallback = "off",
        .why = "Numbers for other programs over noeqd's protocol; GET /api/v1/ids on the admin "
               "listener needs none of it.",
        .section = Section::id_service},
    nested("log", Kind::section, Section::log, "The access log and the operational log."),
    duration("drain_timeout", "30s",
             "How long the line may finish after SIGTERM before what is left is cut.", {}, 0),
};

constexpr std::array address_keys{
    required("address", Kind::address,
             "IP address and port, as 0.0.0.0:8080 or [::]:8080, or unix:/path."),
};

constexpr std::array listen_tls_keys{
    nested("certificates", Kind::list, Section::certificate,
           "One, or several for several names; the first is also for clients that name nobody.",
           true),
    choice("min_version", "1.2", "1.2|1.3", "Oldest version of TLS."),
    plain("client_ca", Kind::file, "",
          "A PEM file of those who sign clients' certificates, relative to this file; for "
          "client_auth."),
    choice("client_auth", "off", "off|optional|required",
           "Must a client have a certificate? One that client_ca did not sign is refused either "
           "way."),
};

constexpr std::array certificate_keys{
    required("certificate", Kind::file,
             "A PEM file with the certificate and those between it and a root, relative to this "
             "file."),
    required("key", Kind::file, "A PEM file with its private key, without a passphrase."),
};

constexpr std::array upstream_tls_keys{
    plain("verify", Kind::flag, "true",
          "Must the backend's certificate be signed by ca_file and be for server_name? Else 502."),
    plain("ca_file", Kind::file, "",
          "A PEM file of those who may sign it, relative to this file; without, the system's."),
    plain("server_name", Kind::text, "",
          "The name in its certificate, also sent as SNI; without, the host of the url."),
    plain("certificate", Kind::file, "",
          "Our own, for a backend that asks for one: a PEM file as of a listener."),
    plain("key", Kind::file, "", "The private key of certificate."),
};

constexpr std::array own_listen_keys{
    nested("tls", Kind::section, Section::listen_tls,
           "HTTPS on this address; without, plain HTTP."),
    plain("proxy_protocol", Kind::flag, "false",
          "Each connection begins with a PROXY header (version 1 or 2) that names the client; only "
          "trusted_proxies and this machine may send one."),
};
constexpr auto listen_keys = both(address_keys, own_listen_keys);

constexpr std::array admin_keys{
    required("address", Kind::address,
             "IP address and port, as 127.0.0.1:9901, or unix:/path; best reached from here only."),
    plain("token", Kind::text, "",
          "Lets others than this machine's own programs use write actions: Authorization: Bearer."),
    count("max_connections", "64",
          "Open at one time; one more closes the one that has asked for nothing longest.", 1,
          10000),
    duration("read_timeout", "10s", "Until a request is there, whole; then it is closed."),
    duration("write_timeout", "10s", "Until an answer is taken, whole; then it is closed."),
};

constexpr std::array upstream_keys{
    required(
        "url", Kind::url,
        "http://host:port, https://host:port or unix:/path; for php-fpm fastcgi://host:port or "
        "fastcgi+unix:/path. Paths are always the client's own."),
    nested("fastcgi", Kind::section, Section::fcgi,
           "With a fastcgi url: where the scripts are, and which one a path names."),
    count("max_idle", "64", "Idle connections kept for reuse, a thread.", 0, 100000),
    duration("idle_timeout", "4s",
             "Closed after this long unused; stay below the backend's own keep-alive time."),
    size("max_head", "64KiB", "Largest response head; 502 above.", kib, mib),
    count("max_headers", "200", "Fields in a response head; 502 above.", 1, 10000),
    nested("tls", Kind::section, Section::upstream_tls, "Of https."),
};

constexpr std::array fcgi_keys{
    required("root", Kind::folder,
             "The document root as php-fpm sees it: it may be another container's."),
    plain("script", Kind::script, "/index.php",
          "Serves every path that names no .php file (a front controller). off: index does."),
    plain("index", Kind::file_name, "index.php",
          "With script: off, the script of a path that names a folder."),
    plain("split", Kind::flag, "true",
          "A path may name a script: its first segment that ends in .php; what follows is "
          "PATH_INFO. false: every path goes to script."),
    plain("params", Kind::variables, "{}", "More CGI variables, or other values for known ones."),
    plain("keep_alive", Kind::flag, "false",
          "Keeps connections (FCGI_KEEP_CONN). Each idle one occupies a worker of php-fpm."),
    nested("status", Kind::section, Section::fcgi_status,
           "php-fpm's pm.status_listen, for queues with release: worker_idle."),
};

constexpr std::array fcgi_status_keys{
    required("url", Kind::fcgi_url,
             "fastcgi://host:port or fastcgi+unix:/path: pm.status_listen, which answers even "
             "when every worker is busy."),
    plain("path", Kind::script, "/status", "pm.status_path."),
};

constexpr std::array queue_keys{
    count("max_in_flight", "1", "Requests the backend may have at one time; 1 is mutual exclusion.",
          1, 100000),
    choice("order", "ready", "ready|arrival",
           "ready: an unfinished upload is passed by, its number kept; arrival: it is waited for."),
    duration("hold_timeout", "never", "How long one request may hold its slot; never fails closed.",
             "never"),
    choice("on_hold_timeout", "keep", "keep|release",
           "keep: the slot stays held and is reported; release: fails open, two may run at once."),
    choice("release", "response", "response|worker_idle",
           "When the slot goes back. response: at the response's end; worker_idle: once php-fpm's "
           "status also says that no worker still runs it (after fastcgi_finish_request())."),
};

constexpr std::array settings_keys{
    plain("upstream", Kind::name, "", "The backend, by its name under upstreams."),
    plain("queue", Kind::queue, "off",
          "The line to stand in, by name; routes with the same name share it. off: not queued."),
    plain("skip_methods", Kind::methods, "[]", "Methods that are not queued, such as [OPTIONS]."),
    choice(
        "method_override", "queue", "queue|remove|forward",
        "A request of skip_methods that names another method for frameworks, in "
        "X-HTTP-Method-Override, X-HTTP-Method or X-Method-Override, or as _method in its query. "
        "queue: it is queued after all; remove: the headers are dropped, one with _method is "
        "queued; forward: neither."),
    duration("wait_timeout", "60s", "Longest time in line, from the ticket; then on_wait_timeout.",
             "never"),
    count("max_waiting", "1024",
          "Tickets that may wait, those in flight not counted; then on_full. 0: nobody waits.", 0,
          10000000, "unlimited"),
    nested("on_full", Kind::section, Section::answer,
           "The answer when max_waiting tickets wait already."),
    nested("on_wait_timeout", Kind::section, Section::answer,
           "The answer when wait_timeout has passed in line."),
    nested("on_backend_error", Kind::section, Section::answer,
           "The answer when the backend refused or broke (502) or was silent (504); a status set "
           "here is for all."),
    choice("client_half_close", "leave", "leave|stay",
           "What a FIN means while queued. leave: the client is gone, its ticket too; stay: keep "
           "its place."),
    size("max_body", "128MiB", "Largest request body; 413 above."),
    duration("body_timeout", "30s", "Longest silence while a request body arrives; 408."),
    size("body_min_rate", "500B",
         "Bytes a second of a request body on the whole, after a body_timeout's grace; 408. 0: any "
         "rate."),
    duration("connect_timeout", "5s", "Longest time for a connection to the backend; 504."),
    duration("response_timeout", "60s",
             "Longest silence of the backend; 504, the slot stays held."),
    size("response_spool_max", "256MiB",
         "Response bytes kept ahead of a slow client; above, the backend waits."),
    plain("server_timing", Kind::flag, "true",
          "Server-Timing on responses: time in line and in the backend."),
    choice(
        "tunnel", "release", "bypass|release|hold",
        "The slot of a WebSocket or event stream. release: back when it begins; hold: kept to its "
        "end; bypass: who asks for one is not queued."),
    duration("tunnel_timeout", "1h",
             "Longest silence, in both directions, of a WebSocket or event stream.", "never"),
    plain("upgrades", Kind::protocols, "[websocket]",
          "Protocols that a connection may be upgraded to; [] for none."),
    nested("ids", Kind::section, Section::route_ids,
           "Other headers, formats or policies of ids here."),
};

constexpr std::array answer_keys{
    Key{.name = "status",
        .kind = Kind::status,
        .fallback = "503",
        .why = "400 to 599. Of on_backend_error, unless set: 502, and 504 when the backend was "
               "silent.",
        .min = 400,
        .max = 599},
    Key{.name = "content_type",
        .kind = Kind::media_type,
        .fallback = "application/problem+json",
        .why = "Of the body."},
    plain("body", Kind::body, "null",
          "Text of any size; ${request_id} ${unique_id} ${queue} ${waited_ms} ${waiting} "
          "${retry_after} are "
          "filled in, $${queue} is the text ${queue}. null: the default problem document."),
    plain("body_file", Kind::body_file, "",
          "A file with the body instead, relative to this file; read once. Every other ${x} in it "
          "stays as it is."),
    plain("headers", Kind::headers, "{}", "Headers added to the answer."),
};

constexpr std::array own_route_keys{
    plain("prefix", Kind::prefix, "",
          "Whole segments: /a is /a and /a/b, not /ab; the longest match decides last."),
    plain("regex", Kind::regex, "",
          "RE2, found anywhere in the normalised path; applied after all prefixes, in the order of "
          "the file."),
    nested("routes", Kind::list, Section::route,
           "Routes below this prefix; each says only what differs."),
};
constexpr auto route_keys = both(own_route_keys, settings_keys);

constexpr std::array clients_keys{
    count("max_connections", "10000", "Accepted at one time; more wait in the kernel's backlog.", 1,
          1000000),
    count(
        "max_connections_per_client", "unlimited",
        "Of one IPv4 address or IPv6 /64 at one time; 429 above. trusted_proxies are not counted.",
        1, 1000000, "unlimited"),
    count("max_requests", "unlimited", "Requests a connection.", 1, 1000000000, "unlimited"),
    size("max_head", "32KiB", "Largest request head; 431 above.", kib, mib),
    size("max_uri", "8KiB", "Longest request target; 414 above.", 64, mib),
    count("max_headers", "100", "Fields in a request head; 431 above.", 1, 10000),
    size("max_input", "64MiB",
         "Kept for all clients together: heads that are not whole yet, and requests sent behind "
         "one that is served, which may have half of it. 503 above, or the connection ends with "
         "the answer at hand.",
         64 * kib),
    duration("head_timeout", "10s", "From the first byte of a head to its end; 408."),
    duration("idle_timeout", "60s", "Keep-alive between requests."),
    duration("write_timeout", "60s",
             "A client that takes nothing of its answer for this long is dropped."),
    duration("linger_time", "30s",
             "After an answer that ends the connection in mid upload (413, say), what the client "
             "still sends is read and dropped for at most this long, so that it sees the answer.",
             {}, 0),
    duration("linger_timeout", "5s", "The same, but of silence: then the connection is closed."),
    choice("unusual_names", "drop", "drop|forward|refuse",
           "Fields whose names have other characters than letters, digits and hyphens, such as "
           "X_Real_IP: CGI and FastCGI servers take them for X-Real-IP. refuse: 400."),
    plain("trusted_proxies", Kind::networks, "[]",
          "CIDRs whose X-Forwarded-* headers are extended, not replaced, and whose ids may be "
          "kept; unix: whoever connects to a unix socket of ours."),
    plain(
        "address_headers", Kind::header_names, "[default]",
        "Headers with a client's address (X-Real-IP, CF-Connecting-IP), dropped in every spelling "
        "unless one of trusted_proxies sent them. default: those listed in "
        "docs/recipes/behind-another-proxy.md."),
    plain("path_headers", Kind::header_names, "[default]",
          "Headers that some frameworks take for the path (X-Original-URL, X-Rewrite-URL), dropped "
          "in every spelling, a trusted proxy's too. default: those listed in "
          "docs/configuration.md."),
};

constexpr std::array spool_keys{
    size("memory_per_body", "64KiB", "Above it a body goes to an unlinked file."),
    size("max_memory", "64MiB", "All bodies in memory together; above it they go to files."),
    size("max_disk", "4GiB",
         "All files together; 503 above. Unless set, at most a quarter of the memory where the "
         "directory lies in memory (tmpfs)."),
    plain("directory", Kind::text, "/tmp", "Where the unlinked files are made."),
};

constexpr std::array ids_keys{
    nested("request_id", Kind::section, Section::id,
           "The request id: X-Request-Id, as txid, unless said."),
    nested("unique_id", Kind::section, Section::id,
           "The unique id: UNIQUE_ID and Unique-Id, as httpd_2_4_47, unless said. nginx and Apache "
           "drop the first header, PHP sees the second."),
    nested("other", Kind::named, Section::id,
           "More ids, by the names that the access log gives them."),
    nested("machine", Kind::section, Section::machine,
           "Who makes the ids: for snowflake, and for httpd up to 2.4.28."),
};

constexpr std::string_view id_formats =
    "txid|uuidv7|uuidv4|ulid|hex128|snowflake|httpd_1_3|httpd_1_3_threads|httpd_2_0|httpd_2_4_29|"
    "httpd_2_4_47|httpd_2_4_49";
constexpr std::string_view id_policies = "generate|preserve_or_generate|preserve|disable";

constexpr std::array route_id_keys{
    plain("header", Kind::header_name, "", "Its header, to the backend and to the client."),
    plain("headers", Kind::header_names, "", "Its headers, if there are several or none."),
    choice("format", "", id_formats,
           "How it is made: httpd_2_4_47 is what Apache makes now, httpd_2_4_49 the same with its "
           "counter modulo 65535; of other ids, unless said, uuidv7."),
    choice("policy", "", id_policies,
           "generate: always ours; preserve_or_generate: a trusted proxy's, else ours; preserve: a "
           "trusted proxy's or none; disable: none. Whatever else came in is removed."),
};

constexpr std::array own_id_keys{
    plain("keep_client_in", Kind::header_name, "",
          "A header to the backend with the value that the client sent, where ours replaced it."),
};
constexpr auto id_keys = both(own_id_keys, route_id_keys);

constexpr std::array route_ids_keys{
    nested("request_id", Kind::section, Section::route_id, "The request id."),
    nested("unique_id", Kind::section, Section::route_id, "The unique id."),
    nested("other", Kind::named, Section::route_id, "Those of ids.other, by name."),
};

constexpr std::array machine_keys{
    plain("address", Kind::text, "auto",
          "IPv4 address; auto: TICKETGATE_ADDRESS, else the first of this machine but loopback."),
    count("worker", "auto",
          "A number that no other process of the datacenter has; auto: TICKETGATE_WORKER, else the "
          "number at the end of the host name, as in web-3.",
          0, 31, "auto"),
    count("datacenter", "0", "A number that the machines of one place share.", 0, 31),
};

constexpr std::array id_service_keys{
    required("address", Kind::address, "Where its clients connect; noeqd's port is 4444."),
    count("datacenter", "0", "A number that the machines of one place share.", 0, 31),
    count("worker", "auto",
          "A number that no other process of the datacenter has; auto: as ids.machine.worker.", 0,
          31, "auto"),
    plain("token", Kind::text, "",
          "What a client must send first, 255 bytes at most; without, anybody may ask."),
    plain("token_file", Kind::body_file, "", "A file with it instead, relative to this file."),
    plain(
        "state_file", Kind::file, "",
        "Where the time of the last id survives a restart with the clock behind, relative to this "
        "file; without, the clock is trusted."),
    count("max_connections", "1000",
          "Open at one time; above, the one that is idle for longest is closed.", 1, 1000000),
    count("max_connections_per_client", "100",
          "Of one IPv4 address or IPv6 /64; above, its own that is idle for longest is closed.", 1,
          1000000, "unlimited"),
    duration("login_timeout", "10s", "From the connection to the whole token."),
    duration("idle_timeout", "10m", "A client that asks for nothing this long is dropped."),
    duration("write_timeout", "10s",
             "A client that takes nothing of its ids this long is dropped."),
    duration(
        "clock_wait", "2s",
        "How far behind the last id the clock is waited for; further behind, the connection is "
        "closed.",
        {}, 0),
};

constexpr std::array log_keys{
    choice("access", "json", "off|json|combined", "Format of the access log."),
    plain("access_file", Kind::text, "-", "Where it goes; - is stdout. SIGUSR1 opens it again."),
    choice("level", "info", "debug|info|warn|error", "Of the operational log, on stderr."),
    size("max_buffer", "1MiB",
         "Lines of each of the two logs waiting for a slow reader; above it they are dropped, "
         "counted, and the loss is told.",
         4 * kib, gib),
};

}  // namespace

std::span<const Key> keys_of(Section section) {
    switch (section) {
        case Section::top:
            return top_keys;
        case Section::address:
            return address_keys;
        case Section::listen:
            return listen_keys;
        case Section::listen_tls:
            return listen_tls_keys;
        case Section::certificate:
            return certificate_keys;
        case Section::admin:
            return admin_keys;
        case Section::upstream:
            return upstream_keys;
        case Section::upstream_tls:
            return upstream_tls_keys;
        case Section::fcgi:
            return fcgi_keys;
        case Section::fcgi_status:
            return fcgi_status_keys;
        case Section::queue:
            return queue_keys;
        case Section::settings:
            return settings_keys;
        case Section::answer:
            return answer_keys;
        case Section::route:
            return route_keys;
        case Section::clients:
            return clients_keys;
        case Section::spool:
            return spool_keys;
        case Section::ids:
            return ids_keys;
        case Section::id:
            return id_keys;
        case Section::machine:
            return machine_keys;
        case Section::route_ids:
            return route_ids_keys;
        case Section::route_id:
            return route_id_keys;
        case Section::id_service:
            return id_service_keys;
        case Section::log:
            return log_keys;
    }
    return {};
}

std::string_view name_of(Section section) {
    constexpr std::array<std::string_view, 23> names{
        "config",   "address",      "listen",   "listen_tls",     "certificate", "admin",
        "upstream", "upstream_tls", "fastcgi",  "fastcgi_status", "queue",       "settings",
        "answer",   "route",        "clients",  "spool",          "ids",         "id",
        "machine",  "route_ids",    "route_id", "id_service",     "log"};
    return names[static_cast<std::size_t>(section)];
}

const Key* find_key(Section section, std::string_view name) {
    const auto keys = keys_of(section);
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.name == name; });
    return found == keys.end() ? nullptr : &*found;
}

}  // namespace ticketgate::config
