// TLS of listeners and towards backends, as the config names its files. They are read here: at the
// start and by each reload. Control thread.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "net/stream.hpp"
#include "proxy/snapshot.hpp"

namespace ticketgate {

/// TLS of each listener in `bound`, as `config` has it now for that address. Reads the files;
/// throws std::runtime_error that names the one that is not good.
Snapshot::TlsServers tls_servers(const std::vector<config::Listen>& bound,
                                 const config::Config& config);

/// How connections to it are made: by `plain`, or with TLS over that. Throws as above.
net::Connect connect_to(const config::Upstream& upstream, std::size_t loops, net::Connect plain);
/// What these connections depend on; changes with the contents of the files. Empty: plain.
std::string security_of(const config::Upstream& upstream);

}  // namespace ticketgate
