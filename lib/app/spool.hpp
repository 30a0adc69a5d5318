// Where bodies are spooled: can files be made there, and is there room for them? Asked at the
// start, at each reload, and by `check`, as nobody else would notice before the first large body.
#pragma once

#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"
#include "proxy/settings.hpp"

namespace ticketgate {

/// An error if the file names the directory, a warning if it is the built-in one; and what
/// memory_problems() says of this machine.
std::vector<config::Problem> spool_problems(const config::Config& config);

/// Warnings of limits that are more than this memory has. Pure.
void memory_problems(const config::Config& config, const Memory& memory,
                     config::Problems& problems);

}  // namespace ticketgate
