// Where bodies are spooled: can files be made there? Asked at the start, at each reload, and by
// `check`, as nobody else would notice before the first large body.
#pragma once

#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// An error if the file names the directory, a warning if it is the built-in one.
std::vector<config::Problem> spool_problems(const config::Config& config);

}  // namespace ticketgate
