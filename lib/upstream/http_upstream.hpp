// A backend that speaks HTTP/1.1.
#pragma once

#include "upstream/pooled_upstream.hpp"

namespace ticketgate {

class HttpUpstream final : public PooledUpstream {
 public:
    HttpUpstream(UpstreamSettings settings, net::Resolver& resolver, std::size_t loops,
                 net::Connect connect = net::SocketStream::connect)
        : PooledUpstream(std::move(settings), resolver, loops, std::move(connect)) {}

    Prepared prepare(const http::RequestHead& head, const RequestFacts& facts,
                     std::string& out) const override;
    std::string_view host() const override { return settings().authority; }
    const http::BackendAddress* redirects() const override {
        return settings().redirects ? &*settings().redirects : nullptr;
    }
    void add_length(std::string& head, std::uint64_t length) const override;
    void add_fencing(std::string& head, const Fencing& fencing) const override;

 private:
    std::unique_ptr<PooledExchange> make_exchange(Pool& pool, net::Loop& loop) override;
};

}  // namespace ticketgate
