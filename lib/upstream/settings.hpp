// The address of a backend, and how its connections are kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "http/parser.hpp"
#include "http/redirect.hpp"
#include "upstream/keep_policy.hpp"

namespace ticketgate {

struct UpstreamSettings {
    std::string host;  ///< name or literal address; empty for a unix socket
    std::uint16_t port = 0;
    std::string unix_path;
    /// As a URL names it: the host, and the port unless it is the scheme's.
    std::string authority = {};
    /// Redirects to this address are rewritten for clients.
    std::optional<http::BackendAddress> redirects = {};
    std::uint32_t max_idle = 64;  ///< connections kept, each loop
    Duration idle_timeout = 4s;
    KeepPolicy::Limits trust = {};
    http::HeadLimits head_limits{.max_head = 64 << 10, .max_uri = 0, .max_headers = 200};
    bool operator==(const UpstreamSettings&) const = default;
};

}  // namespace ticketgate
