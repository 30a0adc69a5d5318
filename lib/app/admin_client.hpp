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

struct AdminQuestion {
    std::string target;
    bool write = false;      ///< POST
    std::string token = {};  ///< may be empty
};

/// One request, at most a few seconds. A listener on all addresses is asked on loopback.
AdminAnswer ask(const config::Listen& admin, const AdminQuestion& question);

}  // namespace ticketgate
