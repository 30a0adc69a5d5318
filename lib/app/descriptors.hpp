// Compares the connections that the config asks for with the process's descriptor limit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// Returns how many descriptors this process may open once it has raised its limit (RLIMIT_NOFILE).
/// The greatest number: no limit, or an unknown one.
std::uint64_t most_descriptors();

/// Raises the limit to the hard limit; many systems start a process with 1,024.
void raise_descriptor_limit();

/// Returns the first descriptor number reserved for backends, bodies and files. A new connection
/// that gets a reserved descriptor pauses accepting. Reserved: an eighth of `most`, at most 1,024.
int first_reserved_descriptor(std::uint64_t most);

/// Returns the first descriptor number that bodies and files may not take
/// (keep_descriptors_from()): half of the reserved ones, and at least four, are for backends and
/// status pages.
int first_kept_descriptor(std::uint64_t most);

/// The same as first_reserved_descriptor() for the id service: it may use a quarter of the reserved
/// descriptors, so that traffic does not stop it.
int first_reserved_from_ids(std::uint64_t most);
/// Returns how many connections the id service may have: `configured`, and at most a quarter of all
/// descriptors, so that its clients do not stop the traffic.
std::uint32_t most_id_connections(std::uint32_t configured, std::uint64_t most);

/// Returns how many workers of its own the process may have: their descriptors are at most half of
/// all, so that a request finds those of its client, its body and its file.
std::size_t most_workers_beside_requests(std::uint64_t most);

/// Returns why a process that has `used` descriptors open cannot serve one request with `most`, and
/// how many it needs; empty: it can. A request takes three at once: of its client, of its backend
/// and of a file (a spooled body, or one of a site), all below the reserved and the kept ones. At
/// the first of those, accepting pauses.
std::string why_too_few_descriptors(std::uint64_t used, std::uint64_t most);

/// The same for this process, once it has opened all that it needs for itself. Throws
/// std::runtime_error.
void demand_descriptors();

/// Warns if max_connections is set and clients alone need more than `most`, and if there are more
/// workers than most_workers_beside_requests(). Not an error: the service may run under another
/// limit than `check`.
std::vector<config::Problem> descriptor_problems(const config::Config& config, std::uint64_t most);

}  // namespace ticketgate
