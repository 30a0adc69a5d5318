// Who makes the ids: what the config says of this machine, else the environment, else the system.
// Asked once at the start, and by `check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "config/environment.hpp"
#include "config/model.hpp"
#include "ids/machine.hpp"

namespace ticketgate {

/// What the system tells.
struct System {
    std::string host_name;
    std::vector<std::uint32_t> addresses;  ///< IPv4 of its interfaces, loopback left out
    std::uint32_t process = 0;
};
System this_system();

/// Unknown stays unknown. TICKETGATE_ADDRESS and TICKETGATE_WORKER count where the config says
/// auto; one that is nonsense leaves it unknown, and is added to `complaints`.
ids::Machine machine_of(const config::Machine& wanted, const config::Environment& environment,
                        const System& system, std::vector<std::string>& complaints);

}  // namespace ticketgate
