// The whole of inheritance: what a route does not say, it has from those around it. Each setting by
// itself, and each field of the three answers by itself.
#pragma once

#include <string>
#include <vector>

#include "config/model.hpp"
#include "config/overrides.hpp"

namespace ticketgate::config {

/// `parent` with everything replaced that `overrides` gives.
Settings resolve(Settings parent, const RouteOverrides& overrides);

/// Where the effective value of a setting comes from; `mark.line` 0: built in.
struct Origin {
    std::string name;  ///< `wait_timeout`, `on_full.status`
    Mark mark;
    bool operator==(const Origin&) const = default;
};

/// All settings, in the order of walk.hpp, none of them set yet.
std::vector<Origin> built_in_origins();

/// The same merge as resolve(), for the places instead of the values.
std::vector<Origin> resolve(std::vector<Origin> parent, const RouteOverrides& overrides);

}  // namespace ticketgate::config
