// A backend that speaks FastCGI, mainly php-fpm. Makes its parameters from the head that an HTTP
// backend would get, so both are told the same: nothing has to be dropped or stamped a second time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "fcgi/script.hpp"
#include "upstream/fcgi_exchange.hpp"
#include "upstream/pooled_upstream.hpp"

namespace ticketgate {

struct FcgiSettings {
    fcgi::Scripts scripts;
    bool resolve_root = false;  ///< names the folder to which links lead from the root
    /// An idle connection occupies a worker of php-fpm, so the default is off.
    bool keep_alive = false;
    /// The address of php-fpm's status listener, if any, and pm.status_path.
    std::optional<UpstreamSettings> status;
    std::string status_path = {};
};

class FcgiUpstream final : public PooledUpstream, private WorkerStatus {
 public:
    FcgiUpstream(UpstreamSettings settings, FcgiSettings fcgi, net::Resolver& resolver,
                 std::size_t loops, const net::Connect& connect = net::SocketStream::connect);

    Prepared prepare(const http::RequestHead& head, const RequestFacts& facts,
                     std::string& out) const override;
    void add_length(std::string& head, std::uint64_t length) const override;
    void add_fencing(std::string& head, const Fencing& fencing) const override;
    bool uses_origin() const override { return true; }
    const std::string* moving_root() const override {
        return fcgi_.resolve_root ? &fcgi_.scripts.root : nullptr;
    }
    WorkerStatus* worker_status() override { return status_ ? this : nullptr; }
    void retire(net::Loop& loop) override;
    void unretire(net::Loop& loop) override;

    // For the link of a worker.
    std::unique_ptr<FcgiExchange> connect_to(net::Loop& loop, const net::Endpoint& address);
    std::unique_ptr<FcgiExchange> talk_over(net::Loop& loop, std::unique_ptr<net::Stream> stream);

 private:
    std::unique_ptr<Exchange> ask(net::Loop& loop, const net::Endpoint& sent_to,
                                  std::string& head) override;
    std::unique_ptr<Exchange> knock(net::Loop& loop, std::string& head) override;
    void append_question(std::string& head) const;
    std::unique_ptr<Exchange> open_status(net::Loop& loop, const net::Endpoint& sent_to);
    result<fcgi::Working> still_runs(std::string_view answer,
                                     const Answered& request) const override;
    error_code readable(std::string_view answer) const override;
    fcgi::StatusAdvice advice(const fcgi::StatusFailure& failure) const override;
    std::string compare_pools(std::string_view page, std::string_view at_scripts) override;
    bool one_pool(std::string_view page) const override {
        return compared_.has(fcgi::run_of(page));
    }
    fcgi::StatusAdvice advice_for_other_pool() const override;
    std::string status_address() const;
    std::unique_ptr<PooledExchange> make_exchange(Pool& pool, net::Loop& loop) override;
    const FcgiSettings fcgi_;
    const std::shared_ptr<FcgiUpstream> status_;  // null: none
    fcgi::ComparedRuns compared_;                 // whose pages are of the pool of the scripts
};

}  // namespace ticketgate
