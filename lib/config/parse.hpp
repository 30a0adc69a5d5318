// Nodes → Config, with everything checked that one key says about itself. Never stops at a problem:
// the result is then incomplete, and only good for finding more problems.
#pragma once

#include "config/config.hpp"
#include "config/section.hpp"

namespace ticketgate::config {

Config parse(const Node& root, const std::filesystem::path& folder, Problems& problems);

/// `admin:`, into `config.admin` and its token; null: it does not stand in the file.
void parse_admin(const Entry* entry, Config& config, Reading& reading);

/// The settings that `defaults:` and every route may hold. parse_route.cpp
void parse_settings(SectionReader& section, RouteOverrides& out);

/// One of `upstreams:`. parse_upstream.cpp
void parse_upstream(SectionReader& section, Upstream& out);

/// `ids:` of the file, and of a route. parse_ids.cpp
void parse_ids(SectionReader& section, Ids& out);
void parse_route_ids(SectionReader& section, IdsOverrides& out);

/// `routes:` at one level and all below, into `out` in the order of the file. parse_route.cpp
void parse_routes(const Entry* entry, const std::string& path, int parent,
                  std::vector<RouteNode>& out, Reading& reading);

}  // namespace ticketgate::config
