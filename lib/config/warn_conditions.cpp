// Conditions of routes, taken together: what they name, and what no request can fulfil.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "config/each_id.hpp"
#include "config/proxy_headers.hpp"
#include "config/route_index.hpp"
#include "config/syntax.hpp"
#include "config/validate.hpp"
#include "config/walk.hpp"

namespace ticketgate::config {
namespace {

// Each host of each route takes a place in the index; nested routes have the hosts around them.
constexpr std::size_t max_hosts = 100000;

void check_names(const Config& config, Problems& problems) {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < config.listen.size(); ++i) {
        const std::string& name = config.listen[i].name;
        if (name.empty() || seen.insert(name).second) continue;
        const auto path = "listen[" + std::to_string(i) + "].name";
        problems.error(config.mark_of(path), path, "name " + name + " stands twice");
    }
}

void check_listeners(const Config& config, Problems& problems) {
    std::vector<std::string_view> known;
    for (const Listen& listen : config.listen)
        if (!listen.name.empty()) known.push_back(listen.name);
    for (const RouteNode& route : config.routes)
        for (const auto& name : route.when.listeners) {
            if (std::ranges::find(known, name) != known.end()) continue;
            const auto near = nearest(name, known);
            const auto path = route.path + ".listener";
            problems.error(
                config.mark_of(path), path,
                "unknown listener " + name +
                    (near.empty() ? "; name it: listen: [{address: …, name: " + name + "}]"
                                  : hint(near)));
        }
}

void check_number(const Config& config, Problems& problems) {
    std::vector<std::size_t> hosts;
    std::size_t total = 0;
    for (const RouteNode& route : config.routes) {
        const std::size_t around =
            route.parent < 0 ? 0 : hosts[static_cast<std::size_t>(route.parent)];
        hosts.push_back(std::max(route.when.hosts.size(), around));
        total += hosts.back();
        if (total <= max_hosts) continue;
        problems.error(route.mark, route.path,
                       "more than 100000 hosts in all routes, those of nested routes counted for "
                       "each; write *.example.org for many names");
        return;
    }
}

// A stranger would choose the route by a value that the backend never gets.
std::string why_not_seen(const Config& config, const std::string& name) {
    const auto same = [&](const std::string& one) { return same_to_cgi(one, name); };
    if (std::ranges::any_of(address_headers(config.clients), same))
        return "any client can send it, and ticketgate removes it (clients.address_headers); "
               "write from: or listener:";
    if (std::ranges::any_of(path_headers(config.clients), same))
        return "any client can send it, and ticketgate removes it (clients.path_headers); write "
               "prefix: or regex:";
    bool of_id = false;
    for_each_own_id(config.ids, [&](const std::string&, const Id& id) {
        of_id = of_id || std::ranges::any_of(id.headers, same);
    });
    return of_id ? "any client can send it, and the backend gets ticketgate's own (ids)" : "";
}

void check_headers(const Config& config, Problems& problems) {
    for (const RouteNode& route : config.routes)
        for (const HeaderCondition& condition : route.when.headers) {
            const auto why = why_not_seen(config, condition.name);
            const auto path = route.path + ".header";
            if (!why.empty())
                problems.error(config.mark_of(path), path, condition.name + ": " + why);
        }
}

bool says(const Walked& setting) {
    return setting.mark().line != 0;
}

// Does `later` set all that `earlier` sets?
bool replaces(const RouteOverrides& later, const RouteOverrides& earlier) {
    if (!earlier.ids.other.empty()) return false;
    std::set<std::string> set;
    Settings unused;
    walk(Section::settings, &later, &unused, [&](const Walked& setting) {
        if (says(setting)) set.insert(setting.name());
    });
    bool all = true;
    walk(Section::settings, &earlier, &unused, [&](const Walked& setting) {
        all = all && (!says(setting) || set.contains(setting.name()));
    });
    return all;
}

class Checker {
 public:
    Checker(const Config& config, Problems& problems)
        : config_(config), problems_(problems), index_(config) {
        for (const RouteNode& route : config.routes)
            if (route.parent >= 0) parents_.insert(route.parent);
    }

