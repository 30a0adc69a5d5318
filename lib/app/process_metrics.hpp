// Metrics of the process as a whole: its build, its logs, the memory and disk of its budgets.
#pragma once

#include "log/log.hpp"
#include "log/log_writer.hpp"
#include "metrics/registry.hpp"
#include "proxy/assembly.hpp"

namespace ticketgate {

/// Each scrape reads the arguments, so they must stay valid while `registry` is scraped.
void register_process_metrics(metrics::Registry& registry, const Log& log,
                              const LogWriter& access_log, const Assembly& assembly);

}  // namespace ticketgate
