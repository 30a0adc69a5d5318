// The queues as JSON: a summary of all of them, or one queue ticket by ticket.
#pragma once

#include <cstddef>
#include <string>

#include "gate/gate_registry.hpp"

namespace ticketgate::admin {

std::string all_queues(const GateRegistry& gates);

/// Lists at most `most` waiting tickets.
std::string one_queue(const Gate& gate, std::size_t most);

}  // namespace ticketgate::admin
