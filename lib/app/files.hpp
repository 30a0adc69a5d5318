// The files that a start opens for writing, looked at before: `check` is to tell what the start
// would refuse. Nothing is made, written or locked, so a running process may have them open. Speaks
// for the user who asks: another one may do more or less. Control thread.
#pragma once

#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// Errors, each with its place: log.access_file and id_service.state_file that cannot be opened, or
/// made; a state file with something else in it.
std::vector<config::Problem> file_problems(const config::Config& config);

}  // namespace ticketgate
