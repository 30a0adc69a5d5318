#include "upstream/http_upstream.hpp"

#include "upstream/http_pool.hpp"

namespace ticketgate {

HttpUpstream::HttpUpstream(HttpUpstreamSettings settings, net::Resolver& resolver,
                           std::size_t loops, net::Connect connect)
    : settings_(std::move(settings)), resolver_(resolver), connect_(std::move(connect)) {
    for (std::size_t i = 0; i < loops; ++i) pools_.push_back(std::make_unique<HttpPool>(*this));
}

HttpUpstream::~HttpUpstream() = default;

std::unique_ptr<Exchange> HttpUpstream::open(net::Loop& loop, bool fresh, bool careful) {
    return pools_[loop.index()]->open(loop, fresh, careful);
}

void HttpUpstream::retire(net::Loop& loop) {
    pools_[loop.index()]->retire();
}

}  // namespace ticketgate
