// Shared by the tests of proxy: settings loaded from a config text.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "config/load.hpp"
#include "proxy/assembly.hpp"

namespace ticketgate {

/// Loads a config; `rest` follows `listen` and `upstreams`, which has `app` and `other`.
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

/// The parts that an assembly needs: loops that only the test turns, and discarded logs.
struct Bench {
    struct NoLog final : LineTaker {
        void offer(std::string_view) noexcept override {}
        void lose(std::uint64_t) noexcept override {}
    };
    explicit Bench(std::uint32_t threads) : loops(make_loops(threads)) {}
    Platform platform() {
        return {.loops = loops,
                .resolver = resolver,
                .metrics = metrics,
                .log = log,
                .access_log = access_log};
    }

    boost::asio::io_context control;
    net::Resolver resolver{control};
    metrics::Registry metrics;
    Log log{Level::off};
    NoLog access_log;
    const Loops loops;
};

/// The proxy as the program assembles it.
struct Served : Bench {
    explicit Served(const std::string& rest, std::uint32_t threads = 1)
        : Bench(threads), assembly(config_of(rest), platform()), snapshot(assembly.snapshot()) {}
    std::shared_ptr<const Route> find(std::string_view path) const { return snapshot->find(path); }

    Assembly assembly;
    const std::shared_ptr<const Snapshot> snapshot;  ///< of the start
};

/// Two queues, a route without a queue, and regex routes that apply to all of them.
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
