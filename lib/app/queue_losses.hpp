// Passes the counts of refusals and broken promises from the queues of the old process of an
// upgrade to the new process, whose metrics an operator sees. Control thread.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "gate/gate_registry.hpp"
#include "metrics/registry.hpp"
#include "upgrade/message.hpp"

namespace ticketgate {

/// The old process's side: tells what was counted since the last time.
class QueueLosses {
 public:
    using Send = std::function<void(const upgrade::Message&)>;
    /// Counts from here on.
    QueueLosses(const GateRegistry& gates, Send send);
    void tell();

 private:
    void tell_of(const LocalGate& gate);
    const GateRegistry& gates_;
    const Send send_;
    std::map<std::string, GateLosses> told_;  // one a queue
};

/// The new process's side. A queue that is not in its config counts as one that a reload removed.
void add_losses(const GateRegistry& gates, metrics::Registry& metrics,
                const upgrade::Message& message);

}  // namespace ticketgate
