// A backend at an address, TCP or a unix socket: for each loop a pool of idle connections and the
// addresses its name resolves to. Shared by snapshots; each pool is touched by its loop only. A
// derived class has the protocol.
#pragma once

#include <memory>
#include <vector>

#include "net/resolver.hpp"
#include "net/stream.hpp"
#include "upstream/exchange.hpp"
#include "upstream/pool.hpp"

namespace ticketgate {

class PooledUpstream : public Upstream, public std::enable_shared_from_this<PooledUpstream> {
 public:
    /// `connect` must be callable on all loops at one time.
    PooledUpstream(UpstreamSettings settings, net::Resolver& resolver, std::size_t loops,
                   net::Connect connect);
    ~PooledUpstream() override;

    std::unique_ptr<Exchange> open(net::Loop& loop, bool fresh, bool careful) override;
    std::unique_ptr<Exchange> open_at(net::Loop& loop, const net::Endpoint& address);
    void retire(net::Loop& loop) override;
    void unretire(net::Loop& loop) override { pools_[loop.index()]->unretire(); }
    const UpstreamSettings& settings() const { return settings_; }

 protected:
    friend class Pool;
    virtual std::unique_ptr<PooledExchange> make_exchange(Pool& pool, net::Loop& loop) = 0;
    Pool& pool(const net::Loop& loop) { return *pools_[loop.index()]; }

 private:
    const UpstreamSettings settings_;
    const net::Connect connect_;
    std::vector<std::unique_ptr<Pool>> pools_;  // by loop index
};

}  // namespace ticketgate
