// The exporter of traces, as the config and the process want it.
#pragma once

#include <optional>

#include "app/connect_check.hpp"
#include "config/config.hpp"
#include "ids/machine.hpp"
#include "otlp/collector.hpp"
#include "trace/otlp.hpp"

namespace ticketgate {

/// Nothing: the config has no `tracing`.
std::optional<otlp::Settings> collector_settings(const config::Config& config);

/// `check --connect`: posts a batch without spans. Nothing: the config has no `tracing`. Runs an
/// io_context of its own on the caller's thread. Throws std::runtime_error that names a bad file.
std::optional<Tried> try_collector(const config::Config& config);

/// The version of this program, and an id of this process.
trace::Service this_service(const ids::Machine& machine);

}  // namespace ticketgate
