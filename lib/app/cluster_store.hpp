// The store of the config's cluster, for the commands: one call after the other, on the thread that
// asks. Decides nothing.
#pragma once

#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>

#include "cluster/contents.hpp"
#include "config/config.hpp"
#include "etcd/client.hpp"

namespace ticketgate {

/// From a valid config.
etcd::Settings store_settings(const config::ClusterStore& store);

class ClusterStore {
 public:
    /// Throws std::runtime_error that names a bad file.
    explicit ClusterStore(const config::Cluster& cluster);

    const cluster::Keys& keys() const { return keys_; }
    /// One linearizable read of everything. Null, and in `why` a sentence: it cannot be used.
    std::optional<cluster::Contents> read(std::string& why);
    /// `unknown`: it may have happened, or may still happen. `failed`: the store has no room; it
    /// may have happened. With both, `why` has a sentence.
    cluster::Written write(const cluster::etcd::Transaction& transaction, std::string& why);

 private:
    /// Asks each endpoint at most once.
    etcd::Answer call(const cluster::etcd::Call& one, std::size_t times);

    boost::asio::io_context io_;
    etcd::Client client_;
    const cluster::Keys keys_;
};

}  // namespace ticketgate
