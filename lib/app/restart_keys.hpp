// Finds the keys that a reload does not apply: bound, opened or sized at the start. Pure.
#pragma once

#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// Returns a warning for each key whose value in `next` differs from the value in `started`, with
/// its place in the file and both values. Leaves out admin.token and the TLS of a listener, which a
/// reload applies.
std::vector<config::Problem> keys_for_restart(const config::Config& started,
                                              const config::Config& next);

}  // namespace ticketgate
