// The process as the live page shows it beside its queues: plain copies.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate::admin {

struct Standing {
    /// A certificate that a listener serves, or one of its client_ca, which the subject says.
    struct Certificate {
        std::string listener, subject;
        WallTime expires;       ///< the first end of it and its intermediate certificates
        WallTime begins = {};   ///< of its own validity
        std::string ends = {};  ///< the intermediate certificate that ends first; empty: itself
    };

    std::string version, file;
    bool ready = true;       ///< false once a drain has begun
    std::string drain = {};  ///< drain_text(); empty: it does not drain
    WallTime started, loaded;
    WallTime last_reload{};                           ///< WallTime{}: none since the start
    std::vector<std::string> problems, need_restart;  ///< of the last reload
    std::vector<Certificate> certificates;
    std::string spool = {};    ///< that it refuses uploads; empty: it does not
    std::string upgrade = {};  ///< why the last one failed, or that an old process still works
};

}  // namespace ticketgate::admin
