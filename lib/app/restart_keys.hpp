// Which keys of a file a reload does not apply: those that were bound, opened or sized at the
// start. Pure.
#pragma once

#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// A warning for each key whose value in `next` differs from the value that the process started
/// with, with its place in the file and both values. Not here, since a reload applies it:
/// admin.token, TLS of a listener.
std::vector<config::Problem> keys_for_restart(const config::Config& started,
                                              const config::Config& next);

}  // namespace ticketgate
