// Checks the workers of the config on this machine: the program, the account, the working
// directory. Run at the start, at each reload and by `check`.
#pragma once

#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

std::vector<config::Problem> worker_problems(const config::Config& config);

}  // namespace ticketgate
