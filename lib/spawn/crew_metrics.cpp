#include "spawn/crew.hpp"

namespace ticketgate::spawn {
namespace {

constexpr std::array<const char*, 4> states{"starting", "idle", "busy", "stopping"};
// The first four are faults; TicketgateWorkersDie in deploy/monitoring names them.
constexpr std::array<const char*, 8> reasons{"exit", "signal",       "start_timeout", "protocol",
                                             "idle", "max_requests", "reload",        "stop"};

}  // namespace

CrewMetrics::CrewMetrics(metrics::Registry& r, const std::string& the_upstream)
    : registry(r),
      upstream(the_upstream),
      starts(r.counter("ticketgate_worker_starts_total", "Workers that ticketgate has started.",
                       {{"upstream", the_upstream}})),
      busy_seconds(r.histogram("ticketgate_worker_busy_seconds",
                               "From a request's start on a worker until it is idle again.",
                               {{"upstream", the_upstream}}, metrics::seconds_buckets)) {
    for (const char* reason : reasons) (void)deaths(reason);  // a rate needs their zeros
}

CrewMetrics::~CrewMetrics() {
    gauges.clear();
    // A reload that changes the processes brings another pool of the same name: no sum may fall.
    registry.retire(starts);
    registry.retire(busy_seconds);
    for (const auto& [reason, counter] : by_reason) registry.retire(*counter);
}

void CrewMetrics::watch(const Pool& pool) {
    for (std::size_t i = 0; i < states.size(); ++i)
        gauges.add(registry.gauge_fn("ticketgate_workers", "Workers by state.",
                                     {{"upstream", upstream}, {"state", states[i]}}, [&pool, i] {
                                         return static_cast<double>(pool.figures().workers[i]);
                                     }));
    gauges.add(registry.gauge_fn("ticketgate_worker_waiting", "Requests that wait for a worker.",
                                 {{"upstream", upstream}},
                                 [&pool] { return static_cast<double>(pool.figures().waiting); }));
}

metrics::Counter& CrewMetrics::deaths(const std::string& reason) {
    auto& counter = by_reason[reason];
    if (counter == nullptr)
        counter = &registry.counter("ticketgate_worker_deaths_total", "Workers that have ended.",
                                    {{"upstream", upstream}, {"reason", reason}});
    return *counter;
}

}  // namespace ticketgate::spawn
