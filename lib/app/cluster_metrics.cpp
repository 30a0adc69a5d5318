#include "app/cluster_metrics.hpp"

#include <array>
#include <utility>

namespace ticketgate {
namespace {

using cluster::LineState;

void register_states(metrics::Registry& registry, const replica::Replica& replica,
                     const std::string& queue) {
    for (const LineState state : {LineState::free, LineState::idle, LineState::open,
                                  LineState::leaving, LineState::settling})
        registry.gauge_fn(
            "ticketgate_queue_state", "1: the state of the clustered queue in the store.",
            {{"queue", queue}, {"state", std::string(to_string(state))}}, [&replica, queue, state] {
                const auto line = replica.view(queue).record;
                return line && line->state == state ? 1.0 : 0.0;
            });
}

void register_queue(metrics::Registry& registry, const replica::Replica& replica,
                    const std::string& queue) {
    const metrics::Labels labels{{"queue", queue}};
    registry.gauge_fn("ticketgate_queue_keeper", "1: this replica keeps the clustered queue.",
                      labels, [&replica, queue] {
                          return replica.view(queue).role == cluster::Role::follower ? 0.0 : 1.0;
                      });
    registry.gauge_fn("ticketgate_queue_epoch", "The epoch of the clustered queue in the store.",
                      labels, [&replica, queue] {
                          const auto line = replica.view(queue).record;
                          return line ? static_cast<double>(line->epoch) : 0.0;
                      });
    registry.gauge_fn("ticketgate_queue_settling_seconds",
                      "How long this replica has waited for the end of an earlier epoch.", labels,
                      [&replica, queue] { return to_s(replica.view(queue).settling); });
    registry.counter_fn("ticketgate_queue_takeovers_total",
                        "How often this replica took the clustered queue over.", labels,
                        [&replica, queue] { return double(replica.view(queue).takeovers); });
    constexpr std::array<std::pair<cluster::Settled, const char*>, 4> ways{
        {{cluster::Settled::word, "word"},
         {cluster::Settled::workers, "worker_idle"},
         {cluster::Settled::hold_timeout, "hold_timeout"},
         {cluster::Settled::by_operator, "operator"}}};
    for (const auto& [how, name] : ways)
        registry.counter_fn("ticketgate_queue_settled_total",
                            "Ends of an earlier epoch, by what showed them.",
                            {{"queue", queue}, {"by", name}}, [&replica, queue, how = how] {
                                const auto view = replica.view(queue);
                                return double(view.settled[static_cast<std::size_t>(how)]);
                            });
    register_states(registry, replica, queue);
}

metrics::Histogram& store_seconds(metrics::Registry& registry, const char* call) {
    return registry.histogram("ticketgate_cluster_store_seconds",
                              "Time of a call of the cluster's store, with or without an answer.",
                              {{"call", call}}, metrics::seconds_buckets);
}

}  // namespace

replica::Timed time_store_calls(metrics::Registry& registry) {
    const std::array<metrics::Histogram*, 3> by_call{&store_seconds(registry, "read"),
                                                     &store_seconds(registry, "write"),
                                                     &store_seconds(registry, "renew")};
    return [by_call](replica::StoreCall call, Duration took) {
        by_call[static_cast<std::size_t>(call)]->observe(to_s(took));
    };
}

void register_cluster_metrics(metrics::Registry& registry, const replica::Replica& replica,
                              const config::Config& config) {
    registry.gauge_fn("ticketgate_cluster_store_up", "1: the last call of the store succeeded.", {},
                      [&replica] { return replica.problem().empty() ? 1.0 : 0.0; });
    registry.gauge_fn("ticketgate_cluster_sure_seconds",
                      "For how long this replica may still grant without the store.", {},
                      [&replica] { return to_s(replica.sure()); });
    registry.gauge_fn("ticketgate_cluster_settings_differ",
                      "1: another replica has other settings of a clustered queue, or this "
                      "one's address.",
                      {}, [&replica] {
                          const bool alike =
                              replica.differing().empty() && !replica.shares_address();
                          return alike ? 0.0 : 1.0;
                      });
    for (const auto& [name, queue] : config.queues)
        if (queue.cluster) register_queue(registry, replica, name);
}

}  // namespace ticketgate
