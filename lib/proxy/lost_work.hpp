// Asks php-fpm until it shows that nothing runs any more of what a lost replica of the cluster has
// sent there (fcgi/lost_work.hpp). The lost replica must send nothing any more.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "proxy/station.hpp"

namespace ticketgate {

struct LostWorkQuestion {
    std::string queue;             ///< for the log
    std::function<bool()> wanted;  ///< false: nobody waits for the answer any more
    std::function<void()> over;    ///< called once, if all have shown it
};

/// Asks all upstreams of the station's snapshot that have a status page, and begins anew with
/// another snapshot: a reload mends the address of a page. Runs on the station's loop, until the
/// answer, or until it is not wanted, or the process stops.
void ask_for_lost_work(Station& station, LostWorkQuestion question);

}  // namespace ticketgate
