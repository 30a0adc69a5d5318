// Shared by the tests of proxy: settings as a file gives them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "config/load.hpp"
#include "proxy/snapshot.hpp"

namespace ticketgate {

struct NoUpstream final : Upstream {
    Prepared prepare(const http::RequestHead&, const RequestFacts&, std::string&) const override {
        return {};
    }
    void add_length(std::string&, std::uint64_t) const override {}
    std::unique_ptr<Exchange> open(net::Loop&, bool, bool) override { return nullptr; }
    void retire(net::Loop&) override {}
};

/// Everything below `listen` and `upstreams` (there is `app` and `other`).
inline config::Config config_of(const std::string& rest) {
    const std::string text =
        "listen: [{address: \"127.0.0.1:8080\"}]\n"
        "upstreams: {app: {url: \"http://127.0.0.1:8000\"},"
        " other: {url: \"http://127.0.0.1:8001\"}}\n" +
        rest;
    auto loaded = config::load_text(text, "test.yaml", config::environment_of({}));
    for (const auto& problem : loaded.problems) EXPECT_TRUE(problem.warning) << problem.message;
    if (!loaded.config) throw std::runtime_error("the test's config is wrong");
    return std::move(*loaded.config);
}

/// A snapshot with real gates, which lie on a loop that nobody turns.
struct Served {
    explicit Served(const std::string& rest) : snapshot(make(config_of(rest))) {}

    std::shared_ptr<const Snapshot> make(config::Config config) {
        Snapshot::Gates gates;
        for (const auto& [name, queue] : config.queues)
            gates[name] = std::make_shared<Gate>(name, GateSettings(), loop, metrics);
        Snapshot::Upstreams upstreams;
        for (const auto& [name, upstream] : config.upstreams)
            upstreams[name] = std::make_shared<NoUpstream>();
        return std::make_shared<const Snapshot>(std::move(config), std::move(gates),
                                                std::move(upstreams));
    }
    std::shared_ptr<const Route> find(std::string_view path) const { return snapshot->find(path); }

    metrics::Registry metrics;
    net::Loop loop{0};
    std::shared_ptr<const Snapshot> snapshot;
};

/// Two queues, a route without, and regex routes across them.
inline const std::string shop =
    "queues: {cart: {}, stock: {}}\n"
    "defaults: {upstream: app, queue: cart}\n"
    "routes:\n"
    "- prefix: /shop\n"
    "  skip_methods: [OPTIONS, HEAD]\n"
    "  routes:\n"
    "  - {prefix: /shop/stock, queue: stock, max_waiting: 3}\n"
    "- {prefix: /static, queue: \"off\", upstream: other}\n"
    "- {regex: '\\.php$', wait_timeout: 7s}\n"
    "- {regex: '^/shop/.*\\.json$', queue: \"off\"}\n";

}  // namespace ticketgate
