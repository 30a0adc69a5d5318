// The operator's view of a line and its actions: tickets, release, reload, drain.
#include <boost/json/parse.hpp>

#include "support/configs.hpp"
#include "support/full_listener.hpp"

namespace ticketgate::test {
namespace {

boost::json::object view(const Gateway& gateway, const std::string& target) {
    const auto answer = gateway.admin(target);
    EXPECT_EQ(answer.status, 200) << answer.body;
    return boost::json::parse(answer.body).as_object();
}

Response write(Gateway& gateway, const std::string& target, std::string_view lines = {}) {
    Client client(gateway.admin_address());
    client.send("POST " + target + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n" +
                std::string(lines) + "\r\n");
    return client.read();
}

TEST(Operator, SeesEveryTicketWithItsIdAndItsState) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 3));
    const auto whole = view(gateway, "/api/v1/queues/q?limit=2");
    EXPECT_EQ(whole.at("waiting"), 3);
    const auto& tickets = whole.at("tickets").as_object();
    const auto& holder = tickets.at("in_flight").as_array().at(0).as_object();
    EXPECT_EQ(holder.at("number"), 1);
    EXPECT_EQ(holder.at("target"), "/first");
    EXPECT_EQ(holder.at("request_id").as_string(),
              backend.of("/first").at(0).header("X-Request-Id"));
    EXPECT_GE(holder.at("held_seconds").to_number<double>(), 0);
    const auto& line = tickets.at("waiting").as_array();
    ASSERT_EQ(line.size(), 2u);
    EXPECT_EQ(tickets.at("waiting_not_shown"), 1);
    EXPECT_EQ(line.at(1).as_object().at("number"), 3);
    EXPECT_EQ(line.at(1).as_object().at("position"), 1);
    EXPECT_EQ(line.at(1).as_object().at("blocked_by"), 1);
    EXPECT_EQ(line.at(1).as_object().at("method"), "GET");
    EXPECT_EQ(line.at(1).as_object().at("client_ip"), "127.0.0.1");
    EXPECT_EQ(line.at(1).as_object().at("ready"), true);
    EXPECT_EQ(gateway.admin("/api/v1/queues/nobody").status, 404);
    backend.release("/first");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(gateway.log(4).at(2).at("blocked_by"), 1);
}

// Release is the only way to run two at once: our counter shows it, and the backend sees it.
TEST(Operator, ReleasingAStuckSlotCountsAsAViolation) {
    for (const int threads : {1, 2}) {
        Backend backend;
        Gateway gateway(one_queue() + "threads: " + std::to_string(threads) + "\n", with(backend));
        Client stuck = running(gateway, backend, "/stuck");
        backend.hold("/first-in-line");
        Client next = gateway.client();
        next.get("/first-in-line");
        ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
        EXPECT_EQ(write(gateway, "/api/v1/queues/q/release?number=7").status, 404);
        EXPECT_EQ(write(gateway, "/api/v1/queues/q/release").status, 400);
        EXPECT_EQ(write(gateway, "/api/v1/queues/q/release?number=1").status, 200);
        EXPECT_TRUE(backend.wait_for("/first-in-line"));
        EXPECT_EQ(backend.most_in_flight(), 2);
        EXPECT_EQ(gateway.metric("ticketgate_exclusion_violations_total{queue=\"q\"}"), 1);
        backend.release("/stuck");
        EXPECT_EQ(stuck.read().status, 200) << "its own answer still comes";
        EXPECT_EQ(gateway.line("q").in_flight, 1u) << "and gives no second slot back";
        backend.release("/first-in-line");
        EXPECT_EQ(next.read().status, 200);
        EXPECT_EQ(gateway.get("/after").status, 200);
        EXPECT_EQ(gateway.line("q").in_flight, 0u);
    }
}

// After a restart the numbers begin anew, and an operator may still look at the old picture.
TEST(Operator, ReleasesNoOtherRequestThanTheOneThatIsNamed) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client stuck = running(gateway, backend, "/stuck");
    const std::string target = "/api/v1/queues/q/release?number=1&request_id=";
    const auto id = std::string(backend.of("/stuck").at(0).header("X-Request-Id"));
    const auto refused = write(gateway, target + "of-the-process-before");
    EXPECT_EQ(refused.status, 409);
    EXPECT_EQ(refused.body,
              "not released: number 1 of queue q is another request now: request id " + id + "\n");
    EXPECT_EQ(gateway.metric("ticketgate_exclusion_violations_total{queue=\"q\"}"), 0);
    EXPECT_EQ(gateway.line("q").in_flight, 1u);
    EXPECT_EQ(write(gateway, target + id).status, 200);
    EXPECT_EQ(write(gateway, target + id).status, 409) << "gone";
    backend.release("/stuck");
    EXPECT_EQ(stuck.read().status, 200);
}

