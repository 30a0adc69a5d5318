// CONTRACT 2.2 and 2.3: a queued client that leaves is never forwarded; a running one that leaves
// keeps its slot.
#include "support/configs.hpp"
#include "support/full_listener.hpp"

namespace ticketgate::test {
namespace {

enum class Way { fin, rst };

void expect_that_a_leaver_is_never_forwarded(Way way) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/leaves", "/stays"});
    way == Way::fin ? clients[0].close() : clients[0].reset();
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1)) << "its ticket goes at once";
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(clients[1].read().status, 200);
    EXPECT_EQ(backend.order(), (std::vector<std::string>{"/first", "/stays"}));
    const auto line = gateway.log(3).at(0);
    EXPECT_EQ(line.at("path").as_string(), "/leaves");
    EXPECT_EQ(line.at("status").as_int64(), 499);
    EXPECT_EQ(line.at("outcome").as_string(), "client_closed");
}

TEST(QueuedClientThatLeaves, ByFinIsNeverForwarded) {
    expect_that_a_leaver_is_never_forwarded(Way::fin);
}

TEST(QueuedClientThatLeaves, ByRstIsNeverForwarded) {
    expect_that_a_leaver_is_never_forwarded(Way::rst);
}

// It has the slot, and the backend has nothing of it.
TEST(ClientThatLeaves, BeforeItsBackendIsConnectedIsNeverForwarded) {
    TemporaryFolder folder;
    FullListener backend(folder.file("backend.sock"));
    Gateway gateway(one_queue(", connect_timeout: 1h"), {{"BACKEND", backend.url()}});
    Client leaves = gateway.client();
    leaves.request("POST", "/leaves", {}, "body");
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 1));
    leaves.reset();
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 0)) << "its slot comes free at once";
    Client stays = gateway.client();
    stays.get("/stays");
    Socket connection = backend.take();
    EXPECT_NE(Reader(connection).through("\r\n\r\n").find("GET /stays "), std::string::npos);
    const auto line = gateway.log(1).at(0);
    EXPECT_EQ(line.at("path").as_string(), "/leaves");
    EXPECT_EQ(line.at("status").as_int64(), 499);
    EXPECT_FALSE(line.contains("orphaned")) << "nothing of it ran on";
}

TEST(QueuedClientThatLeaves, DuringItsUploadIsNeverForwarded) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    client.send("POST /half HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    client.close();
    EXPECT_TRUE(gateway.wait_for_waiting("q", 0));
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(backend.count("/half"), 0u);
}

TEST(QueuedClientThatLeaves, TakesItsPipelinedRequestsWithIt) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    Client client = gateway.client();
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    client.close();
    ASSERT_TRUE(gateway.wait_for_waiting("q", 0));
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(backend.order(), (std::vector<std::string>{"/first", "/next"}));
}

TEST(HalfClose, StayKeepsThePlaceAndGetsTheAnswer) {
    Backend backend;
    Gateway gateway(one_queue(", client_half_close: stay"), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/half", "/reset"});
    clients[0].half_close();
    clients[1].reset();
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1)) << "RST still is a leave";
    backend.release("/first");
    EXPECT_EQ(clients[0].read().body, "/half");
    EXPECT_TRUE(clients[0].ends());
    EXPECT_EQ(backend.count("/reset"), 0u);
}

TEST(HalfClose, OutsideTheLineChangesNothing) {
    Backend backend;
    backend.hold("/free");
    Gateway gateway(queued_and_free(), with(backend));
    Client queued = running(gateway, backend, "/q");
    queued.half_close();
    Client free = gateway.client();
    free.get("/free");
    ASSERT_TRUE(backend.wait_for("/free"));
    free.half_close();
    backend.release("/q");
    backend.release("/free");
    EXPECT_EQ(queued.read().body, "/q");
    EXPECT_EQ(free.read().body, "/free");
    EXPECT_TRUE(queued.ends());
}

// As `nc -N` and scripts do that shut their sending side down behind the request.
TEST(HalfClose, BesideTheRequestChangesNothingWhereItsPlaceStays) {
    Backend backend;
    Gateway gateway(one_queue(", client_half_close: stay"), with(backend));
    for (int i = 0; i < 50; ++i) {
        Client client = gateway.client();
        client.get("/at_once");
        client.half_close();
        EXPECT_EQ(client.read().body, "/at_once");
        EXPECT_TRUE(client.ends());
    }
}

TEST(PipelinedBytes, AreNotALeave) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/waits"});
    clients[0].get("/more");
    backend.release("/first");
    EXPECT_EQ(clients[0].read().body, "/waits");
    EXPECT_EQ(clients[0].read().body, "/more");
}

TEST(RunningClientThatLeaves, KeepsItsSlotUntilTheBackendIsDone) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/next"});
    first.reset();
    ASSERT_TRUE(eventually([&] { return orphans(gateway) == 1; }));
    EXPECT_EQ(gateway.line("q").in_flight, 1u);
    EXPECT_EQ(backend.count("/next"), 0u);
    backend.release("/first");
    EXPECT_EQ(clients[0].read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_EQ(orphans(gateway), 0);
}

TEST(RunningClientThatLeaves, ByFinIsStillServedToTheEnd) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/next"});
    first.close();
    backend.release("/first");
    EXPECT_EQ(clients[0].read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(RunningClientThatLeaves, DuringItsResponseKeepsTheSlotToTheEnd) {
    Backend backend;
    backend.on("/long", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
        call.wait_for("end");
        call.finish("world");
    });
    Gateway gateway(one_queue(), with(backend));
    Client first = gateway.client();
    first.get("/long");
    EXPECT_FALSE(first.reader().through("hello").empty());
    auto clients = stand_in_line(gateway, {"/next"});
    first.reset();
    ASSERT_TRUE(eventually([&] { return orphans(gateway) == 1; }));
    EXPECT_EQ(backend.count("/next"), 0u);
    backend.release("end");
    EXPECT_EQ(clients[0].read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(RunningClientThatLeaves, UnqueuedClosesTheBackendsConnection) {
    Backend backend;
    backend.on("/free", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
        for (;;) call.send(pattern(100'000));
    });
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.get("/free");
    ASSERT_TRUE(backend.wait_for("/free"));
    client.reset();
    EXPECT_TRUE(backend.wait_for_end("/free")) << "there is no slot to guard: the backend may stop";
}

TEST(OrphanOnAPooledConnection, IsNotSentAgainWhenTheBackendCloses) {
    Backend backend;
    backend.on("/dies", [](Call& call) {
        call.wait_for("die");
        call.close();
    });
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/warm").status, 200);
    Client client = gateway.client();
    client.get("/dies");
    ASSERT_TRUE(backend.wait_for("/dies"));
    EXPECT_EQ(backend.of("/dies")[0].on_connection, 2);
    client.reset();
    ASSERT_TRUE(eventually([&] { return orphans(gateway) == 1; }));
    backend.release("die");
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(backend.count("/dies"), 1u) << "nobody is left to answer: a retry is a ghost";
}

}  // namespace
}  // namespace ticketgate::test
