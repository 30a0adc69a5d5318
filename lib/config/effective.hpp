// Each route as a request sees it, and where its settings stand: in the route, in one around it, or
// in `defaults:`. A warning judges the effective settings, whichever of these places they are in.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/config.hpp"
#include "config/inherit.hpp"
#include "config/problem.hpp"

namespace ticketgate::config {

struct Effective {
    const RouteOverrides& own;
    const std::string& path;
    Settings settings;  ///< merged with everything around the route
    std::vector<Origin> origins = {};
};

/// `defaults:` first, then the routes in the order of the file.
std::vector<Effective> effective_routes(const Config& config);

/// Warns about settings of routes at the places that set them: once for each place, since any
/// number of routes may inherit it.
class PlaceWarnings {
 public:
    PlaceWarnings(const Config& config, Problems& problems)
        : config_(config), problems_(problems) {}

    /// `setting` as Origin names it; nothing if no place of the file gives it.
    void warn(const Effective& route, std::string_view setting, const std::string& message);

 private:
    const Config& config_;
    Problems& problems_;
    std::set<std::string> told_;
};

/// Does the file give this setting of the route?
bool is_given(const Effective& route, std::string_view setting);

}  // namespace ticketgate::config
