// A whole config file as a value. Made by load.hpp and immutable; a reload makes a new one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/conditions.hpp"
#include "config/model.hpp"
#include "config/model_cluster.hpp"
#include "config/model_tracing.hpp"
#include "config/overrides.hpp"

namespace ticketgate::config {

/// One entry of `routes:`, at any depth.
struct RouteNode {
    std::string prefix;    ///< of a prefix route: starts with `/`; otherwise empty
    std::string regex;     ///< of a regex route: RE2 pattern, matches anywhere in the normalised
                           ///< path; otherwise empty
    Conditions when = {};  ///< its own conditions
    int parent = -1;       ///< index in `Config::routes` of the enclosing prefix route
    RouteOverrides overrides;
    Mark mark;
    std::string path;  ///< `routes[0].routes[2]`

    bool is_regex() const { return prefix.empty(); }
    bool operator==(const RouteNode&) const = default;
};

struct Config {
    std::vector<Listen> listen;   ///< at least one
    std::optional<Listen> admin;  ///< absent: `off`
    std::string admin_token;      ///< for write actions from other machines; empty: none
    AdminLimits admin_limits;
    std::uint32_t threads = 1;
    std::map<std::string, Upstream> upstreams;
    std::map<std::string, Queue> queues;  ///< includes queues that only routes name
    RouteOverrides defaults;
    std::vector<RouteNode> routes;     ///< all of them, nested ones too, in file order
    std::uint32_t route_cache = 1000;  ///< cached combinations with regex routes
    Clients clients;
    Spool spool;
    FileIo file_io;
    Ids ids;
    std::optional<IdService> id_service;  ///< absent: `off`
    std::optional<Cluster> cluster;       ///< absent: `off`
    std::optional<Tracing> tracing;       ///< absent: `off`
    Log log;
    milliseconds drain_timeout = 30s;
    std::set<std::string> secret_variables;  ///< secret_variables() of the file
    std::map<std::string, Mark>
        marks;  ///< the place of each value: `queues.a.order` → file:line:column

    /// Returns the place of a value. Line 0, for the whole file: the value is not in the file.
    Mark mark_of(const std::string& path) const {
        const auto found = marks.find(path);
        if (found != marks.end()) return found->second;
        return {marks.empty() ? "" : marks.begin()->second.file, 0, 0};
    }
    bool operator==(const Config&) const = default;
};

/// False: the queue of these settings asks php-fpm's status before it frees a slot (`release:
/// worker_idle`), and their upstream has none. validate_fcgi.cpp
bool tells_end_of_work(const Config& config, const Settings& settings);
/// That as a sentence, with what to do.
std::string no_end_of_work(const Settings& settings);

}  // namespace ticketgate::config
