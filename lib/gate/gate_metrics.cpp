#include "gate/gate_metrics.hpp"

#include "gate/gate.hpp"

namespace ticketgate {
namespace {

// Between two processes of one machine it takes some 50 µs.
constexpr double forward_buckets[] = {0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005,
                                      0.01,    0.025,  0.05,    0.1,    0.25,  1};

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

metrics::Counter& violations(metrics::Registry& registry, const std::string& queue) {
    return registry.counter("ticketgate_exclusion_violations_total",
                            "Slots released while their backend may still have run; always 0 "
                            "unless on_hold_timeout is release or an operator releases a slot.",
                            {{"queue", queue}});
}

}  // namespace

metrics::Counter& loss_counter(metrics::Registry& registry, const std::string& queue,
                               std::size_t which) {
    if (which == 0) return violations(registry, queue);
    return rejected(registry, queue, std::string(GateLosses::names.at(which)).c_str());
}

GateMetrics::GateMetrics(metrics::Registry& r, const Gate& gate)
    : registry(r),
      wait_admitted(wait(r, gate.name(), "admitted")),
      wait_timeout(wait(r, gate.name(), "timeout")),
      wait_full(wait(r, gate.name(), "full")),
      wait_client_closed(wait(r, gate.name(), "client_closed")),
      wait_draining(wait(r, gate.name(), "draining")),
      wait_refused(wait(r, gate.name(), "refused")),
      wait_released(wait(r, gate.name(), "released")),
      hold(r.histogram("ticketgate_queue_hold_seconds", "Time a slot is held.",
                       {{"queue", gate.name()}}, metrics::seconds_buckets)),
      rejected_full(rejected(r, gate.name(), "full")),
      rejected_timeout(rejected(r, gate.name(), "timeout")),
      rejected_draining(rejected(r, gate.name(), "draining")),
      rejected_refused(rejected(r, gate.name(), "refused")),
      rejected_released(rejected(r, gate.name(), "released")),
      rejected_spool_full(rejected(r, gate.name(), "spool_full")),
      exclusion_violations(violations(r, gate.name())) {
    const metrics::Labels labels{{"queue", gate.name()}};
    const auto gauge = [&](const char* name, const char* help, metrics::Callback value) {
        gauges.add(r.gauge_fn(name, help, labels, std::move(value)));
    };
    gauges.add(r.on_collect([this, &gate] { seen = gate.figures(); }));
    gauge("ticketgate_queue_waiting", "Tickets waiting in line now.",
          [this] { return double(seen.waiting); });
    gauge("ticketgate_queue_in_flight", "Slots held now.",
          [this] { return double(seen.in_flight); });
    gauge("ticketgate_queue_max_in_flight", "Slots the queue has.",
          [this] { return double(seen.settings.limits.max_in_flight); });
    gauge("ticketgate_queue_paused", "1: an operator has paused the queue; nobody is admitted.",
          [this] { return seen.paused() ? 1.0 : 0.0; });
    gauge("ticketgate_queue_in_old_process",
          "1: the old process of an upgrade still has the queue; nobody is admitted here.",
          [this] { return seen.in_old_process ? 1.0 : 0.0; });
    gauge("ticketgate_queue_oldest_wait_seconds", "How long the head of the line has waited.",
          [this] { return to_s(seen.oldest_wait); });
    gauge("ticketgate_queue_oldest_hold_seconds", "How long the oldest slot has been held.",
          [this] { return to_s(seen.oldest_hold); });
    gauge("ticketgate_queue_stalled_seconds",
          "For how long none of those who wait has got a slot; 0: nobody waits.",
          [this] { return to_s(seen.stalled); });
    gauges.add(r.counter_fn(
        "ticketgate_queue_slot_seconds_total",
        "Time for which slots were held, of all slots together, those held now included.", labels,
        [this] { return seen.slot_seconds; }));
    gauge("ticketgate_queue_inside", "Calls from inside that run or wait within a held slot.",
          [this] { return double(seen.inside); });
    count_runs(gate.notes, labels);
    count_calls(gate.notes, gate.name());
    if (gate.clustered()) count_forwards(gate.notes, gate.name());
}

void GateMetrics::count_runs(const RunNotes& notes, const metrics::Labels& labels) {
    const auto now = [&](const char* name, const char* help, const std::atomic<int>& number) {
        gauges.add(registry.gauge_fn(name, help, labels, [&number] {
            return double(number.load(std::memory_order_relaxed));
        }));
    };
    now("ticketgate_queue_orphaned", "Requests running now whose client left.", notes.orphaned);
    now("ticketgate_queue_timed_out",
        "Requests running now whose client was answered after response_timeout.", notes.timed_out);
    now("ticketgate_queue_held_back",
        "Requests running now whose backend waits for a slow client, as the spool is full.",
        notes.held_back);
    gauges.add(registry.counter_fn(
        "ticketgate_queue_status_failures_total",
        "release: worker_idle: php-fpm's status was unreadable, so the slot stayed held.", labels,
        [&notes] { return double(notes.not_told.load(std::memory_order_relaxed)); }));
}

void GateMetrics::count_calls(const RunNotes& notes, const std::string& queue) {
    const auto inside = [&](const char* how, const std::atomic<std::uint64_t>& count) {
        gauges.add(registry.counter_fn(
            "ticketgate_queue_inside_calls_total",
            "Requests that the backend sent itself while a request of the queue was in flight.",
            {{"queue", queue}, {"how", how}},
            [&count] { return double(count.load(std::memory_order_relaxed)); }));
    };
    inside("pass", notes.inside_passed);
    inside("wait", notes.inside_waited);
    inside("accept", notes.inside_accepted);
    inside("refuse", notes.inside_refused);
}

void GateMetrics::count_forwards(const RunNotes& notes, const std::string& queue) {
    const auto count = [&](const char* name, const char* help, metrics::Labels labels,
                           const std::atomic<std::uint64_t>& number) {
        labels.insert(labels.begin(), {"queue", queue});
        gauges.add(registry.counter_fn(name, help, std::move(labels), [&number] {
            return double(number.load(std::memory_order_relaxed));
        }));
    };
    const auto forwards = [&](const char* outcome, const std::atomic<std::uint64_t>& number) {
        count("ticketgate_queue_forwarded_total",
              "Requests sent to the replica that keeps the clustered queue, by what became of "
              "them.",
              {{"outcome", outcome}}, number);
    };
    forwards("served", notes.forwards_served);
    forwards("moved", notes.forwards_moved);
    forwards("lost", notes.forwards_lost);
    forwards("client_closed", notes.forwards_left);
    forwards("failed", notes.forwards_failed);
    count("ticketgate_queue_forward_retries_total",
          "Tries to send a request to the keeper that did not start it, so that it went again.", {},
          notes.forwards_again);
    gauges.add(registry.gauge_fn(
        "ticketgate_queue_keeper_refuses",
        "1: the keeper cannot be reached, or does not take this replica for one of its cluster.",
        {{"queue", queue}}, [&notes] { return notes.keeper_refuses ? 1.0 : 0.0; }));
    forward = &registry.histogram("ticketgate_queue_forward_seconds",
                                  "Time of forwarding to the replica that keeps the clustered "
                                  "queue and back, without the request's time there.",
                                  {{"queue", queue}}, forward_buckets);
    count("ticketgate_queue_rejected_total", "Requests the line did not admit.",
          {{"reason", "cluster_away"}}, notes.cluster_away);
}

GateMetrics::~GateMetrics() {
    gauges.clear();
    for (auto* h : {&wait_admitted, &wait_timeout, &wait_full, &wait_client_closed, &wait_draining,
                    &wait_refused, &wait_released, &hold})
        registry.remove(*h);
    if (forward != nullptr) registry.remove(*forward);
    for (auto* c : {&rejected_full, &rejected_timeout, &rejected_draining, &rejected_refused,
                    &rejected_released, &rejected_spool_full})
        registry.remove(*c);
    // A reload may remove the queue before its count was ever read.
    registry.retire(exclusion_violations);
}

GateCounts GateMetrics::counts() const {
    GateCounts counts;
    for (std::size_t i = 0; i < counts.waits.size(); ++i) {
        counts.waits[i] = wait_admitted.count(i);
        counts.holds[i] = hold.count(i);
    }
    for (const auto* reason : {&rejected_full, &rejected_timeout, &rejected_draining,
                               &rejected_refused, &rejected_released, &rejected_spool_full})
        counts.refused += reason->value();
    counts.exclusion_violations = exclusion_violations.value();
    return counts;
}

GateLosses GateMetrics::losses() const {
    return {{exclusion_violations.value(), rejected_full.value(), rejected_timeout.value(),
             rejected_draining.value(), rejected_refused.value(), rejected_released.value(),
             rejected_spool_full.value()}};
}

metrics::Counter& GateMetrics::loss(std::size_t which) {
    const std::array<metrics::Counter*, GateLosses::names.size()> all{
        &exclusion_violations, &rejected_full,     &rejected_timeout,   &rejected_draining,
        &rejected_refused,     &rejected_released, &rejected_spool_full};
    return *all.at(which);
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
        case GivenUp::no_room:
            rejected_spool_full.add();
            return wait_refused.observe(waited_seconds);
        case GivenUp::timeout:
            rejected_timeout.add();
            return wait_timeout.observe(waited_seconds);
    }
}

}  // namespace ticketgate
