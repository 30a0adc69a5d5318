// The line as an operator sees it at one moment: a plain copy, made under the gate's lock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate {

struct TicketView {
    std::uint64_t number = 0;      ///< place in the queue's total order
    std::uint64_t blocked_by = 0;  ///< oldest ticket in flight when it was taken; 0: none
    Duration since{0};             ///< waiting: from the ticket; in flight: from the grant
    bool ready = true;             ///< false: its request body is still arriving
    std::string request_id, method, target, client_ip;
};

struct GateView {
    std::uint32_t waiting_in_all = 0;
    std::vector<TicketView> in_flight;  ///< in the order of their grants
    std::vector<TicketView> waiting;    ///< in the order of their numbers; the first ones only
};

}  // namespace ticketgate
