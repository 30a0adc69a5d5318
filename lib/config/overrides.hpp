// The settings that one route (or `defaults:`) gives: only those in the file, each with its place.
// The fields are those of model.hpp in the Said form.
#pragma once

#include <string>

#include "config/model.hpp"

namespace ticketgate::config {

using AnswerOverrides = AnswerIn<Said>;
using IdOverrides = IdIn<Said>;
using IdsOverrides = IdsIn<Said>;
using RouteOverrides = SettingsIn<Said>;

/// Calls use(name, overrides) for every id that a route may change: `request_id`, `unique_id`,
/// `other.NAME`.
template <class Use>
void for_each_id_override(const IdsOverrides& ids, Use use) {
    use(std::string("request_id"), ids.request_id);
    use(std::string("unique_id"), ids.unique_id);
    for (const auto& [name, id] : ids.other) use("other." + name, id);
}

}  // namespace ticketgate::config
