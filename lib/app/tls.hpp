// Checks the certificates and keys that the config names: at the start, at each reload and by
// `check`. Control thread.
#pragma once

#include <vector>

#include "base/clock.hpp"
#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// Returns errors in the files, each with its place. Expired or expiring certificates (those of
/// authorities included), and weak or unprotected keys, are warnings.
std::vector<config::Problem> tls_problems(const config::Config& config, WallTime now);

}  // namespace ticketgate
