// Makes the id service from the config.
#pragma once

#include <memory>

#include "config/model.hpp"
#include "noeq/server.hpp"

namespace ticketgate {

/// Listens on a socket from `open` and opens its state file; throws std::system_error that names
/// the one that failed. `machine` is the id service's own (Identities).
std::unique_ptr<noeq::Server> make_id_service(const config::IdService& service,
                                              const ids::Machine& machine, Log& log,
                                              metrics::Registry& metrics,
                                              const net::OpenListener& open);

}  // namespace ticketgate
