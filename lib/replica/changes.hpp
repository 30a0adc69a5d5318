// Writes to the log what becomes of a clustered queue at this replica: it takes it over, waits for
// the end of an earlier epoch, or keeps it no longer. Decides nothing.
#pragma once

#include <string>

#include "log/log.hpp"
#include "replica/line_view.hpp"

namespace ticketgate::replica {

/// One log line for each thing that happened between these two views of the queue. `options`: of
/// commands about this cluster.
void log_changes(Log&, const std::string& queue, const LineView& before, const LineView& after,
                 const std::string& options);

struct StoreProblem {
    std::string why;  ///< empty: none is known
    bool full = false;
};

/// The process ends: one line if the queue will stand because of it.
void log_kept(Log&, const std::string& queue, const LineView&, const StoreProblem& problem,
              const std::string& options);

}  // namespace ticketgate::replica
