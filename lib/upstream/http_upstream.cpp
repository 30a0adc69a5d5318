#include "upstream/http_upstream.hpp"

#include "upstream/http_exchange.hpp"

namespace ticketgate {

void HttpUpstream::write_head(const http::RequestHead& head, const http::RequestEdits& edits,
                              const fcgi::Origin&, std::string& out) const {
    http::rewrite_request(head, edits, out);
}

// Before the empty line.
void HttpUpstream::add_length(std::string& head, std::uint64_t length) const {
    head.insert(head.size() - 2, "Content-Length: " + std::to_string(length) + "\r\n");
}

std::unique_ptr<PooledExchange> HttpUpstream::make_exchange(Pool& pool, net::Loop& loop) {
    return std::make_unique<HttpExchange>(shared_from_this(), pool, loop);
}

}  // namespace ticketgate
