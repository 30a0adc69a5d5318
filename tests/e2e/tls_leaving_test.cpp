// CONTRACT 2.2 and 2.3 with TLS: a close_notify, a FIN or a RST is a leave; pipelined bytes are
// not.
#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

struct Way {
    const char* name;
    void (*leave)(Client&);
};

// Ways to close a TLS connection, or one direction of it: with or without close_notify, by reset.
constexpr Way ways[]{
    {"ByClosing", [](Client& c) { c.close(); }},
    {"ByCloseNotifyOnly", [](Client& c) { c.socket().say_end(); }},
    {"ByFinOnly", [](Client& c) { c.socket().cut(); }},
    {"ByDropping", [](Client& c) { c.socket().drop(); }},
    {"ByHalfClosing", [](Client& c) { c.half_close(); }},
    {"ByRst", [](Client& c) { c.reset(); }},
};

class TlsQueuedClientThatLeaves : public testing::TestWithParam<Way> {};

TEST_P(TlsQueuedClientThatLeaves, IsNeverForwarded) {
    House house(one_queue());
    Client first = running(house.gateway, house.backend, "/first");
    auto clients = stand_in_line(house.gateway, {"/leaves", "/stays"});
    GetParam().leave(clients[0]);
    ASSERT_TRUE(house.gateway.wait_for_waiting("q", 1)) << "its ticket goes at once";
    house.backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(clients[1].read().status, 200);
    EXPECT_EQ(house.backend.order(), (std::vector<std::string>{"/first", "/stays"}));
    EXPECT_EQ(house.gateway.log(3).at(0).at("status").as_int64(), 499);
}

TEST_P(TlsQueuedClientThatLeaves, DuringItsUploadIsNeverForwarded) {
    House house(one_queue());
    Client client = house.gateway.client();
    client.send("POST /half HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc");
    ASSERT_TRUE(house.gateway.wait_for_waiting("q", 1));
    GetParam().leave(client);
    EXPECT_TRUE(house.gateway.wait_for_waiting("q", 0));
    EXPECT_EQ(house.gateway.get("/next").status, 200);
    EXPECT_EQ(house.backend.count("/half"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Ways, TlsQueuedClientThatLeaves, testing::ValuesIn(ways),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(TlsPipelinedBytes, AreNotALeave) {
    House house(one_queue());
    Client first = running(house.gateway, house.backend, "/first");
    auto clients = stand_in_line(house.gateway, {"/waits"});
    clients[0].get("/more");
    clients[0].request("POST", "/upload", {}, pattern(200'000));
    house.backend.release("/first");
    EXPECT_EQ(clients[0].read().body, "/waits");
    EXPECT_EQ(clients[0].read().body, "/more");
    EXPECT_EQ(clients[0].read().body, "/upload");
    EXPECT_EQ(house.backend.of("/upload").at(0).body.size(), 200'000u);
}

TEST(TlsPipelinedBytes, DoNotHideAFin) {
    House house(one_queue());
    Client first = running(house.gateway, house.backend, "/first");
    auto clients = stand_in_line(house.gateway, {"/leaves"});
    clients[0].get("/more");
    clients[0].close();
    ASSERT_TRUE(house.gateway.wait_for_waiting("q", 0));
    house.backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(house.gateway.get("/next").status, 200);
    EXPECT_EQ(house.backend.order(), (std::vector<std::string>{"/first", "/next"}));
}

class TlsHalfClose : public testing::TestWithParam<Way> {};

TEST_P(TlsHalfClose, StayKeepsThePlaceAndGetsTheAnswer) {
    House house(one_queue(", client_half_close: stay"));
    Client first = running(house.gateway, house.backend, "/first");
    auto clients = stand_in_line(house.gateway, {"/half", "/reset"});
    GetParam().leave(clients[0]);
    clients[1].reset();
    ASSERT_TRUE(house.gateway.wait_for_waiting("q", 1)) << "RST still is a leave";
    house.backend.release("/first");
    EXPECT_EQ(clients[0].read().body, "/half");
    EXPECT_TRUE(clients[0].ends());
    EXPECT_TRUE(clients[0].socket().told_end());
}

TEST_P(TlsHalfClose, OutsideTheLineChangesNothing) {
    House house(queued_and_free());
    house.backend.hold("/free");
    Client queued = running(house.gateway, house.backend, "/q");
    GetParam().leave(queued);
    Client free = house.gateway.client();
    free.get("/free");
    ASSERT_TRUE(house.backend.wait_for("/free"));
    GetParam().leave(free);
    house.backend.release("/q");
    house.backend.release("/free");
    EXPECT_EQ(queued.read().body, "/q");
    EXPECT_EQ(free.read().body, "/free");
    EXPECT_TRUE(queued.ends());
}

INSTANTIATE_TEST_SUITE_P(Ways, TlsHalfClose, testing::Values(ways[1], ways[2], ways[4]),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(TlsRunningClientThatLeaves, KeepsItsSlotUntilTheBackendIsDone) {
    House house(one_queue());
    Client first = running(house.gateway, house.backend, "/first");
    auto clients = stand_in_line(house.gateway, {"/next"});
    first.reset();
    ASSERT_TRUE(eventually(
        [&] { return house.gateway.metric(R"(ticketgate_queue_orphaned{queue="q"})") == 1; }));
    EXPECT_EQ(house.backend.count("/next"), 0u);
    house.backend.release("/first");
    EXPECT_EQ(clients[0].read().status, 200);
    EXPECT_EQ(house.backend.most_in_flight(), 1);
}

}  // namespace
}  // namespace ticketgate::test
