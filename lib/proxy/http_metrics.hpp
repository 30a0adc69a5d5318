// The request counters of one I/O thread; the registry sums the threads.
#pragma once

#include <array>

#include "log/record.hpp"
#include "metrics/registry.hpp"

namespace ticketgate {

class HttpMetrics {
 public:
    explicit HttpMetrics(metrics::Registry& registry);
    void count(const Record& record);
    metrics::Counter& connections_accepted;
    metrics::Counter& connections_refused;
    metrics::Counter& accept_failures;
    metrics::Counter& connections_made_room;
    metrics::Gauge& connections;
    // TLS handshakes of clients, counted at the first request or at a failure before it.
    metrics::Counter& tls_full;
    metrics::Counter& tls_resumed;
    metrics::Counter& tls_failed;

 private:
    std::array<metrics::Counter*, 6>
        by_class_;  // 0: 499, left without an answer; 1xx unused; 2xx-5xx
    metrics::Histogram& duration_;
    metrics::Histogram& upstream_duration_;
};

}  // namespace ticketgate
