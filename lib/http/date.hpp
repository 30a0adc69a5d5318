// The Date field (RFC 9110 5.6.7, 6.6.1). Pure.
#pragma once

#include <array>
#include <string_view>

#include "base/clock.hpp"

namespace ticketgate::http {

/// `Date: Sat, 21 Nov 2026 19:04:12 GMT` and CRLF; always of one length, so it needs no memory.
using DateLine = std::array<char, 37>;

DateLine date_line(WallTime now);

}  // namespace ticketgate::http
