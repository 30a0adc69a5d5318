// What the config says of TLS, made into what speaks it: certificates are read here, when the
// process starts, at each reload, and by `check`. Control thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "config/config.hpp"
#include "config/problem.hpp"
#include "net/stream.hpp"
#include "net/tls_server.hpp"
#include "proxy/snapshot.hpp"

namespace ticketgate {

/// What is wrong with the files that the config names, each with its place; of certificates that
/// expired, or are about to, and of weak or unguarded keys: warnings.
std::vector<config::Problem> tls_problems(const config::Config& config, WallTime now);

/// TLS of each listener in `bound`, as `config` has it now for that address. Reads the files;
/// throws std::runtime_error that names the one that is not good.
Snapshot::TlsServers tls_servers(const std::vector<config::Listen>& bound,
                                 const config::Config& config);

/// How connections to it are made: plainly, or with TLS. Throws as above.
net::Connect connect_to(const config::Upstream& upstream, std::size_t loops);
/// What these connections depend on; changes with the contents of the files. Empty: plain.
std::string security_of(const config::Upstream& upstream);

/// Do they ask for the same ports? TLS may change without a restart.
bool same_addresses(const std::vector<config::Listen>& a, const std::vector<config::Listen>& b);

}  // namespace ticketgate
