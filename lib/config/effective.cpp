#include "config/effective.hpp"

#include <algorithm>

#include "config/route_index.hpp"

namespace ticketgate::config {
namespace {

const Mark* mark_of(const Effective& route, std::string_view setting) {
    const auto found = std::ranges::find(route.origins, setting, &Origin::name);
    return found == route.origins.end() || found->mark.line == 0 ? nullptr : &found->mark;
}

// `defaults.wait_timeout` of the place of a `wait_timeout`.
std::string key_at(const Config& config, const Mark& mark, std::string_view setting) {
    const auto end = "." + std::string(setting);
    const auto found = std::ranges::find_if(config.marks, [&](const auto& one) {
        return one.second == mark && one.first.ends_with(end);
    });
    return found == config.marks.end() ? std::string(setting) : found->first;
}

}  // namespace

std::vector<Effective> effective_routes(const Config& config) {
    const RouteIndex index(config);
    static const std::string defaults = "defaults";
    std::vector<Effective> all{{config.defaults, defaults, index.resolve({}), {}}};
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
        const RouteNode& route = config.routes[i];
        const auto match = index.match_within(i);
        all.push_back({route.overrides, route.path, index.resolve(match), index.origins(match)});
    }
    return all;
}

bool is_given(const Effective& route, std::string_view setting) {
    return mark_of(route, setting) != nullptr;
}

void PlaceWarnings::warn(const Effective& route, std::string_view setting,
                         const std::string& message) {
    const Mark* const mark = mark_of(route, setting);
    if (mark == nullptr) return;
    const auto key = key_at(config_, *mark, setting);
    if (told_.insert(key).second) problems_.warn(*mark, key, message);
}

}  // namespace ticketgate::config
