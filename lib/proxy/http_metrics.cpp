#include "proxy/http_metrics.hpp"

namespace ticketgate {
namespace {

metrics::Counter& requests(metrics::Registry& registry, const char* code) {
    return registry.counter("ticketgate_http_requests_total",
                            "Requests by status class; 499: the client left before its answer.",
                            {{"code", code}});
}

metrics::Counter& handshakes(metrics::Registry& registry, const char* result) {
    return registry.counter(
        "ticketgate_tls_handshakes_total",
        "TLS handshakes with clients that failed or were followed by a request.",
        {{"result", result}});
}

}  // namespace

HttpMetrics::HttpMetrics(metrics::Registry& r)
    : connections_accepted(
          r.counter("ticketgate_connections_accepted_total", "Client connections accepted.")),
      connections_refused(
          r.counter("ticketgate_connections_refused_total",
                    "Client connections closed at once because of max_connections_per_client.")),
      accept_failures(r.counter("ticketgate_accept_failures_total",
                                "Client connections that failed for lack of "
                                "descriptors, memory or epoll watches.")),
      connections_made_room(
          r.counter("ticketgate_connections_made_room_total",
                    "Idle and lingering client connections closed for new clients at "
                    "max_connections.")),
      connections(r.gauge("ticketgate_connections", "Client connections open now.")),
      tls_full(handshakes(r, "full")),
      tls_resumed(handshakes(r, "resumed")),
      tls_failed(handshakes(r, "failed")),
      by_class_{&requests(r, "499"), &requests(r, "1xx"), &requests(r, "2xx"),
                &requests(r, "3xx"), &requests(r, "4xx"), &requests(r, "5xx")},
      duration_(r.histogram("ticketgate_http_request_duration_seconds",
                            "Request head complete to response delivered.", {},
                            metrics::seconds_buckets)),
      upstream_duration_(r.histogram("ticketgate_upstream_duration_seconds",
                                     "Request sent to the backend's response complete.", {},
                                     metrics::seconds_buckets)) {}

void HttpMetrics::count(const Record& record) {
    const std::size_t index = record.status == 499 ? 0 : record.status / 100u;
    by_class_[index < by_class_.size() ? index : 5]->add();
    duration_.observe(to_s(record.duration));
    if (record.upstream_status != 0) upstream_duration_.observe(to_s(record.upstream));
}

}  // namespace ticketgate
