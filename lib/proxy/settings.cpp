#include "proxy/settings.hpp"

#include <algorithm>

namespace ticketgate {
namespace {

// The share of memory, as a divisor, for spool files that lie in it.
constexpr std::uint64_t share_of_files = 4;

queue::Order order_of(config::Order order) {
    return order == config::Order::ready ? queue::Order::ready : queue::Order::arrival;
}

std::string in_url(const std::string& host) {
    return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

std::string host_and_port(const std::string& host, std::uint16_t port) {
    return in_url(host) + ":" + std::to_string(port);
}

// As nginx's $proxy_host; a backend on a unix socket is on this machine.
std::string authority_of(const config::Upstream& upstream) {
    if (!upstream.unix_path.empty()) return "localhost";
    const bool usual = upstream.port == (upstream.https ? 443 : 80);
    return usual ? in_url(upstream.host) : host_and_port(upstream.host, upstream.port);
}

// A unix socket has no port that could leak.
std::optional<http::BackendAddress> redirects_of(const config::Upstream& upstream) {
    if (!upstream.rewrite_location || !upstream.unix_path.empty()) return std::nullopt;
    return http::BackendAddress{upstream.https, in_url(upstream.host), upstream.port};
}

}  // namespace

GateSettings gate_settings(const config::Queue& queue) {
    GateSettings settings;
    settings.limits.max_in_flight = queue.max_in_flight;
    settings.limits.order = order_of(queue.order);
    settings.hold_timeout = queue.hold_timeout;
    settings.on_hold_timeout = queue.on_hold_timeout == config::OnHoldTimeout::keep
                                   ? OnHoldTimeout::keep
                                   : OnHoldTimeout::release;
    settings.max_inside = queue.max_inside;
    settings.worker_idle = queue.release == config::Release::worker_idle;
    return settings;
}

UpstreamSettings upstream_settings(const config::Upstream& upstream) {
    UpstreamSettings settings;
    settings.host = upstream.host;
    settings.port = upstream.port;
    settings.unix_path = upstream.unix_path;
    settings.authority = authority_of(upstream);
    settings.redirects = redirects_of(upstream);
    settings.max_idle = upstream.max_idle;
    settings.head_limits.max_head = upstream.max_head;
    settings.head_limits.max_headers = upstream.max_headers;
    settings.idle_timeout = upstream.idle_timeout;
    return settings;
}

FcgiSettings fcgi_settings(const config::Fcgi& fcgi) {
    FcgiSettings settings;
    settings.scripts.root = fcgi.root;
    settings.resolve_root = fcgi.resolve_root;
    settings.scripts.front = fcgi.script.value_or("");
    settings.scripts.index = fcgi.index;
    settings.scripts.split = fcgi.split;
    settings.scripts.params = fcgi.params;
    settings.keep_alive = fcgi.keep_alive;
    if (fcgi.status) {
        settings.status.emplace();
        settings.status->host = fcgi.status->host;
        settings.status->port = fcgi.status->port;
        settings.status->unix_path = fcgi.status->unix_path;
        settings.status->authority = host_and_port(fcgi.status->host, fcgi.status->port);
        settings.status_path = fcgi.status->path;
    }
    return settings;
}

Level log_level(config::LogLevel level) {
    return static_cast<Level>(level);
}

net::Endpoint endpoint_of(const config::Listen& listen) {
    if (!listen.unix_path.empty()) return *net::Endpoint::from_unix(listen.unix_path);
    return *net::Endpoint::from_ip(listen.host, listen.port);
}

std::vector<config::Listen> listeners_of(const config::Config& config) {
    auto all = config.listen;
    if (config.cluster) all.push_back(config::peer_listener(config.cluster->peer));
    return all;
}

config::Bytes spool_disk(const config::Spool& spool, bool max_disk_given, const Memory& memory) {
    if (max_disk_given || !memory.spool_in_memory) return spool.max_disk;
    return std::min<config::Bytes>(spool.max_disk, memory.limit / share_of_files);
}

bool gives_max_disk(const config::Config& config) {
    return config.marks.contains("spool.max_disk");
}

http::SpoolBudget::Limits spool_limits(const config::Config& config, const Memory& memory) {
    const config::Spool& spool = config.spool;
    return {spool.memory_per_body, spool.max_memory,
            spool_disk(spool, gives_max_disk(config), memory), spool.directory};
}

}  // namespace ticketgate
