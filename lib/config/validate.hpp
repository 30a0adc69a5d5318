// Rules between fields of a whole config: what parse.hpp cannot see while it reads one key.
#pragma once

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate::config {

/// Errors: unknown or missing upstreams, routes and addresses that stand twice, routes outside
/// their parent.
void check_references(const Config& config, Problems& problems);

/// Of these, what ids may not do. validate_ids.cpp
void check_ids(const Config& config, Problems& problems);
void warn_ids(const Config& config, Problems& problems);

/// Warnings: a config without errors that probably does not do what was meant.
void check_meaning(const Config& config, Problems& problems);

/// Of these, limits that protect nobody: of the whole file, and of one route. warn_limits.cpp
void warn_limits(const Config& config, Problems& problems);
void warn_limits(const RouteOverrides& route, const std::string& path, const Settings& settings,
                 const Config& config, Problems& problems);

/// What `check` tells of a good config: promises that end sooner than a reader may think.
std::vector<std::string> notes(const Config& config);

}  // namespace ticketgate::config
