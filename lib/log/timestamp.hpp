// Wall time as text, always UTC. Pure; any thread. A time beyond the years 0 to 9999, of a broken
// clock, is told as the first or the last of these.
#pragma once

#include <string>

#include "base/clock.hpp"

namespace ticketgate {

/// `2026-11-20T08:15:30.123456Z` (RFC 3339).
void append_rfc3339(std::string& out, WallTime time);

/// `20/Nov/2026:08:15:30 +0000` (the common log format).
void append_clf(std::string& out, WallTime time);

/// `Sat, 21 Nov 2026 19:04:12 GMT` (RFC 9110 5.6.7), of HTTP's Date field.
void append_http_date(std::string& out, WallTime time);

}  // namespace ticketgate
