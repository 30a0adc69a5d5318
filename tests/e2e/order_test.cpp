// CONTRACT 1 and 2.1: one line, first in first out, one at a time.
#include <boost/json/parse.hpp>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

TEST(SerialOrder, ThirtyAtOnceRunOneAtATimeInOrderOfArrival) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 30));
    EXPECT_EQ(backend.count("/next"), 0u);
    backend.release("/first");

    EXPECT_EQ(first.read().status, 200);
    for (std::size_t i = 0; i < clients.size(); ++i)
        EXPECT_EQ(clients[i].read().body, "/next?" + std::to_string(i + 1));
    auto expected = numbered("/next", 1, 30);
    expected.insert(expected.begin(), "/first");
    EXPECT_EQ(backend.order(), expected);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(SerialOrder, ManyClientsAtFullSpeedNeverOverlap) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    std::vector<Client> clients;
    for (int i = 0; i < 16; ++i) clients.push_back(gateway.client());
    for (int round = 0; round < 20; ++round) {
        for (auto& client : clients) client.get("/x");
        for (auto& client : clients) EXPECT_TRUE(client.read().whole());
    }
    EXPECT_EQ(backend.count("/x"), 320u);
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_EQ(gateway.metric(R"(ticketgate_exclusion_violations_total{queue="q"})"), 0);
}

TEST(SerialOrder, PipelinedRequestsEachTakeTheirOwnTicket) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    std::string three;
    for (const auto& target : numbered("/x", 1, 3))
        three += "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
    client.send(three);
    for (const auto& target : numbered("/x", 1, 3)) EXPECT_EQ(client.read().body, target);
    const auto lines = gateway.log(3);
    ASSERT_EQ(lines.size(), 3u);
    for (std::uint64_t i = 0; i < 3; ++i)
        EXPECT_EQ(lines[i].at("number").to_number<std::uint64_t>(), i + 1);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

// Tells whether the body of the first waiting ticket is complete.
bool first_in_line_is_ready(const Gateway& gateway) {
    const auto view = boost::json::parse(gateway.admin("/api/v1/queues/q").body);
    const auto& line = view.at("tickets").at("waiting").as_array();
    return !line.empty() && line.at(0).at("ready").as_bool();
}

TEST(SerialOrder, UnfinishedUploadIsOvertakenAndKeepsItsNumber) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    Client slow = gateway.client();
    slow.send("POST /q/slow HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_EQ(gateway.get("/q/passes").status, 200);

    Client holder = running(gateway, backend, "/q/hold");
    auto behind = stand_in_line(gateway, {"/q/behind"});
    slow.send("def");
    EXPECT_TRUE(eventually([&] { return first_in_line_is_ready(gateway); }));
    backend.release("/q/hold");
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(behind[0].read().status, 200);
    const std::vector<std::string> expected{"/q/passes", "/q/hold", "/q/slow", "/q/behind"};
    EXPECT_EQ(backend.order(), expected) << "whole in time, the lower number goes first";
    EXPECT_EQ(backend.of("/q/slow")[0].body, "abcdef");
    EXPECT_EQ(backend.most_in_flight("/q"), 1);
}

TEST(ArrivalOrder, WaitsForTheHeadOfTheLine) {
    Backend backend;
    Gateway gateway(one_queue("", "order: arrival"), with(backend));
    Client slow = gateway.client();
    slow.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    Client behind = gateway.client();
    behind.get("/behind");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 2));
    EXPECT_EQ(gateway.line("q").in_flight, 0u);
    slow.send("def");
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(behind.read().status, 200);
    EXPECT_EQ(backend.order(), (std::vector<std::string>{"/slow", "/behind"}));
}

TEST(ArrivalOrder, HeadIsWaitedForWithinItsBodyDeadlineOnly) {
    Backend backend;
    // Long enough to see the ticket wait.
    Gateway gateway(one_queue(", body_timeout: 6s", "order: arrival"), with(backend));
    Client slow = gateway.client();
    slow.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_EQ(gateway.get("/behind").status, 200);
    EXPECT_EQ(slow.read().status, 408);
    EXPECT_EQ(backend.order(), std::vector<std::string>{"/behind"});
}

TEST(MaxInFlight, TwoRunTogetherAndTheThirdWaits) {
    Backend backend;
    backend.hold("/x");
    Gateway gateway(one_queue("", "max_in_flight: 2"), with(backend));
    std::vector<Client> clients;
    for (const auto& target : numbered("/x", 1, 5)) {
        clients.push_back(gateway.client());
        clients.back().get(target);
    }
    ASSERT_TRUE(gateway.wait_for_waiting("q", 3));
    ASSERT_TRUE(backend.wait_for("/x", 2));
    EXPECT_EQ(gateway.line("q").in_flight, 2u);
    EXPECT_EQ(backend.count("/x"), 2u);
    backend.release("/x");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 2);
}

const std::string shared_queue = R"(
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app }
routes:
  - { prefix: /a, queue: q }
  - { prefix: /b, queue: q }
  - { prefix: /c, queue: other }
  - { prefix: /d, queue: q, skip_methods: [OPTIONS, GET] }
)";

TEST(SharedQueue, RoutesThatNameItStandInOneLine) {
    Backend backend;
    Gateway gateway(shared_queue, with(backend));
    Client a = running(gateway, backend, "/a"), b = gateway.client();
    b.get("/b");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_EQ(gateway.get("/c").status, 200) << "another queue is another line";
    EXPECT_EQ(backend.count("/b"), 0u);
    backend.release("/a");
    EXPECT_EQ(a.read().status, 200);
    EXPECT_EQ(b.read().status, 200);
}

TEST(SkipMethods, BypassTheQueue) {
    Backend backend;
    Gateway gateway(shared_queue, with(backend));
    Client a = running(gateway, backend, "/a"), post = gateway.client();
    EXPECT_EQ(gateway.get("/d").status, 200);
    post.request("POST", "/d", {}, "x");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    backend.release("/a");
    EXPECT_EQ(a.read().status, 200);
    EXPECT_EQ(post.read().status, 200);
}

}  // namespace
}  // namespace ticketgate::test
