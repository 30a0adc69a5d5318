// A backend that speaks HTTP/1.1 over TCP or a unix socket: for each loop a pool of idle
// connections and the addresses its name resolves to. Shared by snapshots; each pool is touched by
// its loop only.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "http/parser.hpp"
#include "net/endpoint.hpp"
#include "net/resolver.hpp"
#include "net/stream.hpp"
#include "upstream/exchange.hpp"

namespace ticketgate {

struct HttpUpstreamSettings {
    std::string host;  ///< name or literal address; empty for a unix socket
    std::uint16_t port = 0;
    std::string unix_path;
    std::string security;         ///< what `connect` depends on: other, another backend
    std::uint32_t max_idle = 64;  ///< connections kept, each loop
    Duration idle_timeout = 4s;
    http::HeadLimits head_limits{.max_head = 64 << 10, .max_uri = 0, .max_headers = 200};
    bool operator==(const HttpUpstreamSettings&) const = default;
};

class HttpExchange;
class HttpPool;

class HttpUpstream final : public Upstream, public std::enable_shared_from_this<HttpUpstream> {
 public:
    /// `connect` must be callable on all loops at one time.
    HttpUpstream(HttpUpstreamSettings settings, net::Resolver& resolver, std::size_t loops,
                 net::Connect connect = net::SocketStream::connect);
    ~HttpUpstream() override;

    std::unique_ptr<Exchange> open(net::Loop& loop, bool fresh, bool careful) override;
    void retire(net::Loop& loop) override;
    const HttpUpstreamSettings& settings() const { return settings_; }

 private:
    friend class HttpPool;
    const HttpUpstreamSettings settings_;
    net::Resolver& resolver_;
    const net::Connect connect_;
    std::vector<std::unique_ptr<HttpPool>> pools_;  // by loop index
};

}  // namespace ticketgate
