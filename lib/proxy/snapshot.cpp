#include "proxy/snapshot.hpp"

#include <algorithm>
#include <atomic>
#include <set>

#include "cluster/forward.hpp"
#include "config/each_id.hpp"
#include "config/front_controller.hpp"
#include "config/proxy_headers.hpp"
#include "files/names.hpp"
#include "http/rewrite.hpp"
#include "http/target.hpp"
#include "proxy/file_rules.hpp"
#include "proxy/method_override.hpp"
#include "proxy/stamp.hpp"

namespace ticketgate {
namespace {

// What replicas tell each other, and fencing numbers: neither clients nor backends may set them.
void add_cluster_headers(const config::Config& config, std::vector<std::string>& names) {
    if (!config.cluster) return;
    names.insert(names.end(), cluster::headers.begin(), cluster::headers.end());
    names.emplace_back(fencing_queue_header);
    for (const auto& [name, queue] : config.queues)
        if (queue.cluster && queue.token) names.push_back(*queue.token);
}

// The id headers of every route: a client may not send on any route what one of them stamps.
std::vector<std::string> id_headers_of(const config::Config& config) {
    std::vector<std::string> names;
    const auto add_all = [&](const std::vector<std::string>& headers) {
        names.insert(names.end(), headers.begin(), headers.end());
    };
    for_each_own_id(config.ids, [&](const std::string& /*name*/, const config::Id& id) {
        add_all(id.headers);
        if (!id.keep_client_in.empty()) names.push_back(id.keep_client_in);
    });
    for_each_overrides(config, [&](const std::string& /*path*/, const config::RouteOverrides& own) {
        for_each_id_override(own.ids,
                             [&](const std::string& /*name*/, const config::IdOverrides& id) {
                                 if (id.headers.value) add_all(*id.headers.value);
                             });
    });
    add_cluster_headers(config, names);
    return names;
}

std::vector<std::string> cgi_names_of(const std::vector<std::string>& headers) {
    std::vector<std::string> names;
    names.reserve(headers.size());
    for (const auto& header : headers) names.push_back(http::cgi_name(header));
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::vector<std::string> path_and_method_headers(const config::Clients& clients) {
    auto names = config::path_headers(clients);
    for (auto& name : config::method_headers()) names.push_back(std::move(name));
    return names;
}

std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

std::vector<std::string> own_names_of(std::vector<std::string> names,
                                      const std::vector<config::Listen>& listen,
                                      const Snapshot::TlsServers& bound) {
    // Also a listener that the file no longer names: it serves until the restart.
    const bool asks =
        std::ranges::any_of(listen,
                            [](const config::Listen& l) {
                                return l.tls && l.tls->client_auth != config::ClientAuth::off;
                            }) ||
        std::ranges::any_of(bound,
                            [](const auto& server) { return server && server->knows_clients(); });
    // On all listeners: a client could come in by another one.
    if (asks)
        for (const auto name : client_certificate_headers) names.push_back(http::cgi_name(name));
    return names;
}

std::vector<std::string> traced_names(const config::Config& config, std::vector<std::string> names,
                                      std::initializer_list<const char*> replaced) {
    if (!config.tracing) return {};
    names.insert(names.end(), replaced.begin(), replaced.end());
    return names;
}

// Conditions and patterns may apply to any page.
bool is_divided(const config::Config& config, const config::RouteIndex& index,
                const std::string& script) {
    const auto may_apply = [](const config::RouteNode& node) {
        return node.overrides.queue.given() &&
               (node.is_regex() || node.when != config::Conditions());
    };
    if (std::ranges::any_of(config.routes, may_apply)) return true;
    std::set<std::optional<std::string>> queues;
    for (std::size_t i = 0; i < index.prefix_count(); ++i) {
        config::RouteIndex::Match match;
        match.prefix = static_cast<int>(i);
        const config::Settings settings = index.resolve(match);
        if (config::front_controller(config, settings) == script ||
            config::folder_script(config, settings) == script)
            queues.insert(settings.queue);
    }
    return queues.size() > 1;
}

// A script without a normal form cannot be asked for by its name.
std::vector<FrontController> front_controllers_of(const config::Config& config,
                                                  const config::RouteIndex& index) {
    std::vector<FrontController> out;
    for (const auto& script : config::front_controllers(config)) {
        FrontController one;
        if (!http::normalise_path(files::encoded_path(script), one.script)) continue;
        const auto below = one.script + "/";
        for (const auto& node : config.routes) {
            one.routed |= node.prefix == one.script;
            one.routes_below |= node.prefix.starts_with(below);
        }
        one.divided = is_divided(config, index, script);
        out.push_back(std::move(one));
    }
    return out;
}

bool lets_any_in(const config::Config& config) {
    bool any = false;
    for_each_overrides(config, [&](const std::string& /*path*/, const config::RouteOverrides& own) {
        any = any || own.inside_calls.value == config::InsideCalls::pass_any;
    });
    return any && !config.clients.inside.empty();
}

bool names_files(const config::Config& config) {
    bool any = std::ranges::any_of(config.upstreams,
                                   [](const auto& one) { return one.second.files.root.given(); });
    for_each_overrides(config, [&](const std::string& /*path*/, const config::RouteOverrides& own) {
        any = any || own.files.root.given();
    });
    return any;
}

}  // namespace

// Compares matches, not routes: the route of one match need not stay the same object.
std::optional<std::string> other_route(const config::RouteIndex& routes, std::string_view path,
                                       std::string_view normal_path) {
    const config::Asked asked{.path = normal_path};
    return other_route(routes, path, asked, routes.match(asked));
}

std::optional<std::string> other_route(const config::RouteIndex& routes, std::string_view path,
                                       config::Asked asked,
                                       const config::RouteIndex::Match& match) {
    auto others = http::other_readings(path);
    const auto found = std::ranges::find_if(others, [&](const auto& other) {
        asked.path = other;
        return !routes.same(routes.match(asked), match);
    });
    if (found == others.end()) return std::nullopt;
    return std::move(*found);
}

bool Route::skips(std::string_view method) const {
    const auto& skipped = settings.skip_methods;
    return std::find(skipped.begin(), skipped.end(), method) != skipped.end();
}

Snapshot::Snapshot(config::Config c, Gates gates, Upstreams u, TlsServers t,
                   ListenerNames listeners, Counts counts)
    : number(next_number()),
      config(std::move(c)),
      id_names(cgi_names_of(id_headers_of(config))),
      own_names(own_names_of(id_names, config.listen, t)),
      names_to_continue(traced_names(config, own_names, {"traceparent"})),
      names_to_begin(traced_names(config, own_names, {"traceparent", "tracestate"})),
      guesses_callers(lets_any_in(config)),
      names_client_certificates(own_names.size() != id_names.size()),
      address_names(config::address_headers(config.clients)),
      path_names(config::path_headers(config.clients)),
      method_names(config::method_headers()),
      path_and_method_names(path_and_method_headers(config.clients)),
      trusted(config.clients.trusted_proxies),
      inside(config.clients.inside),
      forwarding_names(config::forwarding_headers(config.clients)),
      upstreams(std::move(u)),
      uses_origin(
          std::ranges::any_of(upstreams, [](const auto& u_) { return u_.second->uses_origin(); })),
      gates_(std::move(gates)),
      tls_(std::move(t)),
      listeners_(std::move(listeners)),
      counts_(std::move(counts)),
      id_headers_(id_headers_of(config)),
      index_(config),
      media_types_(names_files(config) ? system_media_types() : nullptr),
      combined_(config.route_cache),
      front_controllers_(front_controllers_of(config, index_)) {
    for (std::size_t i = 0; i < index_.prefix_count(); ++i) {
        config::RouteIndex::Match match;
        match.prefix = static_cast<int>(i);
        const bool needed = index_.stands_alone(match.prefix);
        by_prefix_.push_back(needed ? attach(index_.resolve(match)) : Route());
    }
}

std::size_t Snapshot::listener(std::string_view name) const {
    const auto end = listeners_.end();
    const auto found = name.empty() ? end : std::ranges::find(listeners_, name);
    return static_cast<std::size_t>(found - listeners_.begin());
}

Route Snapshot::attach(config::Settings settings) const {
    Route route;
    if (settings.queue) route.gate = gates_.find(*settings.queue)->second;
    if (const auto found = upstreams.find(settings.upstream); found != upstreams.end())
        route.upstream = found->second;
    if (const auto found = counts_.find(settings.upstream); found != counts_.end())
        route.counts = found->second;
    const auto known = config.upstreams.find(settings.upstream);
    const bool has_upstream = known != config.upstreams.end();
    route.scripts = has_upstream && known->second.fcgi;
    route.upgrades = has_upstream && !known->second.fcgi;
    http::normalise_path(files::encoded_path(config::front_controller(config, settings)),
                         route.front_controller);
    http::normalise_path(files::encoded_path(config::folder_script(config, settings)),
                         route.folder_script);
    route.runs_named_scripts = config::runs_named_scripts(config, settings);
    route.files = file_rules(settings.files, has_upstream ? &known->second : nullptr, media_types_);
    if (route.gate && route.gate->clustered())
        route.token = config.queues.at(*settings.queue).token.value_or("");
    route.untold = !config::tells_end_of_work(config, settings);
    route.settings = std::move(settings);
    return route;
}

// A prefix route is the snapshot's own: a pointer without an owner costs no atomic count.
std::shared_ptr<const Route> Snapshot::find(std::string_view normal_path) const {
    return find(index_.match(normal_path));
}

std::shared_ptr<const Route> Snapshot::find(const config::RouteIndex::Match& match) const {
    if (!match.matched()) return nullptr;
    if (match.regexes.empty() && match.prefix >= 0)
        return {std::shared_ptr<const Route>(),
                &by_prefix_[static_cast<std::size_t>(match.prefix)]};
    return combined_.get(
        match, [&] { return std::make_shared<const Route>(attach(index_.resolve(match))); });
}

bool Snapshot::queues(const Route& route, const http::RequestHead& head) const {
    if (!route.settings.queue) return false;
    return !route.skips(head.method) ||
           names_another_method(head, route.settings.method_override, method_names);
}

const http::NameSet& Snapshot::removed_names(const config::Settings& settings) const {
    const bool both = settings.method_override == config::MethodOverride::remove;
    return both ? path_and_method_names : path_names;
}

bool Snapshot::refuses_names_of(const http::RequestHead& head) const {
    return config.clients.unusual_names == config::UnusualNames::refuse &&
           http::has_unusual_name(head, id_headers_);
}

}  // namespace ticketgate
