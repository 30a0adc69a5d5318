// What the config says of workers, for the supervisor. Control thread.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/config.hpp"
#include "spawn/supervisor.hpp"
#include "upstream/fcgi_upstream.hpp"

namespace ticketgate {

/// A program or an account that this machine does not have.
struct WorkersFault : std::runtime_error {
    WorkersFault(const char* at, const std::string& why) : std::runtime_error(why), key(at) {}
    const char* key;  ///< of `workers:`
};

/// Workers inherit ticketgate's environment without the variables in `config.secret_variables`.
/// Adds a fault for each key that this machine cannot obey. With a fault the recipe lacks its
/// program or its user: the caller must not start workers from it.
spawn::Recipe recipe_of(const config::Config& config, const config::Workers& workers,
                        std::vector<WorkersFault>& faults);
/// Throws the first WorkersFault.
spawn::Recipe recipe_of(const config::Config& config, const config::Workers& workers);
spawn::Bounds bounds_of(const config::Config& config, const std::string& upstream);
std::uint32_t max_requests_of(const config::Workers& workers);
/// Two configs with equal ones can share a pool; `bounds` may differ.
config::Upstream without_bounds(config::Upstream upstream);
/// The settings of connections to workers.
FcgiSettings worker_settings(const config::Upstream& upstream);
spawn::MakeLink link_maker(std::shared_ptr<FcgiUpstream> protocol,
                           config::WorkerTransport transport);

}  // namespace ticketgate
