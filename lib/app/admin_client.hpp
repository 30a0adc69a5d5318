// Asks the admin listener of a running process; for the commands.
#pragma once

#include <string>

#include "config/model.hpp"

namespace ticketgate {

struct AdminAnswer {
    unsigned status = 0;
    std::string body;
    std::string error;  ///< why there is no answer
};

/// One GET, at most a few seconds. A listener on all addresses is asked on loopback.
AdminAnswer ask(const config::Listen& admin, const std::string& target);

}  // namespace ticketgate
