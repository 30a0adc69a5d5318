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

enum class SpoolUse : std::uint8_t { at_start, after_a_restart };
/// Returns an error if the config sets a directory that is bad for a start; a warning if it is only
/// full, is the default one, or is used after a restart only; also the warnings of
/// memory_problems() for this machine.
std::vector<config::Problem> spool_problems(const config::Config& config, SpoolUse use);

/// A sentence for operators while uploads are refused for lack of room: for a minute behind the
/// last one. Empty: none is. Pure.
std::string spool_trouble(const http::SpoolBudget& spool, Time now);

/// Warns about limits that exceed the memory. Pure.
void memory_problems(const config::Config& config, const Memory& memory,
                     config::Problems& problems);

}  // namespace ticketgate
