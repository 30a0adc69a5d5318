// Finds the machine identity for ids: from the config, else the environment, else the system. Read
// once at the start, and by `check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/environment.hpp"
#include "config/model.hpp"
#include "ids/machine.hpp"

namespace ticketgate {

/// The values that come from the system.
struct System {
    std::string host_name;
    std::vector<std::uint32_t> addresses;  ///< IPv4 of its interfaces, without loopback
    std::uint32_t process = 0;
};
System this_system();

/// Leaves unknown values unset. TICKETGATE_ADDRESS and TICKETGATE_WORKER apply where the config has
/// auto; an invalid one leaves the value unset and is added to `complaints`.
ids::Machine machine_of(const config::Machine& wanted, const config::Environment& environment,
                        const System& system, std::vector<std::string>& complaints);

}  // namespace ticketgate
