// The cluster that several processes form, and its store. Part of model.hpp.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"

namespace ticketgate::config {

/// An etcd, version 3.4 or later. Relative paths are already resolved.
struct ClusterStore {
    std::vector<std::string> endpoints;  ///< http(s)://host:port, 1 to 9, all of one etcd
    std::string username, password;      ///< both or neither
    std::string ca_file;                 ///< trusted signers; empty: the system's
    std::string certificate, key;        ///< for an etcd that asks for a certificate
    milliseconds timeout = 1s;           ///< of one call
    bool operator==(const ClusterStore&) const = default;
};

struct Cluster {
    std::string name;  ///< part of every key in the store
    ClusterStore store;
    bool operator==(const Cluster&) const = default;
};

}  // namespace ticketgate::config
