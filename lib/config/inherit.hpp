// Inheritance: a route takes the settings it does not give from the routes around it. Each setting
// is inherited separately, and so is each field of the three answers.
#pragma once

#include <string>
#include <vector>

#include "config/model.hpp"
#include "config/overrides.hpp"

namespace ticketgate::config {

/// Returns `parent` with every setting replaced that `overrides` gives.
Settings resolve(Settings parent, const RouteOverrides& overrides);

/// The place that set the effective value of a setting; `mark.line` 0: built in.
struct Origin {
    std::string name;  ///< `wait_timeout`, `on_full.status`
    Mark mark;
    bool operator==(const Origin&) const = default;
};

/// Returns all settings in the order of walk.hpp, with no place set.
std::vector<Origin> built_in_origins();

/// Merges like resolve(), but the places instead of the values.
std::vector<Origin> resolve(std::vector<Origin> parent, const RouteOverrides& overrides);

}  // namespace ticketgate::config
