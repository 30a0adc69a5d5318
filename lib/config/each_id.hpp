// Iterates over the ids of a whole config, and over the sections that may override them.
#pragma once

#include <string>

#include "config/config.hpp"

namespace ticketgate::config {

/// Calls use(name, id) for every id of the file: `request_id`, `unique_id`, `other.NAME`.
template <class Use>
void for_each_own_id(const Ids& ids, Use use) {
    use(std::string("request_id"), ids.request_id);
    use(std::string("unique_id"), ids.unique_id);
    for (const auto& [name, id] : ids.other) use("other." + name, id);
}

/// Calls use(path, overrides) for `defaults` and every route, in the order of the file.
template <class Use>
void for_each_overrides(const Config& config, Use use) {
    use(std::string("defaults"), config.defaults);
    for (const RouteNode& route : config.routes) use(route.path, route.overrides);
}

}  // namespace ticketgate::config
