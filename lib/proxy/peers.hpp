// The other replicas of a cluster, as upstreams by their addresses, and what proves that a request
// comes from one of them. Owned by the Assembly.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "config/model_cluster.hpp"
#include "log/log.hpp"
#include "net/resolver.hpp"
#include "net/stream.hpp"
#include "upstream/exchange.hpp"

namespace ticketgate {

class Peers {
 public:
    /// `own`: of the config at the start.
    Peers(config::ClusterPeer own, net::Resolver& resolver, std::size_t loops, net::Connect connect,
          Log& log);

    /// The replica at host:port, which the store names. Null: no address, or a file for TLS is not
    /// good, which is logged. Any thread.
    std::shared_ptr<Upstream> at(const std::string& address);
    /// Any thread.
    bool proves_itself(std::string_view secret) const;
    const std::string& secret() const { return own_.secret; }
    /// Certificates may have changed: new connections use them. Control thread.
    void read_files_again();
    /// With the loops stopped: closes idle connections.
    void retire(net::Loop& loop);

 private:
    std::shared_ptr<Upstream> make(const std::string& address) const;

    const config::ClusterPeer own_;
    net::Resolver& resolver_;
    const std::size_t loops_;
    const net::Connect connect_;
    Log& log_;
    std::mutex lock_;  // guards known_
    std::map<std::string, std::shared_ptr<Upstream>> known_;
};

}  // namespace ticketgate
