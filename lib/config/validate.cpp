#include "config/validate.hpp"

#include <algorithm>
#include <map>

#include "base/text.hpp"
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

// Returns the innermost route that surely encloses this one, by nesting or by prefix; -1: none.
int enclosing(const Config& config, std::size_t index) {
    const RouteNode& route = config.routes[index];
    int best = -1;
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
        const RouteNode& other = config.routes[i];
        if (i == index || other.is_regex()) continue;
        const bool outer =
            route.is_regex() ? other.prefix == "/" || static_cast<int>(i) == route.parent
                             : other.prefix != route.prefix && encloses(other.prefix, route.prefix);
        if (outer && (best < 0 || other.prefix.size() >=
                                      config.routes[static_cast<std::size_t>(best)].prefix.size()))
            best = static_cast<int>(i);
    }
    return best;
}

// Reports a route without an upstream, once, at the outermost route that lacks it.
void check_upstreams(const Config& config, Problems& problems) {
    check_upstream_name(config.defaults.upstream, "defaults", config.upstreams, problems);
    for (const RouteNode& route : config.routes)
        check_upstream_name(route.overrides.upstream, route.path, config.upstreams, problems);
    if (config.defaults.upstream.given()) return;
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
        const RouteNode& route = config.routes[i];
        if (route.overrides.upstream.given() || enclosing(config, i) >= 0) continue;
        problems.error(route.mark, route.path,
                       "no upstream; write upstream: NAME here, or under defaults for all routes");
    }
}

void check_prefixes(const Config& config, Problems& problems) {
    std::map<std::string_view, const RouteNode*> seen;
    for (const RouteNode& route : config.routes) {
        if (route.is_regex()) continue;
        const auto [first, fresh] = seen.try_emplace(route.prefix, &route);
        if (!fresh)
            problems.error(route.mark, route.path,
                           "prefix " + route.prefix + " stands twice; the first is in line " +
                               std::to_string(first->second->mark.line));
        if (route.parent < 0) continue;
        const auto& parent = config.routes[static_cast<std::size_t>(route.parent)].prefix;
        if (!encloses(parent, route.prefix))
            problems.error(route.mark, route.path,
                           "prefix " + route.prefix + " is not below " + parent +
                               ", the prefix it is nested in");
    }
}

// True if the two listeners cannot both be bound, such as `0.0.0.0` and another address with the
// same port.
bool collide(const Listen& a, const Listen& b) {
    if (!a.unix_path.empty() || !b.unix_path.empty()) return a.unix_path == b.unix_path;
    if (a.port != b.port || a.port == 0) return false;
    const auto v6 = [](const Listen& l) { return l.host.find(':') != std::string::npos; };
    return a.host == b.host || (v6(a) == v6(b) && (a.host == "0.0.0.0" || b.host == "0.0.0.0" ||
                                                   a.host == "::" || b.host == "::"));
}

std::string listen_path(std::size_t index) {
    return "listen[" + std::to_string(index) + "].address";
}

void check_addresses(const Config& config, Problems& problems) {
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
        const auto error = [&, &name = path](const std::string& key, const std::string& why) {
            problems.error(config.mark_of(name + key), name + key, why);
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
    check_upstreams(config, problems);
    check_prefixes(config, problems);
    check_addresses(config, problems);
    check_loops(config, problems);
    check_listen_tls(config, problems);
    check_upstream_tls(config, problems);
    check_ids(config, problems);
    check_proxy_headers(config, problems);
    check_answers(config, problems);
}

}  // namespace ticketgate::config
