// A backend that speaks FastCGI, php-fpm above all. What a request's head means to it is made from
// the head that an HTTP backend would get, so both are told the same: nothing has to be dropped or
// stamped a second time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fcgi/script.hpp"
#include "upstream/pooled_upstream.hpp"

namespace ticketgate {

struct FcgiSettings {
    fcgi::Scripts scripts;
    /// An idle connection occupies a worker of php-fpm; so it is off unless asked for.
    bool keep_alive = false;
    /// Where php-fpm's status listens, if anywhere, and pm.status_path.
    std::optional<UpstreamSettings> status;
    std::string status_path = {};
};

class FcgiUpstream final : public PooledUpstream {
 public:
    FcgiUpstream(UpstreamSettings settings, FcgiSettings fcgi, net::Resolver& resolver,
                 std::size_t loops, net::Connect connect = net::SocketStream::connect);

    void write_head(const http::RequestHead& head, const http::RequestEdits& edits,
                    const fcgi::Origin& origin, std::string& out) const override;
    void add_length(std::string& head, std::uint64_t length) const override;
    bool cgi() const override { return true; }
    std::unique_ptr<Exchange> ask_workers(net::Loop& loop, std::string& head) override;
    result<fcgi::Working> still_runs(std::string_view answer,
                                     const Answered& request) const override;
    void retire(net::Loop& loop) override;

 private:
    std::unique_ptr<PooledExchange> make_exchange(Pool& pool, net::Loop& loop) override;
    const FcgiSettings fcgi_;
    const std::shared_ptr<FcgiUpstream> status_;  // null: none
};

}  // namespace ticketgate
