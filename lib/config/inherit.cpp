#include "config/inherit.hpp"

#include <utility>

#include "config/walk.hpp"

namespace ticketgate::config {

Settings resolve(Settings merged, const RouteOverrides& overrides) {
    const auto inherit = [](const Walked& setting) { setting.inherit(); };
    walk(Section::settings, &overrides, &merged, inherit);
    for (const auto& [name, given] : overrides.ids.other) {
        const auto found = merged.ids.other.find(name);
        if (found == merged.ids.other.end()) continue;  // reported by validate
        walk(Section::route_id, &given, &found->second, inherit);
    }
    if (overrides.on_backend_error.status.value) merged.on_backend_error_status_set = true;
    return merged;
}

std::vector<Origin> built_in_origins() {
    std::vector<Origin> origins;
    const RouteOverrides nothing;
    Settings defaults;
    walk(Section::settings, &nothing, &defaults, [&](const Walked& setting) {
        origins.push_back({setting.name(), {}});
    });
    return origins;
}

std::vector<Origin> resolve(std::vector<Origin> parent, const RouteOverrides& overrides) {
    auto origin = parent.begin();
    Settings defaults;
    walk(Section::settings, &overrides, &defaults, [&](const Walked& setting) {
        if (setting.mark().line != 0) origin->mark = setting.mark();
        ++origin;
    });
    return parent;
}

}  // namespace ticketgate::config
