// Checks the spool directory: can files be made there, and is there room for them? Run at the
// start, at each reload and by `check`; otherwise the first large body would reveal the fault.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"
#include "http/spool_budget.hpp"
#include "proxy/settings.hpp"

namespace ticketgate {

/// Returns an error if the config sets a bad directory, a warning if the default one is bad; also
/// the warnings of memory_problems() for this machine.
std::vector<config::Problem> spool_problems(const config::Config& config);

/// A sentence for operators while uploads are refused for lack of room: for a minute behind the
/// last one. Empty: none is. Pure.
std::string spool_trouble(const http::SpoolBudget& spool, Time now);

/// Warns about limits that exceed the memory. Pure.
void memory_problems(const config::Config& config, const Memory& memory,
                     config::Problems& problems);

}  // namespace ticketgate
