// A relay in front of a node of a real etcd that passes writes on and loses their answers: the node
// has done what its caller never hears of.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <thread>

#include "support/socket.hpp"

namespace ticketgate::test {

class LossyRelay {
 public:
    /// Loses the answer of each `every`-th transaction, by an end of its connection.
    LossyRelay(const net::Endpoint& node, std::size_t every);
    ~LossyRelay();
    LossyRelay(const LossyRelay&) = delete;
    LossyRelay& operator=(const LossyRelay&) = delete;

    std::string url() const { return "http://" + at_.text(); }
    std::size_t lost() const { return lost_; }

 private:
    struct Pair;
    void serve();
    bool take_turn(Pair&);

    const net::Endpoint node_;
    const std::size_t every_;
    net::Endpoint at_;
    Socket listener_;
    std::atomic<std::size_t> writes_{0}, lost_{0};
    std::atomic<bool> over_{false};
    std::thread thread_;  // last: it uses the rest
};

}  // namespace ticketgate::test
