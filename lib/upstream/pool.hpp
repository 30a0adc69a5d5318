// The connections of one loop to one backend: the idle ones, last used first, what they have shown
// of the backend, and the addresses for new ones. Owned by its upstream; touched by its loop only.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <memory>
#include <vector>

#include "net/endpoint.hpp"
#include "upstream/keep_policy.hpp"
#include "upstream/pooled_exchange.hpp"

namespace ticketgate {

class PooledUpstream;

class Pool {
 public:
    explicit Pool(PooledUpstream& upstream);
    ~Pool();

    std::unique_ptr<Exchange> open(net::Loop& loop, bool fresh, bool careful);
    void retire();
    KeepPolicy& policy() { return policy_; }

    // For its exchanges.
    const UpstreamSettings& settings() const;
    std::unique_ptr<net::Stream> connect(net::Loop& loop, const net::Endpoint& to, int& error);
    /// Keeps an idle connection, or closes it if there are enough.
    void keep(std::unique_ptr<PooledExchange> idle, std::uint32_t told_timeout_s, Silence silence);
    void forget(PooledExchange& idle);
    /// The address to connect to; null while the name is being resolved (the exchange is notified
    /// afterwards).
    const net::Endpoint* address(net::Loop& loop, PooledExchange& asking);
    bool unresolvable() const { return unresolvable_ && !resolving_; }
    /// Why the last look-up of the name brought no address; no error before the first.
    const error_code& resolve_failure() const { return resolve_failure_; }
    /// A connection to the present address failed: try another, or look the name up anew.
    void address_failed();

 private:
    class Answer;
    std::unique_ptr<PooledExchange> take_idle(Time now, bool careful);
    void start_resolving(net::Loop& loop);
    void resolved(const error_code& failure, std::vector<net::Endpoint> found);

    using Idle = boost::intrusive::list<PooledExchange, boost::intrusive::constant_time_size<true>>;
    PooledUpstream& upstream_;
    // Owned: made by new. Last used at the front; at the back those that still rest, in the order
    // of their times.
    Idle idle_;
    KeepPolicy policy_;
    bool retired_ = false;
    bool resolving_ = false, unresolvable_ = false;
    std::vector<net::Endpoint> addresses_;
    std::size_t next_address_ = 0;
    Time resolved_at_{};
    error_code resolve_failure_;
    std::vector<PooledExchange*> asking_;  // wait for the address
};

}  // namespace ticketgate
