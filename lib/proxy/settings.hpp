// What gates, backends, spools, listeners and logs are told of a config. Pure.
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

/// How much memory this process may use, and whether spool files are a part of it.
struct Memory {
    std::uint64_t limit = ~std::uint64_t{0};  ///< of the cgroup or the machine; unknown: the most
    bool spool_in_memory = false;             ///< spool.directory is on tmpfs or ramfs
};

/// `max_disk` as it counts: where the file does not set it and the directory lies in memory, at
/// most a quarter of what the process may use.
config::Bytes spool_disk(const config::Spool& spool, bool max_disk_given, const Memory& memory);
/// Does the file set it?
bool gives_max_disk(const config::Config& config);

/// As they count on this machine.
http::SpoolBudget::Limits spool_limits(const config::Config& config, const Memory& memory);

}  // namespace ticketgate
