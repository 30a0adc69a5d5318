#include "upstream/pooled_upstream.hpp"

#include "upstream/pooled_exchange.hpp"

namespace ticketgate {

PooledUpstream::PooledUpstream(UpstreamSettings settings, net::Resolver& resolver,
                               std::size_t loops, net::Connect connect)
    : settings_(std::move(settings)), connect_(std::move(connect)) {
    for (std::size_t i = 0; i < loops; ++i)
        pools_.push_back(std::make_unique<Pool>(*this, address_source(settings_, resolver)));
}

PooledUpstream::~PooledUpstream() = default;

std::unique_ptr<Exchange> PooledUpstream::open(net::Loop& loop, bool fresh, bool careful) {
    return pools_[loop.index()]->open(loop, fresh, careful);
}

std::unique_ptr<Exchange> PooledUpstream::open_at(net::Loop& loop, const net::Endpoint& address) {
    return pools_[loop.index()]->open_at(loop, address);
}

void PooledUpstream::retire(net::Loop& loop) {
    pools_[loop.index()]->retire();
}

}  // namespace ticketgate
