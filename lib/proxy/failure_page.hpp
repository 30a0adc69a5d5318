// The page that a browser gets in place of a problem document: what happened, what to do now, and
// what to tell the operator. Pure.
#pragma once

#include <string>

#include "base/error.hpp"
#include "proxy/failure.hpp"

namespace ticketgate {

/// What the built-in page may load: its own style, and nothing else.
inline constexpr std::string_view page_policy = "default-src 'none'; style-src 'unsafe-inline'";

/// The built-in page: HTML in UTF-8, below 3 KiB, without scripts and outside resources.
std::string failure_page(error_code failure, std::uint16_t status, const FailureFacts& facts);

}  // namespace ticketgate
