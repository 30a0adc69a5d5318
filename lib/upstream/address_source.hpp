// Gives the addresses for new connections of one pool. They may change: a name resolves to others,
// or workers come and go. Owned by its pool; only the loop of the pool uses it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/error.hpp"
#include "net/endpoint.hpp"
#include "net/loop.hpp"
#include "net/resolver.hpp"
#include "task/scheduler.hpp"
#include "upstream/settings.hpp"

namespace ticketgate {

class AddressSource {
 public:
    virtual ~AddressSource() = default;
    /// The address for a new connection, valid until the next call. Null: there is none() now, or
    /// `asking` is notified as soon as that is known.
    virtual const net::Endpoint* address(net::Loop& loop, Observer& asking) = 0;
    /// No address is known, and none is being looked for.
    virtual bool none() const { return false; }
    /// The error of the last search for addresses; none before the first.
    virtual error_code failure() const { return {}; }
    /// How many addresses are known now.
    virtual std::size_t count() const { return 1; }
    /// A connection to `at` failed. The next call of address() gives another one, if one is known.
    virtual void failed(const net::Endpoint& at) { (void)at; }
    /// Removes an observer that no longer waits.
    virtual void forget(Observer&) {}
};

/// One address: of a unix socket, or an IP address and a port.
class FixedAddress final : public AddressSource {
 public:
    explicit FixedAddress(net::Endpoint at) : at_(at) {}
    const net::Endpoint* address(net::Loop&, Observer&) override { return &at_; }

 private:
    const net::Endpoint at_;
};

/// The source that the settings name.
std::shared_ptr<AddressSource> address_source(const UpstreamSettings& settings,
                                              net::Resolver& resolver);

}  // namespace ticketgate
