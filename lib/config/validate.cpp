#include "config/validate.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "config/networks.hpp"
#include "config/route_index.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {
namespace {

using Names = std::map<std::string, Upstream>;

void check_upstream_name(const Setting<std::string>& upstream, const std::string& path,
                         const Names& known, Problems& problems) {
    if (!upstream.value || known.contains(*upstream.value)) return;
    std::vector<std::string_view> names;
    for (const auto& [name, unused] : known) names.push_back(name);
    const auto near = nearest(*upstream.value, names);
    problems.error(upstream.mark, path + ".upstream",
                   "unknown upstream " + *upstream.value +
                       (near.empty() ? "; define it under upstreams" : hint(near)));
}

// True if another route surely encloses this one, by nesting, or by prefix and conditions.
bool is_enclosed(const Config& config, std::size_t index, const RouteIndex& routes) {
    if (config.routes[index].parent >= 0) return true;
    return routes.routes(routes.match_within(index)).size() > 1;
}

// Reports a route without an upstream, once, at the outermost route that lacks it.
void check_upstreams(const Config& config, Problems& problems) {
    check_upstream_name(config.defaults.upstream, "defaults", config.upstreams, problems);
    for (const RouteNode& route : config.routes)
        check_upstream_name(route.overrides.upstream, route.path, config.upstreams, problems);
    if (config.defaults.upstream.given()) return;
    const RouteIndex index(config);
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
        const RouteNode& route = config.routes[i];
        if (route.overrides.upstream.given() || is_enclosed(config, i, index)) continue;
        problems.error(route.mark, route.path,
                       "no upstream; write upstream: NAME here, or under defaults for all routes");
    }
}

// Of the route and those around it, as text; in order, so that equal ones are equal.
std::string all_conditions(const Config& config, const RouteNode& route) {
    std::string out = text_of(route.when);
    for (int i = route.parent; i >= 0; i = config.routes[static_cast<std::size_t>(i)].parent) {
        const auto outer = text_of(config.routes[static_cast<std::size_t>(i)].when);
        if (!outer.empty()) out.insert(0, outer + (out.empty() ? "" : "; "));
    }
    return out;
}

// Of the route and those around it. False: one that could not be read may tell it from others.
bool has_read_conditions(const Config& config, const RouteNode& route, const Problems& problems) {
    constexpr std::array conditions{".host", ".listener", ".methods", ".from", ".header"};
    const bool own = std::ranges::all_of(
        conditions, [&](const char* key) { return problems.has_read(route.path + key); });
    if (!own || route.parent < 0) return own;
    return has_read_conditions(config, config.routes[static_cast<std::size_t>(route.parent)],
                               problems);
}

void check_prefixes(const Config& config, Problems& problems) {
    std::map<std::string, const RouteNode*> seen;
    for (const RouteNode& route : config.routes) {
        if (route.is_regex() || !has_read_conditions(config, route, problems)) continue;
        const auto conditions = all_conditions(config, route);
        const auto [first, fresh] = seen.try_emplace(route.prefix + "\n" + conditions, &route);
        if (!fresh)
            problems.error(route.mark, route.path,
                           "prefix " + route.prefix +
                               (conditions.empty() ? "" : " with the same conditions") +
                               " stands twice; the first is in line " +
                               std::to_string(first->second->mark.line));
    }
    for (const RouteNode& route : config.routes) {
        if (route.is_regex() || route.parent < 0) continue;
        const auto& parent = config.routes[static_cast<std::size_t>(route.parent)].prefix;
        if (!encloses(parent, route.prefix))
            problems.error(route.mark, route.path,
                           "prefix " + route.prefix + " is not below " + parent +
                               ", the prefix it is nested in");
    }
}

// 0.0.0.0 takes each IPv4 address, and [::] those of both families.
bool takes(const Listen& listen, const Network& address) {
    const auto own = Network::parse(listen.host);
    const bool every = own && own->bytes == Network::parse(own->v4 ? "0.0.0.0" : "::")->bytes;
    return own && (own->bytes == address.bytes || (every && (!own->v4 || address.v4)));
}

std::filesystem::path plain(const std::string& path) {
    return std::filesystem::path(path).lexically_normal();
}

