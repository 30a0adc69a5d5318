// The live page's sources: the gates, the workers, the config in force and the certificates. Owned
// by App; control thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "admin/live.hpp"
#include "admin/standing.hpp"
#include "app/control.hpp"
#include "gate/gate_registry.hpp"
#include "proxy/snapshot.hpp"
#include "spawn/pool.hpp"

namespace ticketgate {

/// Those that the listeners serve, the first to expire first. `clustered`: the last one is for
/// replicas.
std::vector<admin::Standing::Certificate> served_certificates(const Snapshot& snapshot,
                                                              std::size_t listeners,
                                                              bool clustered);

using Pools = std::function<std::vector<std::shared_ptr<spawn::Pool>>()>;

/// `gates` outlives the page's stop().
std::shared_ptr<admin::Live> make_live(Control& control, std::size_t most_viewers,
                                       const GateRegistry& gates,
                                       std::function<admin::Standing()> standing, Pools pools);

/// The events of this request, if it asks for them and another viewer may look.
std::unique_ptr<admin::Events> watch(admin::Live& live, const admin::HttpRequest& request);

}  // namespace ticketgate
