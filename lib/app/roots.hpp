// Looks at the folders of `files:` on this machine: is each there, may this user read it, and is it
// the folder that was meant? Run at the start, at each reload and by `check`.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// `file` is the config file.
std::vector<config::Problem> root_problems(const config::Config& config, const std::string& file);

}  // namespace ticketgate
