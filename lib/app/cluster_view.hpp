// What a store holds of a cluster, for people and programs. Pure.
#pragma once

#include <string>
#include <string_view>

#include "cluster/contents.hpp"
#include "replica/replica.hpp"

namespace ticketgate {

/// One JSON document with a line end.
std::string cluster_json(std::string_view name, const cluster::Contents&);
/// Tables of the replicas and of the queues. For a line that waits for a lost replica, the command
/// that ends the wait.
std::string cluster_table(std::string_view name, const cluster::Contents&);

/// Why an operator cannot settle this term of this queue; empty: the store waits for it.
std::string why_not_settled(const cluster::Contents&, const std::string& queue, cluster::Epoch);

/// What a running replica knows, as JSON: the same, and its own part.
std::string cluster_page(const replica::Replica& replica);

}  // namespace ticketgate
