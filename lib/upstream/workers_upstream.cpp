#include "upstream/workers_upstream.hpp"

#include "upstream/leased_exchange.hpp"

namespace ticketgate {

// Each request has a worker alone, whether its connection is new or not.
std::unique_ptr<Exchange> WorkersUpstream::open(net::Loop& loop, bool, bool) {
    return std::make_unique<LeasedExchange>(pool_, loop);
}

}  // namespace ticketgate