// True if the two listeners cannot both be bound.
bool collide(const Listen& a, const Listen& b) {
    if (!a.unix_path.empty() || !b.unix_path.empty())
        return plain(a.unix_path) == plain(b.unix_path);
    if (a.port != b.port || a.port == 0) return false;
    const auto at = Network::parse(a.host), by = Network::parse(b.host);
    return at && by && (takes(a, *by) || takes(b, *at));
}

std::string listen_path(std::size_t index) {
    return "listen[" + std::to_string(index) + "].address";
}

// The others are listed before it, so the message stands at the cluster's key.
void check_peer_address(const Config& config, Problems& problems) {
    if (!config.cluster) return;
    const Listen& own = config.cluster->peer.listen;
    const auto taken = [&](const std::string& by) {
        problems.error(config.mark_of("cluster.peer.listen"), "cluster.peer.listen",
                       "address " + own.address + " is taken by " + by +
                           "; the listener for replicas needs its own");
    };
    for (std::size_t i = 0; i < config.listen.size(); ++i)
        if (collide(own, config.listen[i])) taken(listen_path(i));
    if (config.admin && collide(own, *config.admin)) taken("admin.address");
    if (config.id_service && collide(own, config.id_service->address)) taken("id_service.address");
}

void check_addresses(const Config& config, Problems& problems) {
    check_peer_address(config, problems);
    for (std::size_t i = 0; i < config.listen.size(); ++i) {
        const Listen& listen = config.listen[i];
        const auto same = [&](const Listen& other) { return collide(listen, other); };
        const auto before = config.listen.begin() + static_cast<std::ptrdiff_t>(i);
        if (std::any_of(config.listen.begin(), before, same))
            problems.error(
                config.mark_of(listen_path(i)), listen_path(i),
                "address " + listen.address + " is already listened on by an entry above");
        if (config.admin && same(*config.admin))
            problems.error(config.mark_of("admin.address"), "admin.address",
                           "address " + config.admin->address + " is taken by " + listen_path(i) +
                               "; the admin listener needs its own");
        if (config.id_service && same(config.id_service->address))
            problems.error(config.mark_of("id_service.address"), "id_service.address",
                           "address " + config.id_service->address.address + " is taken by " +
                               listen_path(i) + "; the id service needs its own");
    }
    if (config.id_service && config.admin && collide(config.id_service->address, *config.admin))
        problems.error(config.mark_of("id_service.address"), "id_service.address",
                       "address " + config.id_service->address.address +
                           " is the admin listener's; the id service needs its own");
}

// Reports a certificate without its key, and TLS settings for a url without TLS.
void check_upstream_tls(const Config& config, Problems& problems) {
    for (const auto& [name, upstream] : config.upstreams) {
        const auto path = "upstreams." + name + ".tls";
        const auto error = [&](const std::string& key, const std::string& why) {
            problems.error(config.mark_of(path + key), path + key, why);
        };
        const UpstreamTls& tls = upstream.tls;
        if (!upstream.https && config.marks.contains(path))
            error("", "has no effect; write url: https://host:port");
        if (tls.certificate.empty() != tls.key.empty())
            error(tls.key.empty() ? ".certificate" : ".key", "set both certificate and key");
    }
}

void check_listen_tls(const Config& config, Problems& problems) {
    for (std::size_t i = 0; i < config.listen.size(); ++i) {
        const auto& tls = config.listen[i].tls;
        if (!tls || (tls->client_auth == ClientAuth::off) == tls->client_ca.empty()) continue;
        const auto path = "listen[" + std::to_string(i) + "].tls." +
                          (tls->client_ca.empty() ? "client_auth" : "client_ca");
        problems.error(
            config.mark_of(path), path,
            tls->client_ca.empty()
                ? "needs client_ca: the file with the CAs that sign clients' certificates"
                : "has no effect; write client_auth: required or optional");
    }
}

}  // namespace

void check_references(const Config& config, Problems& problems) {
    check_prefixes(config, problems);  // before errors that are about a route as a whole
    check_upstreams(config, problems);
    check_conditions(config, problems);
    check_addresses(config, problems);
    check_loops(config, problems);
    check_listen_tls(config, problems);
    check_upstream_tls(config, problems);
    check_ids(config, problems);
    check_proxy_headers(config, problems);
    check_answers(config, problems);
    check_files(config, problems);
    check_cluster(config, problems);
}

}  // namespace ticketgate::config
