// CONTRACT 3 and 7: draining finishes the line, stopping ends at once.
#include "support/configs.hpp"
#include "support/full_listener.hpp"

namespace ticketgate::test {
namespace {

TEST(Drain, FinishesTheLineAndEndsWithZero) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 5));
    gateway.drain();
    EXPECT_TRUE(eventually([&] { return gateway.admin("/readyz").status == 503; }));
    EXPECT_EQ(gateway.admin("/livez").status, 200);
    const auto told = gateway.admin("/readyz?verbose").body;
    EXPECT_TRUE(told.starts_with("draining\nwhat still runs is cut in ")) << told;
    backend.release("/first");
    EXPECT_EQ(first.read().header("Connection"), "close");
    for (auto& client : clients) {
        const auto answer = client.read();
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.header("Connection"), "close");
        EXPECT_TRUE(client.ends());
    }
    EXPECT_EQ(gateway.exit_code(), 0);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(Drain, ClosesIdleConnectionsAndTakesNoNewOnes) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    Client idle = gateway.client();
    idle.get("/x");
    EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
    Client fresh = gateway.client();
    ASSERT_TRUE(eventually([&] { return gateway.metric("ticketgate_connections") == 3; }));
    const auto address = gateway.address();
    gateway.drain();
    EXPECT_TRUE(fresh.ends());
    EXPECT_TRUE(eventually([&] {
        try {
            return Client(address).ends(1ms);  // the caller tries again
        } catch (const std::runtime_error&) {
            return true;
        }
    }));
    backend.release("/first");
    EXPECT_EQ(idle.read().status, 200);
    EXPECT_TRUE(idle.ends());
    EXPECT_EQ(gateway.exit_code(), 0);
}

TEST(Drain, RefusesARequestThatBecomesWholeAfterIt) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    Client late = gateway.client();
    late.send("GET /late HTTP/1.1\r\nHost:");
    ASSERT_TRUE(eventually([&] { return gateway.metric("ticketgate_connections") == 2; }));
    gateway.drain();
    EXPECT_TRUE(eventually([&] { return gateway.admin("/readyz").status == 503; }));
    late.send(" a\r\n\r\n");
    const auto answer = late.read();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(late.ends());
    late.close();
    const auto line = gateway.log(1).at(0);
    EXPECT_EQ(line.at("outcome").as_string(), "draining");
    EXPECT_EQ(line.at("queue").as_string(), "q");
    EXPECT_EQ(gateway.metric(R"(ticketgate_queue_rejected_total{queue="q",reason="draining"})"), 1);
    backend.release("/first");
    EXPECT_EQ(gateway.exit_code(), 0);
    EXPECT_EQ(backend.count("/late"), 0u);
}

TEST(Drain, WaitsForAnOrphanBecauseItsSlotIsHeld) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    first.reset();
    ASSERT_TRUE(
        eventually([&] { return gateway.metric("ticketgate_queue_orphaned{queue=\"q\"}") == 1; }));
    gateway.drain();
    EXPECT_TRUE(eventually([&] { return gateway.admin("/readyz").status == 503; }));
    EXPECT_TRUE(still(100ms, [&] { return !gateway.ended(0s); }));
    backend.release("/first");
    EXPECT_EQ(gateway.exit_code(), 0);
    EXPECT_NE(backend.of("/first")[0].end, 0u);
}

