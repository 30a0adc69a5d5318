// At max_connections a new client waits in the kernel's backlog. To make room, a connection that
// lingers after its last answer is closed, or else the oldest idle one (between two requests or
// before the first); one with a request never is.
#include "proxy/station.hpp"
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

constexpr const char* made_room = "ticketgate_connections_made_room_total";

class MaxConnections : public testing::TestWithParam<int> {
 protected:
    std::string yaml(int limit, const std::string& clients = {}) const {
        return one_queue() + "clients: { max_connections: " + std::to_string(limit) + clients +
               " }\nthreads: " + std::to_string(GetParam()) + "\n";
    }
    static constexpr const char* long_linger = ", linger_time: 1h, linger_timeout: 1h";
    // A client that was served and is idle now.
    static Client idle(Gateway& gateway, const std::string& path) {
        Client client = gateway.client();
        client.get(path);
        EXPECT_EQ(client.read().status, 200);
        return client;
    }
    Backend backend;
};

TEST_P(MaxConnections, TheOldestIdleConnectionMakesRoom) {
    Gateway gateway(yaml(3), with(backend));
    Client first = idle(gateway, "/1"), second = idle(gateway, "/2"), third = idle(gateway, "/3");
    first.get("/again");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(gateway.metric(made_room), 0);
    Client fourth = idle(gateway, "/4");
    EXPECT_TRUE(second.ends());
    EXPECT_EQ(gateway.metric(made_room), 1);
    Client fifth = idle(gateway, "/5");
    EXPECT_TRUE(third.ends());
    for (Client* client : {&first, &fourth, &fifth}) {
        client->get("/still");
        EXPECT_EQ(client->read().status, 200);
    }
    EXPECT_EQ(gateway.metric(made_room), 2);
}

TEST_P(MaxConnections, RunningAndWaitingRequestsAreNotClosed) {
    Gateway gateway(yaml(2), with(backend));
    Client runs = running(gateway, backend, "/runs");
    Client waits = gateway.client();
    waits.get("/waits");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    Client late = gateway.client();
    late.get("/late");
    backend.release("/runs");
    EXPECT_EQ(runs.read().status, 200);
    EXPECT_EQ(waits.read().status, 200);
    EXPECT_EQ(late.read().status, 200) << "an answer ended its connection, or it was idle";
    EXPECT_LE(gateway.metric(made_room), 1);
}

// Before its PROXY header a client is as silent as any other.
TEST_P(MaxConnections, AProxyThatHasSentNothingMakesRoom) {
    Gateway gateway(
        "listen:\n  - { address: \"127.0.0.1:0\", proxy_protocol: true }\n"
        "  - { address: \"127.0.0.1:0\" }\n" +
            yaml(2),
        with(backend));
    Client first = gateway.client(), second = gateway.client();
    EXPECT_TRUE(eventually([&] { return gateway.connections() == 2; }));
    Client late(gateway.address(1));
    late.get("/late");
    EXPECT_EQ(late.read().status, 200);
    EXPECT_TRUE(first.ends());
    EXPECT_EQ(gateway.metric(made_room), 1);
}

// Otherwise silent connections would keep all others out for head_timeout.
TEST_P(MaxConnections, AClientThatHasSentNothingMakesRoomToo) {
    Gateway gateway(yaml(2), with(backend));
    Client silent = gateway.client();
    Client served = idle(gateway, "/served");
    Client late = idle(gateway, "/late");
    EXPECT_TRUE(silent.ends());
    served.get("/again");
    EXPECT_EQ(served.read().status, 200);
    for (int i = 0; i < 20; ++i) {
        Client another = gateway.client(), honest = gateway.client();
        honest.get("/honest");
        EXPECT_EQ(honest.read().status, 200);
    }
}

TEST_P(MaxConnections, HalfOfAHeadIsNotIdle) {
    Gateway gateway(yaml(2), with(backend));
    Client begun = idle(gateway, "/1");
    Client served = idle(gateway, "/2");
    begun.send("GET /begun HTTP/1.1\r\n");
    ASSERT_TRUE(eventually([&] { return gateway.metric("ticketgate_input_bytes") > 0; }));
    Client late = idle(gateway, "/late");
    EXPECT_TRUE(served.ends());
    begun.send("Host: a\r\n\r\n");
    EXPECT_EQ(begun.read().status, 200);
}

// A refused client that goes on sending, or stays silent, would keep all others out for
// linger_time.
TEST_P(MaxConnections, AConnectionThatLingersMakesRoomFirst) {
    Gateway gateway(yaml(3, long_linger), with(backend));
    Client served = idle(gateway, "/served");
    Client bad = gateway.client(), large = gateway.client();
    bad.send("BAD\r\n\r\nmore");
    EXPECT_EQ(bad.read().status, 400);
    large.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n");
    EXPECT_EQ(large.read().status, 413);
    EXPECT_TRUE(bad.ends() && large.ends()) << "they linger";
    bad.send("x");
    be_slow(surely_resting);  // nobody is closed who may not have read the answer
    Client late = idle(gateway, "/late"), later = idle(gateway, "/later");
    EXPECT_EQ(gateway.metric(made_room), 2);
    served.get("/again");
    EXPECT_EQ(served.read().status, 200) << "idle for longer than they linger";
    Client latest = idle(gateway, "/latest");
    EXPECT_TRUE(late.ends());
    EXPECT_EQ(gateway.metric(made_room), 3);
}

TEST_P(MaxConnections, OnlyLingeringConnectionsKeepNobodyOut) {
    Gateway gateway(yaml(4, long_linger), with(backend));
    std::vector<Client> refused;
    for (int i = 0; i < 4; ++i) {
        refused.push_back(gateway.client());
        refused.back().send("BAD\r\n\r\n");
        EXPECT_EQ(refused.back().read().status, 400) << "the answer is read before the close";
    }
    for (int i = 0; i < 8; ++i) {
        Client honest = gateway.client();
        honest.get("/honest");
        EXPECT_EQ(honest.read().status, 200);
        refused.push_back(gateway.client());
        refused.back().send("BAD\r\n\r\n");
        EXPECT_EQ(refused.back().read().status, 400);
    }
}

TEST_P(MaxConnections, ManyNewClientsAreServedInTurn) {
    Gateway gateway(yaml(8), with(backend));
    std::vector<Client> clients;
    for (int round = 0; round < 10; ++round) {
        const std::size_t begin = clients.size();
        for (int i = 0; i < 8; ++i) {
            clients.push_back(gateway.client());
            clients.back().get("/x");
        }
        for (std::size_t i = begin; i < clients.size(); ++i)
            EXPECT_EQ(clients[i].read().status, 200) << i;
    }
    EXPECT_LE(gateway.metric(made_room), 72);
}

INSTANTIATE_TEST_SUITE_P(, MaxConnections, testing::Values(1, 2, 4));

}  // namespace
}  // namespace ticketgate::test
