// The backends of the config in force as JSON, for the admin API and the live page.
#pragma once

#include <boost/json/array.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "spawn/pool.hpp"
#include "upstream/failures.hpp"

namespace ticketgate::admin {

/// One backend: plain copies.
struct UpstreamState {
    std::string name;
    std::string address;  ///< as in the config; `workers`: those of ticketgate
    Failures::Told failures;
    std::shared_ptr<spawn::Pool> workers;  ///< null: ticketgate starts none for it
};

/// The first `most` of them. Also those without a worker: requests may wait for one that cannot
/// start.
boost::json::array upstreams_view(const std::vector<UpstreamState>& upstreams, std::size_t most,
                                  WallTime now);

}  // namespace ticketgate::admin
