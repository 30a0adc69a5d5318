// The cluster that several processes form, its store, and how they reach each other. Part of
// config.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/model.hpp"

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

/// TLS between replicas: each proves itself to the other. Relative paths are already resolved.
struct PeerTls {
    std::string certificate, key;  ///< of this replica
    std::string ca_file;           ///< signers of all replicas' certificates
    std::string server_name;       ///< in each of them; empty: the host of its address
    bool operator==(const PeerTls&) const = default;
};

/// Where the replicas reach each other.
struct ClusterPeer {
    Listen listen;
    std::string advertise;       ///< host:port at which the others reach `listen`
    std::string secret;          ///< the same in all replicas
    std::optional<PeerTls> tls;  ///< absent: plain
    bool operator==(const ClusterPeer&) const = default;
};

struct Cluster {
    std::string name;     ///< part of every key in the store
    std::string replica;  ///< of this process, for people; empty: the host's name
    ClusterStore store;
    milliseconds lease = 5s;       ///< whole seconds; a replica without a sign of life is lost
    milliseconds idle_after = 1s;  ///< a line without tickets is written as idle after this time
    ClusterPeer peer;
    bool operator==(const Cluster&) const = default;
};

/// The listener for the other replicas, with its TLS.
Listen peer_listener(const ClusterPeer& peer);
/// A replica at this address (host:port), as an upstream.
Upstream peer_upstream(const ClusterPeer& peer, const std::string& address);

}  // namespace ticketgate::config
