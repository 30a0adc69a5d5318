// The queues and the tickets of a running process as a table for people. Pure.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate {

/// From what /api/v1/queues or /api/v1/queues/NAME answers; anything else comes back as it is.
/// Shows no control characters, since clients choose the targets.
std::string queue_table(std::string_view json);

}  // namespace ticketgate
