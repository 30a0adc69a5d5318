// Reads php-fpm's status page once, at the start and at each reload, so that an unreadable page is
// logged before the first request keeps its slot because of it (CONTRACT 2.6).
#pragma once

#include <memory>
#include <string>

#include "proxy/station.hpp"

namespace ticketgate {

/// Runs on the station's loop. Logs the result: an error with its remedy, or that the page answers.
/// `upstream` has a worker_status().
void probe_status(Station& station, std::string name, std::shared_ptr<Upstream> upstream);

}  // namespace ticketgate
