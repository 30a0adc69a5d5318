// The live page's sources: the gates, the workers, the config in force and the certificates. Owned
// by App; control thread.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "admin/live.hpp"
#include "admin/queue_views.hpp"
#include "admin/standing.hpp"
#include "admin/upstream_views.hpp"
#include "app/control.hpp"
#include "gate/gate_registry.hpp"
#include "net/endpoint.hpp"
#include "proxy/snapshot.hpp"
#include "spawn/pool.hpp"

namespace ticketgate {

/// Those that the listeners serve, the first to expire first. `listeners`: their addresses, in the
/// order of the config; `clustered`: the last one is for replicas.
std::vector<admin::Standing::Certificate> served_certificates(
    const Snapshot& snapshot, const std::vector<net::Endpoint>& listeners, bool clustered);

/// Where the page's pictures come from, beside the gates.
struct PageSources {
    std::function<admin::Standing()> standing;
    std::function<std::vector<std::shared_ptr<spawn::Pool>>()> pools;
    std::function<std::vector<admin::UpstreamState>()> upstreams;
    admin::Elsewhere elsewhere;
    /// The keeper and the state of these queues; unset: the config has no cluster.
    std::function<boost::json::object(const std::set<std::string>& queues)> cluster = {};
};

/// `gates` outlives the page's stop().
std::shared_ptr<admin::Live> make_live(Control& control, std::size_t most_viewers,
                                       const GateRegistry& gates, PageSources from);

/// The events of this request, if it asks for them and another viewer may look.
std::unique_ptr<admin::Events> watch(admin::Live& live, const admin::HttpRequest& request);

}  // namespace ticketgate
