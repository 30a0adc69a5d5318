// The one picture of the line that all viewers of the live page share, as JSON. Bounded: the
// busiest queues, the first tickets of each. Control thread.
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "admin/queue_views.hpp"
#include "admin/standing.hpp"
#include "admin/upstream_views.hpp"
#include "gate/gate_registry.hpp"
#include "spawn/pool.hpp"

namespace ticketgate::admin {

/// The most that one picture has, whatever the config and the line.
struct Shown {
    static constexpr std::size_t queues = 50, in_flight = 50, waiting = 100;
    static constexpr std::size_t tickets = 600;  ///< of all queues together, about
    static constexpr Duration stalled = 10s;     ///< as in page.js
    static constexpr std::size_t workers = 100, upstreams = 50, lines = 20;
};

/// The names of the queues that are shown. If there are too many, those that have stood still
/// for long or keep others waiting while paused, then the others in use, the busiest first.
std::set<std::string> shown_queues(const GateRegistry& gates);

/// The parts of one picture that do not come from the gates.
struct Around {
    Standing standing;
    std::vector<std::shared_ptr<spawn::Pool>> pools;
    std::vector<UpstreamState> upstreams;
    std::size_t viewers;
    const Elsewhere& elsewhere;
    boost::json::object cluster;  ///< of the shown queues; empty: the config has none
};

std::string live_view(const GateRegistry& gates, const std::set<std::string>& shown,
                      const Around& around, WallTime now);

}  // namespace ticketgate::admin
