// The metrics of one queue (CONTRACT section 7). Counters and histograms are written under the
// gate's lock; a scrape asks the gate for its figures once.
#pragma once

#include <string>

#include "gate/gate_view.hpp"
#include "metrics/callbacks.hpp"

namespace ticketgate {

class Gate;
struct RunNotes;
enum class GivenUp : std::uint8_t;

/// Makes the counter of a queue, by GateLosses::names.
metrics::Counter& loss_counter(metrics::Registry& registry, const std::string& queue,
                               std::size_t which);

struct GateMetrics {
    GateMetrics(metrics::Registry& registry, const Gate& gate);
    ~GateMetrics();
    GateMetrics(const GateMetrics&) = delete;
    GateMetrics& operator=(const GateMetrics&) = delete;

    /// Counts a waiting ticket that was given up.
    void count(GivenUp why, double waited_seconds);
    /// Any thread.
    GateCounts counts() const;
    GateLosses losses() const;
    /// By GateLosses::names.
    metrics::Counter& loss(std::size_t which);

    metrics::Registry& registry;
    metrics::Histogram &wait_admitted, &wait_timeout, &wait_full, &wait_client_closed,
        &wait_draining, &wait_refused, &wait_released;
    metrics::Histogram& hold;
    metrics::Histogram* forward = nullptr;  ///< of a clustered queue
    metrics::Counter &rejected_full, &rejected_timeout, &rejected_draining, &rejected_refused,
        &rejected_released, &rejected_spool_full;
    metrics::Counter& exclusion_violations;
    GateFigures seen;  // at the last scrape: all gauges show the same moment
    metrics::Callbacks gauges{registry};

 private:
    void count_forwards(const RunNotes& notes, const std::string& queue);
    void count_runs(const RunNotes& notes, const metrics::Labels& labels);
    void count_calls(const RunNotes& notes, const std::string& queue);
};

}  // namespace ticketgate
