// Writes `ticketgate explain METHOD PATH`: what applies to a request, and which lines set it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/config.hpp"
#include "config/route_index.hpp"

namespace ticketgate::config {

/// Selects the settings: all, or only those that the file sets.
enum class Shown : std::uint8_t { all, set };

/// Prints the matched routes, queue or bypass, then each effective setting as the file spells it,
/// with the place that set it.
std::string explain(const Config& config, const RouteIndex& routes, std::string_view method,
                    std::string_view normal_path, Shown shown = Shown::all);

std::string explain(const Config& config, const RouteIndex& routes, const Asked& asked,
                    Shown shown = Shown::all);

/// Prints `file:line`, or `default` for a built-in value.
std::string print_place(const Mark& mark);

}  // namespace ticketgate::config
