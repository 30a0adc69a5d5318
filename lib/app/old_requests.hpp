// Tells the new process of an upgrade which request of each queue has run for longest in the old
// one, for the operator: the new process's line waits for it. Control thread.
#pragma once

#include <map>
#include <string>

#include "admin/queue_views.hpp"
#include "app/queue_losses.hpp"
#include "gate/gate_registry.hpp"
#include "upgrade/message.hpp"

namespace ticketgate {

/// The old process's side: tells what has changed since the last time.
class OldRequests {
 public:
    OldRequests(const GateRegistry& gates, QueueLosses::Send send)
        : gates_(gates), send_(std::move(send)) {}
    void tell();

 private:
    void tell_of(const LocalGate& gate);
    const GateRegistry& gates_;
    const QueueLosses::Send send_;
    std::map<std::string, std::string> told_;  // one a queue
};

/// The new process's side.
using OldestRequests = std::map<std::string, admin::OldRequest>;  // by queue
void note_oldest(OldestRequests& known, const upgrade::Message& message);

}  // namespace ticketgate
