// One config file, ready to serve: settings resolved, gates and upstreams attached. Immutable;
// shared by every loop and by each request that began under it, and freed with the last of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/networks.hpp"
#include "config/route_index.hpp"
#include "files/rules.hpp"
#include "gate/gate.hpp"
#include "http/head.hpp"
#include "http/name_set.hpp"
#include "net/tls_server.hpp"
#include "proxy/route_cache.hpp"
#include "proxy/upstream_counts.hpp"
#include "upstream/exchange.hpp"

namespace ticketgate {

/// A form in which some server reads this path (http::other_readings), and that has other routes
/// than its normal form. Absent: every form leads to the same routes.
std::optional<std::string> other_route(const config::RouteIndex& routes, std::string_view path,
                                       std::string_view normal_path);
/// The same of a request whose normal path has this match.
std::optional<std::string> other_route(const config::RouteIndex& routes, std::string_view path,
                                       config::Asked asked, const config::RouteIndex::Match& match);

/// A script that FastCGI runs for paths that name none (config::front_controllers()).
struct FrontController {
    std::string script;         ///< its path in normal form
    bool routed = false;        ///< a prefix route names the script itself
    bool routes_below = false;  ///< a prefix route names a path behind the script
    bool divided = false;       ///< the routes that run it have several queues, or some have none
};

/// The settings for a request, with its gate and its upstream.
struct Route {
    config::Settings settings;
    std::shared_ptr<Gate> gate;  ///< null: not queued
    std::shared_ptr<Upstream> upstream;
    std::shared_ptr<UpstreamCounts> counts;  ///< its own; null: nobody asks for them
    bool upgrades = false;  ///< a connection to it can become a tunnel (RFC 9110 7.8)
    bool scripts = false;   ///< its upstream runs scripts (FastCGI); those of HTTP are not known
    /// The scripts of paths that name none and of folders, in normal form; empty: none.
    std::string front_controller = {}, folder_script = {};
    bool runs_named_scripts = false;  ///< config::runs_named_scripts()
    /// A combination of routes that `check` cannot list has set a queue that asks for the end of
    /// the work, and an upstream that cannot tell it (CONTRACT 2.6).
    bool untold = false;
    std::string token = {};  ///< header of the fencing number of its clustered queue; empty: none
    std::shared_ptr<const files::Rules> files;  ///< null: it serves no files

    bool skips(std::string_view method) const;
    /// Does it run this script, in normal form, for paths that do not name it?
    bool runs(std::string_view script) const {
        return script == front_controller || script == folder_script;
    }
};

class Snapshot {
 public:
    using Gates = std::map<std::string, std::shared_ptr<Gate>, std::less<>>;
    using Upstreams = std::map<std::string, std::shared_ptr<Upstream>, std::less<>>;

    /// By listener; null: plain HTTP.
    using TlsServers = std::vector<std::shared_ptr<const net::TlsServer>>;

    /// By listener; empty: it has none.
    using ListenerNames = std::vector<std::string>;

    /// By upstream.
    using Counts = std::map<std::string, std::shared_ptr<UpstreamCounts>, std::less<>>;

    Snapshot(config::Config config, Gates gates, Upstreams upstreams, TlsServers tls = {},
             ListenerNames listeners = {}, Counts counts = {});

    const std::uint64_t number;  ///< unique in this process
    const config::Config config;
    const std::vector<std::string>
        id_names;  ///< cgi names of all id headers: dropped in every spelling
    /// id_names, and the client certificate headers if a listener asks for a certificate.
    const std::vector<std::string> own_names;
    /// own_names and `traceparent`, and with `tracestate`. Empty without `tracing`.
    const std::vector<std::string> names_to_continue, names_to_begin;
    /// Some route lets in a call that names no request: it must be known whose beginning it came
    /// after.
    const bool guesses_callers;
    const bool names_client_certificates;  ///< sends the headers about client certificates
    const http::NameSet address_names;     ///< clients.address_headers
    const http::NameSet path_names;        ///< clients.path_headers
    const http::NameSet method_names;      ///< those of `method_override`
    const http::NameSet path_and_method_names;
    const config::Networks trusted;
    const config::Networks inside;         ///< clients.inside
    const http::NameSet forwarding_names;  ///< by which proxies tell that they pass a client on
    const Upstreams upstreams;
    const bool uses_origin;  ///< one of them needs the origin of requests

    /// The route of a normalised path; null when none matches. It may outlive its place in the
    /// cache, but not the snapshot. Any thread.
    std::shared_ptr<const Route> find(std::string_view normal_path) const;
    std::shared_ptr<const Route> find(const config::RouteIndex::Match& match) const;
    /// Null: the config names no such queue.
    Gate* gate(std::string_view queue) const {
        const auto found = gates_.find(queue);
        return found == gates_.end() ? nullptr : found->second.get();
    }
    /// True if a request with this method waits in line on its route.
    bool queues(const Route& route, const http::RequestHead& head) const;
    /// Names of fields that are removed from every request of the route.
    const http::NameSet& removed_names(const config::Settings& settings) const;
    /// `unusual_names: refuse`: true if there is one that is not exactly an id header's.
    bool refuses_names_of(const http::RequestHead& head) const;
    /// Null: the listener speaks plain HTTP.
    std::shared_ptr<const net::TlsServer> tls(std::size_t listener) const {
        return listener < tls_.size() ? tls_[listener] : nullptr;
    }
    std::string_view listener_name(std::size_t listener) const {
        return listener < listeners_.size() ? std::string_view(listeners_[listener])
                                            : std::string_view();
    }
    /// The index of the listener with this name; a number that none has: there is none.
    std::size_t listener(std::string_view name) const;
    const config::RouteIndex& index() const { return index_; }
    const std::vector<FrontController>& front_controllers() const { return front_controllers_; }
    /// Combinations with regex routes and conditions that are kept; at most `route_cache`.
    std::size_t combinations() const { return combined_.size(); }

 private:
    Route attach(config::Settings settings) const;

    const Gates gates_;
    const TlsServers tls_;
    const ListenerNames listeners_;
    const Counts counts_;
    const std::vector<std::string> id_headers_;  // as configured, so that UNIQUE_ID is not refused
    const config::RouteIndex index_;
    const std::shared_ptr<const files::MediaTypes> media_types_;
    std::vector<Route> by_prefix_;

    // Of combinations with regex routes and conditions, which cannot be listed in advance.
    mutable RouteCache combined_;
    const std::vector<FrontController> front_controllers_;
};

}  // namespace ticketgate
