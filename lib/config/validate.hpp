// Checks the rules between fields of a whole config: parse.hpp sees only one key at a time.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/effective.hpp"
#include "config/inherit.hpp"
#include "config/problem.hpp"

namespace ticketgate::config {

class RouteIndex;

/// Reports unknown or missing upstreams, duplicate routes and addresses, and routes outside their
/// parent.
void check_references(const Config& config, Problems& problems);

/// Checks for upstreams that lead back to ticketgate. validate_loops.cpp
void check_loops(const Config& config, Problems& problems);

/// Check the ids. validate_ids.cpp
void check_ids(const Config& config, Problems& problems);
void warn_ids(const Config& config, Problems& problems);

/// Checks the lists of request headers that ticketgate removes. validate_proxy_headers.cpp
void check_proxy_headers(const Config& config, Problems& problems);

/// Reports headers of answers that ticketgate sets itself. validate_answers.cpp
void check_answers(const Config& config, Problems& problems);

/// Checks what clustered queues need. validate_cluster.cpp
void check_cluster(const Config& config, Problems& problems);

/// Checks what files of a route need from its upstream. validate_files.cpp
void check_files(const Config& config, Problems& problems);

/// Warns about combinations of routes and queues that probably do not do what was meant. The config
/// may be a draft: `problems` knows the values that could not be read.
void check_meaning(const Config& config, Problems& problems);

/// Warns about limits that protect nothing, in the whole file. warn_limits.cpp
void warn_limits(const Config& config, Problems& problems);
/// Warn about the store and the queues of a cluster. warn_cluster.cpp
void warn_cluster(const Config& config, Problems& problems);
/// The same for a route to a clustered queue.
void warn_clustered_route(const Effective& route, const Config& config, PlaceWarnings& places);
/// For a file with queued routes: warns about a spool without room for a body.
void warn_spool(const Config& config, Problems& problems);
/// Refuses words of other servers in log.access_file. warn_limits.cpp
void validate_log(const Config& config, Problems& problems);
/// The same for one route. `queued`: the places of the settings of queued routes.
void warn_limits(const RouteOverrides& route, const std::string& path, const Settings& settings,
                 const Config& config, const std::vector<Origin>& queued, Problems& problems);
/// Warns about prefixes that were meant as patterns. warn_prefix.cpp
void warn_patterns(const Config& config, Problems& problems);
/// Calls the next three with one index of the routes, where the draft has them. warn_paths.cpp
void warn_paths(const Config& config, Problems& problems);
/// Warns about queues that no request reaches, as other routes override theirs.
/// warn_unreached.cpp
void warn_unreached(const Config& config, const RouteIndex& index, Problems& problems);
/// Warns about scripts that also run under a path outside their queue. warn_scripts.cpp
void warn_scripts(const Config& config, const RouteIndex& index, Problems& problems);
/// Warns about pages of a front controller that stand in two queues. warn_pages.cpp
void warn_pages(const Config& config, const RouteIndex& index, Problems& problems);

/// Reports listeners that do not exist, names that stand twice, too many hosts. warn_conditions.cpp
void check_conditions(const Config& config, Problems& problems);
/// Warns about routes that never apply or change nothing, and hosts that lead past a queue.
void warn_conditions(const Config& config, Problems& problems);

/// Warn about methods and paths that a request may name beside its own: in a queued route, and in a
/// file whose routes use these queues (an empty name: bypass). warn_overrides.cpp
void warn_method_override(const Effective& route, PlaceWarnings& places);
void warn_path_headers(const Config& config, const std::set<std::string>& queues,
                       Problems& problems);

/// Warn about calls from inside: of the file, and of one route. warn_inside.cpp
void warn_inside(const Config& config, Problems& problems);
void warn_inside_calls(const RouteOverrides& own, const std::string& path, const Settings& settings,
                       const Config& config, bool all_queued, Problems& problems);

/// Reports a queue with `release: worker_idle` whose upstream cannot be asked, once for each pair.
/// `path` is the route's. validate_fcgi.cpp
void check_worker_idle(const Config& config, const std::string& path, const Settings& settings,
                       std::set<std::string>& told, Problems& problems);
void warn_kept_workers(const Config& config, Problems& problems);

/// A script may work on when its slot is free, or has none. warn_inside.cpp
bool may_outlive_its_slot(const Config& config, const Settings& settings);
/// `inside_calls: pass` or `pass_any`.
bool lets_calls_in(const Settings& settings);
/// Warns of workers that are too few for calls from inside.
void warn_workers_inside(const Config& config, const std::string& path, const Settings& settings,
                         std::set<std::string>& told, Problems& problems);

/// The queues that some route uses; an empty name: a route queues nothing.
std::set<std::string> queues_of_routes(const Config& config);

/// The workers that `max: auto` allows: one for each slot of the queues that lead to this upstream,
/// max_inside more for each where calls run within it, and four a processor for requests that hold
/// no slot: not queued, an event stream that gave its slot back, or released.
std::uint32_t most_workers(const Config& config, const std::string& upstream,
                           std::uint32_t processors);

/// Returns the notes of `check` on a valid config: guarantees that are narrower than expected.
std::vector<std::string> notes(const Config& config);

}  // namespace ticketgate::config
