// Where the requests of clustered queues with `release: worker_idle` go. After a loss another
// replica asks php-fpm whether they have ended, so it must be the same php-fpm. Pure.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/problem.hpp"

namespace ticketgate {

/// A short text that differs if those queues or the backends that tell the end of their work do;
/// empty: there is no such queue.
std::string lost_backends(const config::Config& config);

/// An error for a reload that would change it: requests of before it may still run elsewhere, and
/// no replica would know. `started`: the config of this process's start.
std::vector<config::Problem> lost_backend_problems(const config::Config& started,
                                                   const config::Config& next);

}  // namespace ticketgate
