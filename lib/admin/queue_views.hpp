// The queues as JSON: a summary of all of them, or one queue ticket by ticket.
#pragma once

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "gate/gate_registry.hpp"

namespace ticketgate::admin {

/// A request that runs in the old process of an upgrade.
struct OldRequest {
    std::uint64_t number = 0;
    std::string request_id = {}, request = {};  ///< `METHOD TARGET`
    WallTime since{};
};

/// Where else requests of the queue may run, behind the back of its gate here: old_process,
/// new_process, earlier_keeper, other_replica. Empty: nowhere.
struct Place {
    std::string_view where;
    const OldRequest* oldest = nullptr;  ///< of old_process; null: not known
    int pid = 0;                         ///< of old_process
};
using Elsewhere = std::function<Place(const std::string& queue)>;

/// `spool_trouble`: that uploads are refused; empty: they are not.
std::string all_queues(const GateRegistry& gates, const Elsewhere& elsewhere,
                       const std::string& spool_trouble = {});

/// Lists at most `most` waiting tickets.
std::string one_queue(const Gate& gate, std::size_t most, const Elsewhere& elsewhere);

struct Most {
    std::size_t in_flight, waiting;
};
/// The same for the live page, with what the metrics say of it, in less space.
boost::json::object queue_view(const Gate& gate, Most most, const Elsewhere& elsewhere);

/// The tickets of all queues whose request id begins with this text, at most `most`.
std::string find_tickets(const GateRegistry& gates, std::string_view request_id, std::size_t most);

}  // namespace ticketgate::admin
