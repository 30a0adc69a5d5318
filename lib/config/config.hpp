// A whole config file as a value. Made by load.hpp, never changed afterwards; a reload makes a new
// one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/model.hpp"
#include "config/overrides.hpp"

namespace ticketgate::config {

/// One entry of `routes:`, at any depth.
struct RouteNode {
    std::string prefix;  ///< of a prefix route: starts with `/`; else empty
    std::string regex;   ///< of a regex route: RE2 pattern, found anywhere in the normalised path;
                         ///< else empty
    int parent = -1;     ///< index in `Config::routes` of the prefix route it is nested in
    RouteOverrides overrides;
    Mark mark;
    std::string path;  ///< `routes[0].routes[2]`

    bool is_regex() const { return prefix.empty(); }
    bool operator==(const RouteNode&) const = default;
};

struct Config {
    std::vector<Listen> listen;   ///< at least one
    std::optional<Listen> admin;  ///< absent: `off`
    std::string admin_token;  ///< for write actions from elsewhere than this machine; empty: none
    AdminLimits admin_limits;
    std::uint32_t threads = 1;
    std::map<std::string, Upstream> upstreams;
    std::map<std::string, Queue> queues;  ///< also those that are only named in a route
    RouteOverrides defaults;
    std::vector<RouteNode> routes;     ///< all of them, in the order of the file
    std::uint32_t route_cache = 1000;  ///< combinations with regex routes kept ready
    Clients clients;
    Spool spool;
    Ids ids;
    std::optional<IdService> id_service;  ///< absent: `off`
    Log log;
    milliseconds drain_timeout = 30s;
    std::map<std::string, Mark>
        marks;  ///< where each value stands: `queues.a.order` → file:line:column

    /// Line 0: it does not stand in the file; then the file as a whole.
    Mark mark_of(const std::string& path) const {
        const auto found = marks.find(path);
        if (found != marks.end()) return found->second;
        return {marks.empty() ? "" : marks.begin()->second.file, 0, 0};
    }
    bool operator==(const Config&) const = default;
};

}  // namespace ticketgate::config
