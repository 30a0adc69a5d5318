// Rules between fields of a whole config: what parse.hpp cannot see while it reads one key.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/inherit.hpp"
#include "config/problem.hpp"

namespace ticketgate::config {

/// Errors: unknown or missing upstreams, routes and addresses that stand twice, routes outside
/// their parent.
void check_references(const Config& config, Problems& problems);

/// Of these, upstreams that lead back to ticketgate. validate_loops.cpp
void check_loops(const Config& config, Problems& problems);

/// Of these, what ids may not do. validate_ids.cpp
void check_ids(const Config& config, Problems& problems);
void warn_ids(const Config& config, Problems& problems);

/// The lists of request headers that ticketgate removes. validate_proxy_headers.cpp
void check_proxy_headers(const Config& config, Problems& problems);

/// Of these, headers of answers that ticketgate sets itself. validate_answers.cpp
void check_answers(const Config& config, Problems& problems);

/// What routes and queues mean together. Warnings: it probably does not do what was meant. The
/// config may be a draft: `problems` knows what of it could not be read.
void check_meaning(const Config& config, Problems& problems);

/// Of these, limits that protect nobody: of the whole file, and of one route. warn_limits.cpp
void warn_limits(const Config& config, Problems& problems);
/// Of a file with queued routes: a spool that has room for no body.
void warn_spool(const Config& config, Problems& problems);
/// `queued`: where the settings of queued routes stand.
void warn_limits(const RouteOverrides& route, const std::string& path, const Settings& settings,
                 const Config& config, const std::vector<Origin>& queued, Problems& problems);
/// Of these, prefixes that were meant as patterns. warn_prefix.cpp
void warn_patterns(const Config& config, Problems& problems);
/// Of these, scripts that run under a path that is not in their line. warn_scripts.cpp
void warn_scripts(const Config& config, Problems& problems);

/// Of these, methods and paths that a request may name beside its own: of one route, and of the
/// file, whose routes lead to these queues (empty: none). warn_overrides.cpp
void warn_method_override(const RouteOverrides& own, const std::string& path,
                          const Settings& settings, Problems& problems);
void warn_path_headers(const Config& config, const std::set<std::string>& queues,
                       Problems& problems);

/// Error: a queue with `release: worker_idle` whose upstream cannot be asked; told once for each.
/// `path` is the route's. validate_fcgi.cpp
void check_worker_idle(const Config& config, const std::string& path, const Settings& settings,
                       std::set<std::string>& told, Problems& problems);
void warn_kept_workers(const Config& config, Problems& problems);

/// What `check` tells of a good config: promises that end sooner than a reader may think.
std::vector<std::string> notes(const Config& config);

}  // namespace ticketgate::config
