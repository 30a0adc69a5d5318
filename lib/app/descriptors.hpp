// Does the file ask for more connections than this process may have descriptors?
#pragma once

#include <cstdint>
#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// How many descriptors this process may open (RLIMIT_NOFILE); no limit, or an unknown one: the
/// greatest number.
std::uint64_t most_descriptors();

/// A warning, if max_connections was chosen and clients alone need more than `most`. `check` may
/// run under another limit than the service does, so it is no error.
std::vector<config::Problem> descriptor_problems(const config::Config& config, std::uint64_t most);

}  // namespace ticketgate
