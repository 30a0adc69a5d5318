// The metrics of a replica and of its clustered queues (CLUSTER.md section 8).
#pragma once

#include "config/config.hpp"
#include "metrics/registry.hpp"
#include "replica/replica.hpp"

namespace ticketgate {

/// Registers the histograms of store calls, and returns the function that fills them.
replica::Timed time_store_calls(metrics::Registry& registry);

/// Both outlive the metrics. Control thread.
void register_cluster_metrics(metrics::Registry& registry, const replica::Replica& replica,
                              const config::Config& config);

}  // namespace ticketgate
