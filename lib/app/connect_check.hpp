// `check --connect`: opens one connection to each upstream, resolves its name and checks its
// certificate, and asks each php-fpm status page once. Sends no request to a backend. Runs its own
// loop on the caller's thread.
#pragma once

#include <string>
#include <vector>

#include "cluster/contents.hpp"
#include "config/config.hpp"

namespace ticketgate {

struct Tried {
    bool good = false;
    std::string line;  ///< the finding, for people
};

/// Returns a line for each upstream and each status page. Throws std::runtime_error that names an
/// invalid TLS file.
std::vector<Tried> try_upstreams(const config::Config& config);

/// Asks each replica that the store lists whether it takes this config's for one of them: with its
/// TLS, both ways, and its secret. Throws as above.
std::vector<Tried> try_replicas(const config::ClusterPeer& peer,
                                const std::vector<cluster::Replica>& listed);

}  // namespace ticketgate
