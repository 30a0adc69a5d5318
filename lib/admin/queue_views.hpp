// The lines as JSON: all of them in short, one of them ticket by ticket.
#pragma once

#include <cstddef>
#include <string>

#include "gate/gate_registry.hpp"

namespace ticketgate::admin {

std::string all_queues(const GateRegistry& gates);

/// With at most `most` of those who wait.
std::string one_queue(const Gate& gate, std::size_t most);

}  // namespace ticketgate::admin
