// Does the file ask for more connections than this process may have descriptors?
#pragma once

#include <cstdint>
#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// How many descriptors this process may open once it has raised its limit (RLIMIT_NOFILE); no
/// limit, or an unknown one: the greatest number.
std::uint64_t most_descriptors();

/// As many as the system allows (the hard limit): 1,024 is what many systems begin with.
void raise_descriptor_limit();

/// The first of those that are kept for backends, bodies and files: where a descriptor of a new
/// connection is one of them, no more connections are accepted for a while. An eighth, and at most
/// 1,024.
int first_reserved_descriptor(std::uint64_t most);

/// The same for connections of the id service: a quarter of the reserved ones are its own, so that
/// traffic does not stop it.
int first_reserved_from_ids(std::uint64_t most);
/// Connections of the id service at one time: as configured, and at most a quarter of all
/// descriptors, so that its clients do not stop the traffic.
std::uint32_t most_id_connections(std::uint32_t configured, std::uint64_t most);

/// A warning, if max_connections was chosen and clients alone need more than `most`. `check` may
/// run under another limit than the service does, so it is no error.
std::vector<config::Problem> descriptor_problems(const config::Config& config, std::uint64_t most);

}  // namespace ticketgate
