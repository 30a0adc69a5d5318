#include "gate/gate_metrics.hpp"

#include "gate/gate.hpp"

namespace ticketgate {
namespace {

metrics::Histogram& wait(metrics::Registry& registry, const std::string& queue,
                         const char* outcome) {
    return registry.histogram("ticketgate_queue_wait_seconds",
                              "Time in line by outcome; zero waits included.",
                              {{"queue", queue}, {"outcome", outcome}}, metrics::seconds_buckets);
}

metrics::Counter& rejected(metrics::Registry& registry, const std::string& queue,
                           const char* reason) {
    return registry.counter("ticketgate_queue_rejected_total", "Requests the line did not admit.",
                            {{"queue", queue}, {"reason", reason}});
}

}  // namespace

GateMetrics::GateMetrics(metrics::Registry& r, const std::string& queue, const Gate& gate)
    : registry(r),
      wait_admitted(wait(r, queue, "admitted")),
      wait_timeout(wait(r, queue, "timeout")),
      wait_full(wait(r, queue, "full")),
      wait_client_closed(wait(r, queue, "client_closed")),
      wait_draining(wait(r, queue, "draining")),
      wait_refused(wait(r, queue, "refused")),
      hold(r.histogram("ticketgate_queue_hold_seconds", "Time a slot is held.", {{"queue", queue}},
                       metrics::seconds_buckets)),
      rejected_full(rejected(r, queue, "full")),
      rejected_timeout(rejected(r, queue, "timeout")),
      rejected_draining(rejected(r, queue, "draining")),
      rejected_refused(rejected(r, queue, "refused")),
      rejected_released(rejected(r, queue, "released")),
      exclusion_violations(
          r.counter("ticketgate_exclusion_violations_total",
                    "Slots released while their backend may still have run; always 0 unless "
                    "on_hold_timeout: release, or an operator did it.",
                    {{"queue", queue}})) {
    const metrics::Labels labels{{"queue", queue}};
    const auto gauge = [&](const char* name, const char* help, metrics::Callback value) {
        gauges.push_back(&r.gauge_fn(name, help, labels, std::move(value)));
    };
    gauge("ticketgate_queue_waiting", "Tickets waiting in line now.",
          [&gate] { return double(gate.waiting()); });
    gauge("ticketgate_queue_in_flight", "Slots held now.",
          [&gate] { return double(gate.in_flight()); });
    gauge("ticketgate_queue_max_in_flight", "Slots the queue has.",
          [&gate] { return double(gate.settings().limits.max_in_flight); });
    gauge("ticketgate_queue_oldest_wait_seconds", "How long the head of the line has waited.",
          [&gate] { return gate.oldest_wait_seconds(); });
    gauge("ticketgate_queue_oldest_hold_seconds", "How long the oldest slot has been held.",
          [&gate] { return gate.oldest_hold_seconds(); });
    gauge("ticketgate_queue_orphaned", "Requests running now whose client left.",
          [this] { return double(orphaned.load(std::memory_order_relaxed)); });
    gauges.push_back(&r.counter_fn(
        "ticketgate_queue_status_failures_total",
        "release: worker_idle: php-fpm's status told nothing, so the slot stayed held.", labels,
        [this] { return double(not_told.load(std::memory_order_relaxed)); }));
    gauge("ticketgate_queue_held_back",
          "Requests running now whose backend waits for a slow client, as the spool is full.",
          [this] { return double(held_back.load(std::memory_order_relaxed)); });
}

GateMetrics::~GateMetrics() {
    for (const auto* gauge : gauges) registry.remove(*gauge);
    for (auto* h : {&wait_admitted, &wait_timeout, &wait_full, &wait_client_closed, &wait_draining,
                    &wait_refused, &hold})
        registry.remove(*h);
    for (auto* c : {&rejected_full, &rejected_timeout, &rejected_draining, &rejected_refused,
                    &rejected_released, &exclusion_violations})
        registry.remove(*c);
}

void GateMetrics::count(GivenUp why, double waited_seconds) {
    switch (why) {
        case GivenUp::client_closed:
            return wait_client_closed.observe(waited_seconds);
        case GivenUp::draining:
            rejected_draining.add();
            return wait_draining.observe(waited_seconds);
        case GivenUp::refused:
            rejected_refused.add();
            return wait_refused.observe(waited_seconds);
    }
}

}  // namespace ticketgate
