// Asks php-fpm's status page once, at the start and at each reload, so that a page that cannot be
// read is told before the first request keeps its slot for it (CONTRACT 2.6).
#pragma once

#include <memory>
#include <string>

#include "proxy/station.hpp"

namespace ticketgate {

/// On the station's loop. What comes of it is logged: an error with its remedy, or that it answers.
/// `upstream` has a worker_status().
void probe_status(Station& station, std::string name, std::shared_ptr<Upstream> upstream);

}  // namespace ticketgate
