// Writes what applies to a request, and which lines of the file set it (app/explain).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/config.hpp"
#include "config/route_index.hpp"

namespace ticketgate::config {

/// Selects the settings: all, or only those that the file sets.
enum class Shown : std::uint8_t { all, set };

/// Whether the request takes a ticket.
enum class Way : std::uint8_t { queues, passes, here };

/// Prints queue or bypass, the matched routes, then each effective setting as the file spells it,
/// with the place that set it. `match`: at least one route.
std::string explain(const Config& config, const RouteIndex& routes, const Asked& asked,
                    const RouteIndex::Match& match, Way way, Shown shown);

/// Prints `file:line`, or `default` for a built-in value.
std::string print_place(const Mark& mark);

}  // namespace ticketgate::config
