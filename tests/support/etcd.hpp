// A real etcd on loopback, of one or several nodes, with data folders of its own.
#pragma once

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "support/ports.hpp"
#include "support/program.hpp"

namespace ticketgate::test {

class Etcd {
 public:
    struct Options {
        std::size_t nodes = 1;
        bool tls = false;
        std::vector<std::string> more;  ///< arguments of each node
    };

    /// Returns when every node serves clients.
    explicit Etcd(const Options& options);
    Etcd() : Etcd(Options()) {}

    std::size_t size() const { return nodes_.size(); }
    std::uint16_t port(std::size_t node) const { return nodes_[node]->client; }
    std::string url(std::size_t node) const;
    void stop(std::size_t node) const { nodes_[node]->program->stop(); }
    void go_on(std::size_t node) const { nodes_[node]->program->signal(SIGCONT); }
    /// Ends the node with SIGKILL.
    void kill(std::size_t node);
    /// Starts it again with its data.
    void restart(std::size_t node);
    /// Runs etcdctl against the first node; fails the test if it fails. Returns its output.
    std::string control(std::vector<std::string> arguments) const;

 private:
    struct Node {
        std::uint16_t client = 0, peer = 0;
        std::unique_ptr<Program> program;
    };
    void start(std::size_t node);
    void wait_for(std::size_t node) const;
    std::string peer_url(std::size_t node) const;

    const Options options_;
    TemporaryFolder folder_;
    std::vector<std::unique_ptr<Node>> nodes_;
};

}  // namespace ticketgate::test
