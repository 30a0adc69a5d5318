// `check --connect`: one connection to each upstream, with its name and its certificate, and one
// question to each php-fpm status page. No request is sent to a backend. Its own loop, the caller's
// thread.
#pragma once

#include <string>
#include <vector>

#include "config/config.hpp"

namespace ticketgate {

struct Tried {
    bool good = false;
    std::string line;  ///< what was found, for people
};

/// A line for each upstream, and for each status page. Throws std::runtime_error that names a TLS
/// file that is not good.
std::vector<Tried> try_upstreams(const config::Config& config);

}  // namespace ticketgate
