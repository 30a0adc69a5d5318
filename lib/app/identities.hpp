// The machine identities that make ids in this process, and checks of a config against them. Two
// generators of snowflakes must not share a worker number, since each counts by itself. Only this
// file ensures it: for `check`, the start and a reload. Values; control thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/machine.hpp"
#include "config/config.hpp"
#include "config/environment.hpp"
#include "config/problem.hpp"
#include "ids/machine.hpp"

namespace ticketgate {

struct Identities {
    ids::Machine machine;                    ///< for the ids of requests and of the admin listener
    std::optional<ids::Machine> id_service;  ///< present exactly if the config has an id service

    /// True if the id service and `machine` would make the same snowflakes.
    bool overlap() const;
};

/// Returns the identities that a start with this config finds; `complaints` as for machine_of().
Identities identities_of(const config::Config& config, const config::Environment& environment,
                         const System& system, std::vector<std::string>& complaints);

/// Returns errors for ids of the config that cannot be made, or would be made twice. Complaints
/// become warnings: where an unknown value is needed, that is already the error.
std::vector<config::Problem> identity_problems(const config::Config& config,
                                               const Identities& identities,
                                               const std::vector<std::string>& complaints);

/// The same for a reload, which keeps the running identities: `config` must suit `running`, and
/// `next` too, the identities of the next start.
std::vector<config::Problem> reload_problems(const config::Config& config,
                                             const Identities& running, const Identities& next);

}  // namespace ticketgate
