#include "app/process_metrics.hpp"

#include "app/version.hpp"
#include "metrics/process.hpp"

namespace ticketgate {
namespace {

void register_dropped(metrics::Registry& registry, const char* name, const auto& log) {
    registry.counter_fn("ticketgate_log_dropped_lines_total",
                        "Log lines dropped because the reader was too slow or the file failed.",
                        {{"log", name}}, [&log] { return static_cast<double>(log.dropped()); });
}

void register_spool(metrics::Registry& registry, const http::SpoolBudget& spool) {
    const auto gauge = [&](const char* place, metrics::Callback value) {
        registry.gauge_fn("ticketgate_spool_bytes", "Bytes of bodies spooled now.",
                          {{"place", place}}, std::move(value));
    };
    gauge("memory", [&spool] { return static_cast<double>(spool.memory()); });
    gauge("disk", [&spool] { return static_cast<double>(spool.disk()); });
}

}  // namespace

void register_process_metrics(metrics::Registry& registry, const Log& log,
                              const LogWriter& access_log, const Assembly& assembly) {
    metrics::register_process(registry);
    register_dropped(registry, "access", access_log);
    register_dropped(registry, "operational", log);
    registry
        .gauge("ticketgate_build_info", "Always 1; the labels identify the build.",
               {{"version", version}})
        .set(1);
    register_spool(registry, assembly.commons().spool);
    registry.gauge_fn(
        "ticketgate_input_bytes",
        "Bytes of incomplete requests and of requests that wait behind another.", {},
        [&input = assembly.commons().input] { return static_cast<double>(input.used()); });
}

}  // namespace ticketgate
