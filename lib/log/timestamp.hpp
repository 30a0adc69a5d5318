// Wall time as text, always UTC. Pure; any thread.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace ticketgate {

/// `2026-11-20T08:15:30.123456Z` (RFC 3339).
void append_rfc3339(std::string& out, WallTime time);

/// `20/Nov/2026:08:15:30 +0000` (the common log format).
void append_clf(std::string& out, WallTime time);

}  // namespace ticketgate
