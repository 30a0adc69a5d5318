// Prints the queues and tickets of a running process as a table for people. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate {

/// Reads the JSON of /api/v1/queues or /api/v1/queues/NAME; returns any other text unchanged.
/// Replaces control characters: clients choose the targets.
std::string worker_table(std::string_view text);
std::string queue_table(std::string_view json);

}  // namespace ticketgate
