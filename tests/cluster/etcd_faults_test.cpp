#include "etcd_calls.hpp"

// What the client makes of a store that fails.
namespace ticketgate::test {
namespace {

using wire::Fault;

Etcd::Options three() {
    Etcd::Options options;
    options.nodes = 3;
    return options;
}

// Repeats the call, as every caller does with reads: while the nodes elect a leader, each of them
// answers that it has none.
bool reads_at_last(Calls& calls) {
    return eventually([&] { return calls.call(wire::read_all("/t/")).body.has_value(); });
}

TEST(EtcdFault, OfOneNodeLeadsToTheNext) {
    Etcd store(three());
    Calls calls(store);
    EXPECT_TRUE(calls.put("/t/a", "1"));
    store.kill(0);
    EXPECT_TRUE(reads_at_last(calls));
    EXPECT_EQ(calls.entries("/t/").size(), 1U);
}

TEST(EtcdFault, OfAStoppedNodeEndsTheCallAtItsTimeout) {
    Etcd store(three());
    EXPECT_TRUE(Calls(store).put("/t/a", "1"));
    Calls calls(store, 1s);
    store.stop(0);
    const auto failure = calls.call(wire::read_all("/t/")).failure;
    EXPECT_EQ(failure.fault, Fault::away);
    EXPECT_EQ(failure.message.find(store.url(0) + ": "), 0U) << failure.message;
    EXPECT_TRUE(reads_at_last(calls));
    store.go_on(0);
}

TEST(EtcdFault, OfTheMajorityIsNoAnswer) {
    Etcd store(three());
    EXPECT_TRUE(Calls(store).put("/t/a", "1"));
    Calls calls(store, 1s);
    store.kill(1);
    store.kill(2);
    for (std::size_t i = 0; i < store.size() + 1; ++i) {
        const auto answer = calls.call(wire::read_all("/t/"));
        EXPECT_FALSE(answer.body) << "a read without a majority";
        EXPECT_EQ(answer.failure.fault, Fault::away) << answer.failure.message;
    }
    store.restart(1);
    EXPECT_TRUE(reads_at_last(calls));
}

TEST(EtcdFault, OfAKeptConnectionCostsNoCall) {
    Etcd store;
    Calls calls(store);
    EXPECT_TRUE(calls.put("/t/a", "1"));
    store.kill(0);
    store.restart(0);
    EXPECT_TRUE(calls.put("/t/a", "2"));
}

// Renewals and reads go on; only writes are refused, and say why.
TEST(EtcdFault, OfAFullDatabaseIsTold) {
    Etcd::Options small;
    small.more = {"--quota-backend-bytes", "65536"};
    Etcd store(small);
    Calls calls(store);
    const auto lease = calls.lease(60s);
    etcd::Answer last;
    for (int i = 0; i < 200; ++i) {
        wire::Transaction one;
        one.puts.push_back({"/t/" + std::to_string(i), std::string(4096, 'x'), 0});
        last = calls.call(wire::write(one));
        if (!last.body) break;
    }
    EXPECT_EQ(last.failure.fault, Fault::no_space) << last.failure.message;
    EXPECT_EQ(wire::read_renewal(calls.body(wire::renew_lease(lease))), 60s);
    EXPECT_FALSE(calls.entries("/t/").empty());
}

TEST(EtcdFault, OfAWrongPortIsTold) {
    const Etcd store;
    auto settings = Calls::settings_of(store);
    settings.endpoints[0].tls = true;  // the store speaks no TLS
    settings.tls.verify = false;
    Calls calls(settings);
    const auto failure = calls.call(wire::read_all("/")).failure;
    EXPECT_EQ(failure.fault, Fault::away);
    EXPECT_EQ(failure.message.find("https://127.0.0.1:"), 0U) << failure.message;
}

}  // namespace
}  // namespace ticketgate::test
