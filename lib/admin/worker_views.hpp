// Workers as JSON, for the admin API.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "spawn/pool.hpp"

namespace ticketgate::admin {

/// Every worker of every pool, in the order in which they were started.
std::string all_workers(const std::vector<std::shared_ptr<spawn::Pool>>& pools);

}  // namespace ticketgate::admin
