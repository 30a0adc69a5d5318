// TLS of listeners and towards backends, from the files that the config names. Reads them at the
// start and at each reload. Control thread.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "net/stream.hpp"
#include "proxy/snapshot.hpp"

namespace ticketgate {

/// The listeners of the first config.
struct Bound {
    std::vector<config::Listen> listeners;
    std::size_t replicas;  ///< the one for replicas, which no reload changes; the end: none
};

/// TLS of each listener in `bound`, as `config` now has it for that address; of an address that it
/// no longer names, as `before` had it (null at the start). Reads the files; throws
/// std::runtime_error that names the bad one.
Snapshot::TlsServers tls_servers(const Bound& bound, const config::Config& config,
                                 const Snapshot* before);

/// Names of the listeners that were bound, as the file has them now.
Snapshot::ListenerNames listener_names(const Bound& bound, const config::Config& config);

/// Makes connections to this upstream: by `plain`, or with TLS over it. Throws as above.
net::Connect connect_to(const config::Upstream& upstream, std::size_t loops, net::Connect plain);
/// The settings and files that these connections depend on, as one text. Empty: plain.
std::string security_of(const config::Upstream& upstream);

}  // namespace ticketgate
