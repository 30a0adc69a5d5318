// Who makes ids in one process, and whether a config can have its ids made by them. Two makers of
// snowflakes that count by themselves must not have one worker number: this is the one place that
// sees to it, for `check`, the start and a reload. Values; control thread.
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
    ids::Machine machine;                    ///< makes those of requests and of the admin listener
    std::optional<ids::Machine> id_service;  ///< present exactly when the config has it

    /// Would the id service and the machine make the same snowflakes?
    bool overlap() const;
};

/// What a start with this config would find; `complaints` as for machine_of().
Identities identities_of(const config::Config& config, const config::Environment& environment,
                         const System& system, std::vector<std::string>& complaints);

/// Errors for what the config asks for and they cannot make, or would make twice; of complaints,
/// warnings: where what they are about is needed, it is unknown, and that is the error.
std::vector<config::Problem> identity_problems(const config::Config& config,
                                               const Identities& identities,
                                               const std::vector<std::string>& complaints);

/// The same for a reload, which leaves those that run as they are: `config` must suit them, and
/// `next` as well, who come with the next start.
std::vector<config::Problem> reload_problems(const config::Config& config,
                                             const Identities& running, const Identities& next);

}  // namespace ticketgate
