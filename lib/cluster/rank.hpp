// Which replica takes a queue that has no keeper: all of them may, and the one of rank 0 begins.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ticketgate::cluster {

/// The place of `instance` among the instances for this queue, by rendezvous hashing: each queue
/// has an order of its own, so queues spread over the replicas, and the loss of one moves only its
/// queues. 0: first. `instance` itself may stand in `others`.
std::uint32_t rank(std::string_view queue, std::string_view instance,
                   std::span<const std::string> others);

}  // namespace ticketgate::cluster
