// What a store holds of a cluster, for people and programs. Pure.
#pragma once

#include <boost/json/object.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/contents.hpp"
#include "replica/replica.hpp"

namespace ticketgate {

/// One JSON document with a line end. `file`: the config, for the command that ends a wait. `now`:
/// for ages.
std::string cluster_json(std::string_view name, const cluster::Contents&, const std::string& file,
                         WallTime now);
/// Tables of the replicas and of the queues. For a line that waits for a lost replica, the command
/// that ends the wait.
std::string cluster_table(std::string_view name, const cluster::Contents&, const std::string& file,
                          WallTime now);

/// A sentence for each replica that is listed at the address of another one. A process that crashed
/// is listed for one lease more.
std::vector<std::string> shared_addresses(const cluster::Contents&);

/// Why an operator cannot settle this term of this queue; empty: the store waits for it.
std::string why_not_settled(const cluster::Contents&, const std::string& queue, cluster::Epoch);

/// The same as JSON of a running replica, with its view of the store and of itself.
std::string cluster_page(const replica::Replica& replica, const std::string& file, WallTime now);

/// The same for the live page: these queues, and no more replicas than a cluster should have.
boost::json::object cluster_picture(const replica::Replica& replica, const std::string& file,
                                    const std::set<std::string>& queues, WallTime now);

}  // namespace ticketgate
