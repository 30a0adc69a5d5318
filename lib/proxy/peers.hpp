// The other replicas of a cluster, as upstreams by their addresses, and what proves that a request
// comes from one of them. Owned by the Assembly.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
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
    /// If the files for TLS have changed, new connections use them. Control thread.
    void read_files_again();
    /// Those that new requests do not use any more, once: each loop has to retire them.
    std::vector<std::shared_ptr<Upstream>> take_left();
    /// With the loops stopped: closes idle connections.
    void retire(net::Loop& loop);

    /// False: the same was told of this address a moment ago. Requests try again and again. Any
    /// thread.
    bool tells(const std::string& address, const std::string& what);
    /// The remedy for a fault of a TLS connection to another replica; empty: the fault says enough.
    static std::string remedy(std::string_view fault);
    /// The remedy for an answer by which another replica refuses this one as a replica; empty: the
    /// status is not one of those.
    static std::string remedy(unsigned status);

 private:
    std::shared_ptr<Upstream> make(const std::string& address) const;
    std::string security() const;
    void leave_all();

    const config::ClusterPeer own_;
    net::Resolver& resolver_;
    const std::size_t loops_;
    const net::Connect connect_;
    Log& log_;
    std::mutex lock_;  // guards what follows
    std::map<std::string, std::shared_ptr<Upstream>> known_;
    std::vector<std::shared_ptr<Upstream>> left_;
    std::string security_;
    struct Told {
        std::string what;
        Time quiet_until{};
    };
    std::map<std::string, Told> told_;
};

}  // namespace ticketgate
