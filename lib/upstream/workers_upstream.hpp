// A backend of workers that ticketgate starts itself. Its requests are FastCGI, as for php-fpm;
// each goes to a worker of the pool. Shared by snapshots.
#pragma once

#include <memory>

#include "spawn/pool.hpp"
#include "upstream/fcgi_upstream.hpp"

namespace ticketgate {

class WorkersUpstream final : public Upstream {
 public:
    WorkersUpstream(std::shared_ptr<FcgiUpstream> protocol, std::shared_ptr<spawn::Pool> pool)
        : protocol_(std::move(protocol)), pool_(std::move(pool)) {}

    Prepared prepare(const http::RequestHead& head, const RequestFacts& facts,
                     std::string& out) const override {
        return protocol_->prepare(head, facts, out);
    }
    void add_length(std::string& head, std::uint64_t length) const override {
        protocol_->add_length(head, length);
    }
    void add_fencing(std::string& head, const Fencing& fencing) const override {
        protocol_->add_fencing(head, fencing);
    }
    bool uses_origin() const override { return true; }
    const std::string* moving_root() const override { return protocol_->moving_root(); }
    std::unique_ptr<Exchange> open(net::Loop& loop, bool fresh, bool careful) override;
    void retire(net::Loop& loop) override { protocol_->retire(loop); }
    void unretire(net::Loop& loop) override { protocol_->unretire(loop); }
    const std::shared_ptr<spawn::Pool>& pool() const { return pool_; }

 private:
    const std::shared_ptr<FcgiUpstream> protocol_;
    const std::shared_ptr<spawn::Pool> pool_;
};

}  // namespace ticketgate
