// The certificates and keys that the config names, looked at for people: at the start, at each
// reload and by `check`. Control thread.
#pragma once

#include <vector>

#include "base/clock.hpp"
#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// What is wrong with the files that the config names, each with its place; of certificates that
/// expired, or are about to, and of weak or unguarded keys: warnings.
std::vector<config::Problem> tls_problems(const config::Config& config, WallTime now);

}  // namespace ticketgate
