// The addresses of a name: looked up by the control thread, and looked up again from time to time,
// because containers come back under other addresses. One of them serves until it fails; then the
// next one does, in the order of the name's answer.
#pragma once

#include <string>
#include <vector>

#include "upstream/address_source.hpp"

namespace ticketgate {

class ResolvedName final : public AddressSource, public std::enable_shared_from_this<ResolvedName> {
 public:
    ResolvedName(std::string host, std::uint16_t port, net::Resolver& resolver)
        : host_(std::move(host)), port_(port), resolver_(resolver) {}

    const net::Endpoint* address(net::Loop& loop, Observer& asking) override;
    bool none() const override { return none_ && !resolving_; }
    error_code failure() const override { return failure_; }
    std::size_t count() const override { return addresses_.size(); }
    /// Also looks the name up anew, at the next call of address().
    void failed(const net::Endpoint& at) override;
    void forget(Observer& asking) override { std::erase(asking_, &asking); }

 private:
    class Answer;
    bool is_due() const;
    void resolve(net::Loop& loop);
    void resolved(const error_code& failure, std::vector<net::Endpoint> found);

    const std::string host_;
    const std::uint16_t port_;
    net::Resolver& resolver_;
    std::vector<net::Endpoint> addresses_;
    std::size_t present_ = 0;  // of addresses_
    Time resolved_at_{};
    bool resolving_ = false, none_ = false;
    error_code failure_;
    std::vector<Observer*> asking_;
};

}  // namespace ticketgate
