// Reads dates of HTTP fields (RFC 9110 5.6.7), in whole seconds since 1970 UTC. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ticketgate::files {

/// Reads any of the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, the one of RFC 850 with its
/// two-digit year, and that of asctime(). Absent: it is no date.
std::optional<std::int64_t> parse_http_date(std::string_view text);

}  // namespace ticketgate::files
