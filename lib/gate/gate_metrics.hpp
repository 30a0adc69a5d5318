// The metrics of one queue (CONTRACT section 7): what its line did. Counters and histograms are
// written under the gate's lock; gauges ask the gate at scrape time.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "metrics/registry.hpp"

namespace ticketgate {

class Gate;
enum class GivenUp : std::uint8_t;

struct GateMetrics {
    GateMetrics(metrics::Registry& registry, const std::string& queue, const Gate& gate);
    ~GateMetrics();
    GateMetrics(const GateMetrics&) = delete;
    GateMetrics& operator=(const GateMetrics&) = delete;

    /// A ticket that waited so long was given up.
    void count(GivenUp why, double waited_seconds);

    metrics::Registry& registry;
    metrics::Histogram &wait_admitted, &wait_timeout, &wait_full, &wait_client_closed,
        &wait_draining, &wait_refused;
    metrics::Histogram& hold;
    metrics::Counter &rejected_full, &rejected_timeout, &rejected_draining, &rejected_refused,
        &rejected_released;
    metrics::Counter& exclusion_violations;
    std::atomic<int> orphaned{0}, held_back{0};
    std::atomic<std::uint64_t> not_told{0};  // several runs of one queue may ask at a time
    std::vector<const metrics::Callback*> gauges;
};

}  // namespace ticketgate