TEST(Drain, EndsAtDrainTimeout) {
    Backend backend;
    Gateway gateway("drain_timeout: 200ms\n" + one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/next"});
    gateway.drain();
    EXPECT_EQ(gateway.exit_code(), 0);
    EXPECT_EQ(backend.count("/next"), 0u);
    EXPECT_NE(clients[0].read().status, 200);
}

TEST(Stop, EndsAtOnceWithRequestsInEveryStage) {
    Backend backend;
    backend.hold("/free");
    backend.on("/long", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
        call.wait_for("never");
    });
    Gateway gateway(
        "drain_timeout: 1h\n" +
            queued_and_free(", wait_timeout: 1h, body_timeout: 1h, response_timeout: 1h") +
            "clients: { head_timeout: 1h, idle_timeout: 1h, write_timeout: 1h, linger_time: 1h, "
            "linger_timeout: 1h }\n",
        with(backend));
    Client run = running(gateway, backend, "/q/first");
    std::vector<Client> clients;
    const std::vector<std::string> texts{
        "GET /q/waits HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /q/up HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhal",
        "GET /free HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /free HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhal",
        "GET /long HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /q HTTP/1.1\r\nHos",
        "",
    };
    for (const auto& text : texts) {
        clients.push_back(gateway.client());
        clients.back().send(text);
    }
    ASSERT_TRUE(gateway.wait_for_waiting("q", 2));
    ASSERT_TRUE(backend.wait_for("/free"));
    ASSERT_TRUE(backend.wait_for("/long"));
    ASSERT_TRUE(eventually([&] { return gateway.metric("ticketgate_connections") == 8; }));
    gateway.stop();
    EXPECT_EQ(gateway.exit_code(), 0) << "nothing had to be waited for: each time-out is an hour";
    EXPECT_EQ(backend.count("/q/waits"), 0u);
    for (auto& client : clients) EXPECT_FALSE(client.read().status == 200 && client.read().whole());
}

TEST(Stop, Sends503ToWaitingRequests) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/waits"});
    gateway.stop();
    const auto answer = clients[0].read();
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_EQ(gateway.exit_code(), 0);
}

// 503 would invite a retry, but the backend may still be working on this request.
TEST(Stop, Sends502ToRunningRequests) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    Client queued = running(gateway, backend, "/q"), free = running(gateway, backend, "/free");
    gateway.stop();
    for (Client* const client : {&queued, &free}) {
        const auto answer = client->read();
        EXPECT_EQ(answer.status, 502);
        EXPECT_EQ(answer.header("Connection"), "close");
        EXPECT_EQ(answer.header("Retry-After"), "");
    }
    const auto lines = gateway.log(2);
    for (const auto& line : lines) {
        EXPECT_EQ(line.at("status"), 502);
        EXPECT_FALSE(line.contains("orphaned")) << "the client has not left";
    }
    EXPECT_EQ(gateway.exit_code(), 0);
}

// It waits for its connection, so its backend has no byte of it.
TEST(Stop, Sends503ToARequestThatIsNotSentYet) {
    TemporaryFolder folder;
    FullListener backend(folder.file("backend.sock"));
    Gateway gateway(one_queue(", connect_timeout: 1h"), {{"BACKEND", backend.url()}});
    Client client = gateway.client();
    client.request("POST", "/x", {}, "body");
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 1));
    gateway.stop();
    EXPECT_EQ(client.read().status, 503);
    EXPECT_EQ(gateway.log(1).at(0).at("outcome").as_string(), "draining") << "as one that waits";
    EXPECT_EQ(gateway.exit_code(), 0);
}

TEST(Stop, LogsAnErrorPageThatItCuts) {
    const TemporaryFolder folder;
    const std::string page = pattern(20'000'000);
    Gateway gateway(
        one_queue(", on_backend_error: { body_file: " + folder.write("page", page) + " }") +
            "clients: { write_timeout: 1h }\n",
        {{"BACKEND", "http://127.0.0.1:1"}});
    Client slow = gateway.slow_reader();
    slow.get("/page");
    EXPECT_FALSE(slow.reader().through("\r\n\r\n").empty());
    gateway.stop();
    EXPECT_EQ(gateway.exit_code(), 0);
    std::string taken;
    EXPECT_FALSE(slow.reader().exactly(page.size(), taken));
    const auto lines = gateway.log(1);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].at("bytes"), taken.size());
    EXPECT_TRUE(lines[0].contains("cut"));
}

TEST(Stop, EndsADrain) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    gateway.drain();
    EXPECT_TRUE(eventually([&] { return gateway.admin("/readyz").status == 503; }));
    EXPECT_TRUE(still(50ms, [&] { return !gateway.ended(0s); }));
    gateway.stop();
    EXPECT_EQ(gateway.exit_code(), 0);
}

}  // namespace
}  // namespace ticketgate::test
