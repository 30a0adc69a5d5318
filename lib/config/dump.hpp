// The text of `ticketgate explain METHOD PATH`: what applies to a request, and the line that says
// so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/config.hpp"
#include "config/route_index.hpp"

namespace ticketgate::config {

/// Which settings: all, or only those that the file sets.
enum class Shown : std::uint8_t { all, set };

/// Matched routes, the way a request goes (queue or bypass), then each effective setting in the
/// spelling of the file, with the place that set it.
std::string explain(const Config& config, const RouteIndex& routes, std::string_view method,
                    std::string_view normal_path, Shown shown = Shown::all);

/// `file:line`, or `default` for a built-in value.
std::string print_place(const Mark& mark);

}  // namespace ticketgate::config
