#include "config/inherit.hpp"

#include <utility>

namespace ticketgate::config {

Settings resolve(Settings merged, const RouteOverrides& overrides) {
    for_each_setting(overrides, merged, [](const std::string&, const auto& given, auto& effective) {
        if (given.value) effective = *given.value;
    });
    for (const auto& [name, given] : overrides.ids.other) {
        const auto found = merged.ids.other.find(name);
        if (found == merged.ids.other.end()) continue;  // told by validate
        for_each_id_field(given, found->second, [](const char*, const auto& g, auto& effective) {
            if (g.value) effective = *g.value;
        });
    }
    if (overrides.on_backend_error.status.value) merged.on_backend_error_status_set = true;
    return merged;
}

std::vector<Origin> built_in_origins() {
    std::vector<Origin> origins;
    const RouteOverrides nothing;
    const Settings defaults;
    for_each_setting(nothing, defaults, [&](const std::string& name, const auto&, const auto&) {
        origins.push_back({name, {}});
    });
    return origins;
}

std::vector<Origin> resolve(std::vector<Origin> parent, const RouteOverrides& overrides) {
    auto origin = parent.begin();
    const Settings defaults;
    for_each_setting(overrides, defaults, [&](const std::string&, const auto& given, const auto&) {
        if (given.given()) origin->mark = given.mark;
        ++origin;
    });
    return parent;
}

}  // namespace ticketgate::config
