#include "support/etcd.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace ticketgate::test {

namespace {

std::string name_of(std::size_t node) {
    return "n" + std::to_string(node);
}

}  // namespace

Etcd::Etcd(const Options& options) : options_(options) {
    const auto ports = free_ports(options.nodes * 2);
    for (std::size_t i = 0; i < options.nodes; ++i) {
        nodes_.push_back(std::make_unique<Node>());
        nodes_.back()->client = ports[i * 2];
        nodes_.back()->peer = ports[i * 2 + 1];
    }
    for (std::size_t i = 0; i < size(); ++i) start(i);
    for (std::size_t i = 0; i < size(); ++i) wait_for(i);
}

std::string Etcd::url(std::size_t node) const {
    return (options_.tls ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port(node));
}

std::string Etcd::peer_url(std::size_t node) const {
    return "http://127.0.0.1:" + std::to_string(nodes_[node]->peer);
}

void Etcd::start(std::size_t node) {
    std::string all;
    for (std::size_t i = 0; i < size(); ++i)
        all += (i == 0 ? "" : ",") + name_of(i) + '=' + peer_url(i);
    std::vector<std::string> arguments{"--name",
                                       name_of(node),
                                       "--data-dir",
                                       folder_.file(name_of(node)),
                                       "--listen-client-urls",
                                       url(node),
                                       "--advertise-client-urls",
                                       url(node),
                                       "--listen-peer-urls",
                                       peer_url(node),
                                       "--initial-advertise-peer-urls",
                                       peer_url(node),
                                       "--initial-cluster",
                                       all,
                                       "--initial-cluster-state",
                                       "new",
                                       "--heartbeat-interval",
                                       "50",
                                       "--election-timeout",
                                       "500"};
    arguments.insert(arguments.end(), options_.more.begin(), options_.more.end());
    nodes_[node]->program = std::make_unique<Program>("etcd", std::move(arguments));
}

void Etcd::wait_for(std::size_t node) const {
    const Program& program = *nodes_[node]->program;
    if (!program.says("client requests")) throw std::runtime_error("etcd: " + program.err());
}

void Etcd::kill(std::size_t node) {
    nodes_[node]->program.reset();
}

void Etcd::restart(std::size_t node) {
    start(node);
    wait_for(node);
}

std::string Etcd::control(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "--endpoints=" + url(0));
    Program program("etcdctl", std::move(arguments));
    const auto code = program.wait();
    EXPECT_EQ(code, 0) << program.err();
    return program.out();
}

}  // namespace ticketgate::test
