// Workers as JSON, for the admin API.
#pragma once

#include <boost/json/array.hpp>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "admin/upstream_views.hpp"
#include "spawn/pool.hpp"

namespace ticketgate::admin {

/// The first workers of the pools.
boost::json::array workers_view(const std::vector<std::shared_ptr<spawn::Pool>>& pools,
                                std::size_t most);

/// Every worker of every pool, in the order in which they were started, and every backend.
std::string all_workers(const std::vector<std::shared_ptr<spawn::Pool>>& pools,
                        const std::vector<UpstreamState>& upstreams, WallTime now);

}  // namespace ticketgate::admin
