// Where the spans of requests go; a part of config.hpp.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "config/model_workers.hpp"

namespace ticketgate::config {

/// `off`, `on`, or a number from 0 to 1 with at most six decimals.
struct Share {
    std::uint32_t millionths = 0;
    bool operator==(const Share&) const = default;
};
inline constexpr std::uint32_t whole_share = 1'000'000;

/// `http(s)://host:port/path`.
struct CollectorUrl {
    std::string url;  ///< as written
    bool https = false;
    std::string host;  ///< a name, or an address (IPv6 without brackets)
    std::uint16_t port = 0;
    std::string path = "/v1/traces";
    bool operator==(const CollectorUrl&) const = default;
};

/// Spans of requests, exported to a collector of OpenTelemetry.
struct Tracing {
    CollectorUrl endpoint;
    Share begin;  ///< of the requests without a trace, those that begin one
    std::string service_name = "ticketgate";
    std::uint32_t max_spans = 16384;  ///< that wait for the collector, 1 KiB each; more are dropped
    milliseconds interval = 1s;       ///< between two batches that are not full
    milliseconds timeout = 5s;        ///< of one batch
    Headers headers;                  ///< sent to the collector
    std::string ca_file;              ///< resolved; signers for https; empty: the system's
    bool operator==(const Tracing&) const = default;
};

}  // namespace ticketgate::config
