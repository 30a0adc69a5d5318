// The settings of gates, backends, spools, listeners and logs, from a config. Pure.
#pragma once

#include <cstdint>

#include "config/config.hpp"
#include "gate/gate.hpp"
#include "http/spool.hpp"
#include "log/log.hpp"
#include "net/endpoint.hpp"
#include "upstream/fcgi_upstream.hpp"

namespace ticketgate {

GateSettings gate_settings(const config::Queue& queue);
UpstreamSettings upstream_settings(const config::Upstream& upstream);
FcgiSettings fcgi_settings(const config::Fcgi& fcgi);
Level log_level(config::LogLevel level);
net::Endpoint endpoint_of(const config::Listen& listen);
/// Those for clients, and then that for other replicas, if there is a cluster.
std::vector<config::Listen> listeners_of(const config::Config& config);

/// How much memory this process may use, and whether spool files are a part of it.
struct Memory {
    std::uint64_t limit = ~std::uint64_t{0};  ///< of the cgroup or the machine; unknown: the most
    bool spool_in_memory = false;             ///< spool.directory is on tmpfs or ramfs
};

/// The `max_disk` in effect: where the config does not set it and the directory lies in memory, at
/// most a quarter of what the process may use.
config::Bytes spool_disk(const config::Spool& spool, bool max_disk_given, const Memory& memory);
/// True if the config sets spool.max_disk.
bool gives_max_disk(const config::Config& config);

/// The limits in effect on this machine.
http::SpoolBudget::Limits spool_limits(const config::Config& config, const Memory& memory);

}  // namespace ticketgate
