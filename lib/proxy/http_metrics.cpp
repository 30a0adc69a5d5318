#include "proxy/http_metrics.hpp"

#include <algorithm>
#include <cerrno>

namespace ticketgate {
namespace {

struct Reason {
    const char* name;
    errc failure;
    int refusal = 0;  // 0: any
};
// The first matching row applies; the last is for all other errors.
constexpr std::array<Reason, 11> reasons{{
    {"refused", errc::upstream_refused, ECONNREFUSED},
    {"no_socket", errc::upstream_refused, ENOENT},
    {"permission", errc::upstream_refused, EACCES},
    {"not_connected", errc::upstream_refused},
    {"tls", errc::upstream_untrusted},
    {"connect_timeout", errc::upstream_connect_timeout},
    {"ended_early", errc::upstream_broke},
    {"bad_response", errc::upstream_bad_response},
    {"timeout", errc::upstream_timeout},
    {"overloaded", errc::upstream_overloaded},
    {"other", errc::upstream_lost},
}};

metrics::Counter& upstream_errors(metrics::Registry& registry, const char* reason) {
    return registry.counter("ticketgate_upstream_errors_total",
                            "Exchanges that a backend refused, broke or did not answer.",
                            {{"reason", reason}});
}

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
                                     metrics::seconds_buckets)) {
    std::ranges::transform(reasons, upstream_errors_.begin(),
                           [&](const Reason& why) { return &upstream_errors(r, why.name); });
}

void HttpMetrics::upstream_failed(error_code failure, int refusal) {
    const auto fits = [&](const Reason& r) {
        return failure == r.failure && (r.refusal == 0 || r.refusal == refusal);
    };
    const auto found = std::ranges::find_if(reasons, fits);
    const auto index = std::min<std::ptrdiff_t>(found - reasons.begin(), reasons.size() - 1);
    upstream_errors_[static_cast<std::size_t>(index)]->add();
}

void HttpMetrics::count(const Record& record) {
    const std::size_t index = record.status == 499 ? 0 : record.status / 100u;
    by_class_[index < by_class_.size() ? index : 5]->add();
    duration_.observe(to_s(record.duration));
    if (record.upstream_status != 0) upstream_duration_.observe(to_s(record.upstream));
}

}  // namespace ticketgate
