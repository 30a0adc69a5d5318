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
    std::string queue;                                 ///< for the log
    std::vector<std::shared_ptr<Upstream>> upstreams;  ///< each with a worker_status()
    std::function<bool()> wanted;  ///< false: nobody waits for the answer any more
    std::function<void()> over;    ///< called once, if all upstreams have shown it
};

/// Runs on the station's loop, until the answer, or until it is not wanted, or the process stops.
void ask_for_lost_work(Station& station, LostWorkQuestion question);

}  // namespace ticketgate