    void look_at(std::size_t i) {
        const RouteNode& route = config_.routes[i];
        const Conditions* const when = index_.conditions(i);
        if (when == nullptr) {
            if (!route.when.empty())
                warn(route,
                     "never applies: no request fulfils both its conditions and those of "
                     "the routes around it");
            return;
        }
        const auto refused = [](const auto& method) {
            return method == "CONNECT" || method == "TRACE";
        };
        if (!when->methods.empty() && std::ranges::all_of(when->methods, refused))
            warn(route, "never applies: ticketgate refuses CONNECT and TRACE with 405");
        if (!route.when.empty() && !route.is_regex() && !parents_.contains(static_cast<int>(i)))
            look_for_later(i);
        if (!when->hosts.empty()) look_for_bypass(i, when->hosts);
    }

    // A route without a host, below the prefix of a site or with conditions of its own: a request
    // with any other Host reaches the site's backend through it.
    void look_past_sites(std::size_t i) {
        const Conditions* const when = index_.conditions(i);
        if (when == nullptr || !when->hosts.empty()) return;
        const RouteNode& route = config_.routes[i];
        const Settings bare = index_.resolve(index_.match_within(i));
        const auto found = sites_.find(bare.upstream);
        if (found == sites_.end()) return;
        std::erase_if(found->second, [&](const auto& site) {
            const auto& [queue, host] = site;
            if (queue == bare.queue) return false;
            warn(route, "a request with another Host than " + host + " goes to the same upstream " +
                            bare.upstream + " by this route, and not through queue " + queue +
                            "; give it that queue, or a host");
            return true;
        });
    }

 private:
    void warn(const RouteNode& route, const std::string& why) {
        problems_.warn(route.mark, route.path, why);
    }

    // Routes with the same prefix, wherever this one applies and behind it.
    void look_for_later(std::size_t i) {
        const RouteNode& route = config_.routes[i];
        const auto chain = index_.routes(index_.match_within(i));
        auto at = std::ranges::find(chain, route.path, &RouteNode::path);
        if (at == chain.end()) return;
        for (++at; at != chain.end(); ++at) {
            if (!replaces((*at)->overrides, route.overrides)) continue;
            warn(route, "has no effect: the route in line " + std::to_string((*at)->mark.line) +
                            " applies to the same requests after it, and sets all that it sets");
            return;
        }
    }

    // Servers that do not know a name serve some site of theirs.
    void look_for_bypass(std::size_t i, const std::vector<std::string>& hosts) {
        const RouteNode& route = config_.routes[i];
        const Settings own = index_.resolve(index_.match_within(i));
        if (!own.queue) return;
        auto& queues = sites_[own.upstream];
        if (!queues.try_emplace(*own.queue, hosts.front()).second || route.is_regex()) return;
        const auto other = index_.match(route.prefix);
        if (!other.matched()) return;
        const Settings bare = index_.resolve(other);
        if (bare.queue == own.queue || bare.upstream != own.upstream) return;
        queues.erase(*own.queue);
        warn(route, "a request with another Host than " + hosts.front() +
                        " goes to the same upstream " + own.upstream + ", and not through queue " +
                        *own.queue +
                        "; give the routes without a host that queue, or remove them "
                        "(other hosts then get 421)");
    }

    const Config& config_;
    Problems& problems_;
    const RouteIndex index_;
    std::set<int> parents_;
    // The sites' queues by upstream, each with a host of it; without those that were warned about.
    std::map<std::string, std::map<std::string, std::string>> sites_;
};

}  // namespace

void check_conditions(const Config& config, Problems& problems) {
    check_names(config, problems);
    check_listeners(config, problems);
    check_headers(config, problems);
    check_number(config, problems);
}

void warn_conditions(const Config& config, Problems& problems) {
    const auto plain = [](const RouteNode& route) { return route.when.empty(); };
    if (std::ranges::all_of(config.routes, plain)) return;
    Checker checker(config, problems);
    for (std::size_t i = 0; i < config.routes.size(); ++i) checker.look_at(i);
    for (std::size_t i = 0; i < config.routes.size(); ++i) checker.look_past_sites(i);
}

}  // namespace ticketgate::config
