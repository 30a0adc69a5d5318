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

/// Null: the config, read from this file, has no cluster. Throws std::runtime_error that names a
/// bad file. The registry outlives it.
std::unique_ptr<replica::Replica> make_replica(const config::Config& config,
                                               const std::string& file, Log& log,
                                               metrics::Registry& registry);

/// False: php-fpm cannot show the end of what a lost replica has sent, for it is not known which
/// php-fpm that was: an upstream has a name, which may lead elsewhere, or workers of its own.
bool shows_lost_work(const config::Config& config);
/// The same for a certain replica, from its address and ours: an upstream of this machine is
/// another one on another machine.
bool shows_lost_work_of(const config::Config& config, const std::string& theirs,
                        const std::string& ours);

/// The settings of the clustered queues. `cluster`: the section of the start, as a reload
/// does not change it.
replica::Queues clustered_queues(const config::Config& config, const config::Cluster& cluster);

}  // namespace ticketgate