// A request of which the backend has no byte yet can still be stopped.
TEST(Operator, ReleaseStopsARequestThatIsNotSentYet) {
    TemporaryFolder folder;
    FullListener backend(folder.file("backend.sock"));
    Gateway gateway(one_queue(", connect_timeout: 1h"), {{"BACKEND", backend.url()}});
    Client client = gateway.client();
    client.get("/x");
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 1));
    EXPECT_EQ(write(gateway, "/api/v1/queues/q/release?number=1").status, 200);
    EXPECT_EQ(client.read().status, 503);
    EXPECT_EQ(gateway.log(1).at(0).at("outcome").as_string(), "released");
    EXPECT_EQ(gateway.metric("ticketgate_exclusion_violations_total{queue=\"q\"}"), 0);
    EXPECT_EQ(gateway.metric("ticketgate_queue_rejected_total{queue=\"q\",reason=\"released\"}"),
              1);
    Client next = gateway.client();
    next.get("/next");
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 1));
    Socket connection = backend.take();
    EXPECT_NE(Reader(connection).through("\r\n\r\n").find("GET /next "), std::string::npos);
}

// Each of them tries to connect every few milliseconds. In no moment of that does the view say that
// the backend may have it.
TEST(Operator, SeesRequestsAsUnsentWhileTheyTryToConnect) {
    TemporaryFolder folder;
    FullListener backend(folder.file("backend.sock"));
    Gateway gateway(one_queue(", connect_timeout: 1h", "max_in_flight: 32"),
                    {{"BACKEND", backend.url()}});
    std::vector<Client> clients;
    for (int i = 0; i < 32; ++i) {
        clients.push_back(gateway.client());
        clients.back().get("/x");
    }
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 32));
    for (int look = 0; look < 100; ++look) {
        const auto tickets = view(gateway, "/api/v1/queues/q?limit=32").at("tickets").as_object();
        const auto& holders = tickets.at("in_flight").as_array();
        ASSERT_EQ(holders.size(), 32u);
        for (const auto& holder : holders)
            ASSERT_TRUE(holder.as_object().contains("not_sent")) << holder;
    }
}

// The run goes on without its slot and no longer appears in the view or in the metrics of holds.
TEST(Operator, AReleasedRunIsNoLongerMeasuredAsAHold) {
    Backend backend;
    Gateway gateway(one_queue("", "hold_timeout: 5s"), with(backend));
    Client stuck = running(gateway, backend, "/stuck");
    be_slow(20ms);
    EXPECT_EQ(write(gateway, "/api/v1/queues/q/release?number=1").status, 200);
    EXPECT_TRUE(eventually(
        [&] { return gateway.metric("ticketgate_queue_hold_seconds_count{queue=\"q\"}") == 1; }));
    EXPECT_EQ(gateway.get("/other").status, 200);
    be_slow(200ms);
    backend.release("/stuck");
    EXPECT_EQ(stuck.read().status, 200);
    const auto line = gateway.log(2).at(1);
    EXPECT_EQ(line.at("path").as_string(), "/stuck");
    EXPECT_GE(line.at("hold_ms").to_number<double>(), 20);
    EXPECT_LT(line.at("hold_ms").to_number<double>(),
              line.at("duration_ms").to_number<double>() - 150);
    EXPECT_EQ(gateway.metric("ticketgate_queue_hold_seconds_count{queue=\"q\"}"), 2);
}

TEST(Operator, OnAnotherSitesPageNeedsTheToken) {
    Backend backend;
    Gateway gateway(one_queue() + "admin: { address: \"127.0.0.1:0\", token: sesame }\n",
                    with(backend));
    const std::string evil = "Origin: http://evil.example\r\n";
    EXPECT_EQ(write(gateway, "/api/v1/reload", evil).status, 403);
    EXPECT_EQ(write(gateway, "/api/v1/reload", evil + "Authorization: Bearer sesam\r\n").status,
              403);
    EXPECT_EQ(write(gateway, "/api/v1/nothing", evil + "Authorization: Bearer sesame\r\n").status,
              404);
}

TEST(Operator, RefusesASiteWhoseNamePointsToThisMachine) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client client(gateway.admin_address());
    client.send(
        "POST /api/v1/reload HTTP/1.1\r\nHost: evil.example:9901\r\n"
        "Origin: http://evil.example:9901\r\nContent-Length: 0\r\n\r\n"
        "GET /metrics HTTP/1.1\r\nHost: ticketgate.monitoring:9901\r\n\r\n");
    const auto refused = client.read();
    EXPECT_EQ(refused.status, 403);
    EXPECT_NE(refused.body.find("localhost"), std::string::npos) << refused.body;
    EXPECT_EQ(client.read().status, 200) << "reading is for every name";
}

TEST(Operator, ReloadsAndDrains) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    gateway.folder().write("ticketgate.yaml", "nonsense: [\n");
    EXPECT_EQ(write(gateway, "/api/v1/reload").status, 422);
    EXPECT_EQ(gateway.get("/still").status, 200);
    EXPECT_EQ(write(gateway, "/api/v1/drain").status, 202);
    EXPECT_TRUE(gateway.ended());
}

}  // namespace
}  // namespace ticketgate::test
