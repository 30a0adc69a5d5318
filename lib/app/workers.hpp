// Checks the workers of the config on this machine: the program, the account, the working
// directory. Run at the start, at each reload and by `check`.
#pragma once

#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"
#include "spawn/child.hpp"

namespace ticketgate {

/// As far as ticketgate can see: the root, for the workers' user, and the front controller. Empty:
/// nothing is in the way.
std::string why_scripts_cannot_run(const config::Upstream& upstream, const spawn::Command& command);

std::vector<config::Problem> worker_problems(const config::Config& config);

}  // namespace ticketgate
