// The grammar of Cache-Control (RFC 9111 5.2). Pure.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate::config {

/// Returns why caches would not understand this text, and what to write; empty: they do.
std::string why_not_cache_control(std::string_view text);

}  // namespace ticketgate::config
