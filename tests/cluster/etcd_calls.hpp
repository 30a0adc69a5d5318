// Calls of the client, one after the other, on an io_context of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "etcd/client.hpp"
#include "support/etcd.hpp"

namespace ticketgate::test {

namespace wire = cluster::etcd;

class Calls {
 public:
    /// A timeout that only a call without an answer reaches.
    explicit Calls(const Etcd& store, milliseconds timeout = 10s)
        : Calls(settings_of(store, timeout)) {}
    explicit Calls(const etcd::Settings& settings) : client_(io_, settings) {}

    static etcd::Settings settings_of(const Etcd& store, milliseconds timeout = 10s) {
        etcd::Settings settings;
        for (std::size_t i = 0; i < store.size(); ++i) {
            etcd::Endpoint endpoint;
            endpoint.host = "127.0.0.1";
            endpoint.port = store.port(i);
            settings.endpoints.push_back(endpoint);
        }
        settings.timeout = timeout;
        return settings;
    }

    etcd::Answer call(wire::Call call) {
        etcd::Answer answer;
        boost::asio::co_spawn(io_, client_.call(std::move(call)),
                              [&](std::exception_ptr failed, etcd::Answer got) {
                                  EXPECT_FALSE(failed);
                                  answer = std::move(got);
                              });
        io_.restart();
        io_.run();
        return answer;
    }

    /// The body of an answer that must come.
    std::string body(wire::Call one) {
        const auto answer = call(std::move(one));
        EXPECT_TRUE(answer.body) << answer.failure.message;
        return answer.body.value_or("");
    }

    bool put(const std::string& key, const std::string& value, wire::LeaseId lease = 0) {
        wire::Transaction one;
        one.puts.push_back({key, value, lease});
        const auto outcome = wire::read_outcome(body(wire::write(one)));
        return outcome && outcome->done;
    }

    std::vector<wire::Entry> entries(const std::string& prefix) {
        const auto snapshot = wire::read_snapshot(body(wire::read_all(prefix)));
        EXPECT_TRUE(snapshot);
        return snapshot ? snapshot->entries : std::vector<wire::Entry>();
    }

    wire::LeaseId lease(seconds ttl) {
        return wire::read_lease(body(wire::grant_lease(ttl))).value_or(0);
    }

    /// Writes until a store with small_quota has no room.
    void fill() {
        etcd::Answer last;
        last.body = "";
        for (int i = 0; last.body && i < 1000; ++i) {
            wire::Transaction one;
            one.puts.push_back({"/fill/" + std::to_string(i), std::string(4096, 'x'), 0});
            last = call(wire::write(one));
        }
        ASSERT_EQ(last.failure.fault, wire::Fault::no_space) << last.failure.message;
    }
    static Etcd::Options small_quota() {
        Etcd::Options options;
        options.more = {"--quota-backend-bytes", "262144"};
        return options;
    }

 private:
    boost::asio::io_context io_;
    etcd::Client client_;
};

}  // namespace ticketgate::test
