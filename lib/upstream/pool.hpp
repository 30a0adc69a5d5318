// The connections of one loop to one backend: the idle ones, last used first, what they have shown
// of the backend, and the addresses for new ones. Owned by its upstream; touched by its loop only.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>

#include "upstream/address_source.hpp"
#include "upstream/keep_policy.hpp"
#include "upstream/pooled_exchange.hpp"

namespace ticketgate {

class PooledUpstream;

class Pool {
 public:
    Pool(PooledUpstream& upstream, std::shared_ptr<AddressSource> addresses);
    ~Pool();

    std::unique_ptr<Exchange> open(net::Loop& loop, bool fresh, bool careful);
    /// A new connection to one address, whatever the source says now.
    std::unique_ptr<Exchange> open_at(net::Loop& loop, const net::Endpoint& address);
    void retire();
    void unretire() { retired_ = false; }
    KeepPolicy& policy() { return policy_; }

    // For its exchanges.
    const UpstreamSettings& settings() const;
    std::unique_ptr<net::Stream> connect(net::Loop& loop, const net::Endpoint& to, int& error);
    /// Keeps an idle connection, or closes it if there are enough.
    void keep(std::unique_ptr<PooledExchange> idle, std::uint32_t told_timeout_s, Silence silence);
    void forget(PooledExchange& idle);
    /// The backend has sent bytes that belong to no answer.
    void overran(Time now) noexcept;
    AddressSource& addresses() { return *addresses_; }
    ConnectLine& line() { return line_; }

 private:
    std::unique_ptr<PooledExchange> take_idle(Time now, bool careful);

    using Idle = boost::intrusive::list<PooledExchange, boost::intrusive::constant_time_size<true>>;
    PooledUpstream& upstream_;
    // Owned: made by new. Last used at the front; at the back those that still rest, in the order
    // of their times.
    Idle idle_;
    ConnectLine line_;
    KeepPolicy policy_;
    bool retired_ = false;
    const std::shared_ptr<AddressSource> addresses_;
};

}  // namespace ticketgate
