// The sentences about a cluster: who keeps a queue, what it waits for and the command that ends the
// wait; and about a queue that two processes serve during an upgrade. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "top/picture.hpp"
#include "top/told.hpp"

namespace ticketgate::top {

/// The epoch whose requests may still run.
struct WaitsFor {
    std::string name, address;  ///< of the replica that kept the queue
    std::uint64_t epoch = 0;
    bool listed = false, word = false;
    std::string command;  ///< that ends the wait; empty: it ends by itself
};

struct KeptLine {
    std::string name, address, state;  ///< of the keeper; of the line
    std::uint64_t epoch = 0;
    bool here = false;              ///< the replica that is asked keeps it
    bool listed = true;             ///< the store has a sign of life of the keeper
    std::optional<double> seconds;  ///< it has had its state for so long
    std::optional<WaitsFor> waits_for = {};
};

struct ClusterPicture {
    std::string name, replica;  ///< of the cluster, and of the replica that is asked
    std::string problem;        ///< why the store cannot be used, or takes no writes
    bool full = false;          ///< it answers reads, and takes no writes until it has room
    double sure = 0;            ///< seconds for which it may grant without the store
    std::size_t replicas = 0;
    std::map<std::string, KeptLine> queues;
};

/// Reads the JSON of /api/v1/cluster; nothing: it is something else.
std::optional<ClusterPicture> read_cluster(std::string_view json);

/// One line about the cluster.
std::string cluster_text(const ClusterPicture& cluster);

/// Where else requests of a queue may run, for a table; empty: nowhere.
std::string place_text(std::string_view elsewhere);

/// A few words for the table; empty: the queue is not clustered.
std::string keeper_text(const ClusterPicture& cluster, const std::string& queue);

/// Sentences about where else requests of the queue are; none, if they are nowhere else. `cluster`:
/// null: there is none.
std::vector<std::string> kept_by(const QueueLine& queue, const ClusterPicture* cluster, Clock now);

}  // namespace ticketgate::top
