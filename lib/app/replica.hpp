// The replica of this process in the config's cluster. Pure but for random bytes and the host's
// name.
#pragma once

#include <memory>
#include <string>

#include "config/config.hpp"
#include "replica/replica.hpp"

namespace ticketgate {

/// 128 random bits in hexadecimal digits. Throws std::runtime_error: the kernel gave none.
std::string random_id();

/// Null: the config has no cluster. Throws std::runtime_error that names a bad file. The registry
/// outlives it.
std::unique_ptr<replica::Replica> make_replica(const config::Config& config, Log& log,
                                               metrics::Registry& registry);

/// Of the clustered queues. `cluster`: the section in force, which is that of the start: a reload
/// does not change it.
replica::Queues clustered_queues(const config::Config& config, const config::Cluster& cluster);

}  // namespace ticketgate
