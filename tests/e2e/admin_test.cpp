// CONTRACT 7: the admin listener and its metrics.
#include <cstdlib>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

const Variables nobody{{"BACKEND", "http://127.0.0.1:9"}};

TEST(AdminListener, ReportsLivenessAndReadiness) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    for (const char* path : {"/livez", "/readyz", "/healthz"})
        EXPECT_EQ(gateway.admin(path).status, 200) << path;
    const auto nothing = gateway.admin("/nothing");
    EXPECT_EQ(nothing.status, 404);
    EXPECT_NE(nothing.body.find("/api/v1/ids"), std::string::npos) << "it lists every page";
    EXPECT_EQ(gateway.get("/livez").body, "/livez") << "apart from traffic";
}

TEST(AdminListener, ShowsTheLine) {
    Backend backend;
    Gateway gateway(one_queue("", "max_in_flight: 2"), with(backend));
    Client a = running(gateway, backend, "/a"), b = running(gateway, backend, "/b");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 3));
    const auto line = gateway.line("q");
    EXPECT_EQ(line.waiting, 3u);
    EXPECT_EQ(line.in_flight, 2u);
    EXPECT_EQ(line.max_in_flight, 2u);
    EXPECT_GT(gateway.metric(R"(ticketgate_queue_oldest_wait_seconds{queue="q"})"), 0);
    backend.release("/a");
    backend.release("/b");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
}

// Otherwise those who ask without end keep an operator in the backlog.
TEST(AdminListener, GivesEachConnectionOneAnswerInACrowd) {
    Backend backend;
    Gateway gateway(one_queue() + "admin: { address: \"127.0.0.1:0\", max_connections: 2 }\n",
                    with(backend));
    Client early(gateway.admin_address());
    early.get("/livez");
    EXPECT_TRUE(early.read().header("connection").empty()) << "not crowded yet";
    Client crowd(gateway.admin_address());
    crowd.get("/livez");
    crowd.get("/livez");
    EXPECT_EQ(crowd.read().header("connection"), "close");
    EXPECT_TRUE(crowd.ends());
}

TEST(AdminListener, ANewcomerNeverReplacesOneThatHasNoAnswerYetWhileAnotherHas) {
    Backend backend;
    Gateway gateway(one_queue() + "admin: { address: \"127.0.0.1:0\", max_connections: 3 }\n",
                    with(backend));
    Client newcomer(gateway.admin_address());
    newcomer.send("GET /livez HTTP/1.1\r\n");
    Client answered(gateway.admin_address());
    answered.get("/livez");
    EXPECT_EQ(answered.read().status, 200);
    Client third(gateway.admin_address()), next(gateway.admin_address());
    next.get("/livez");
    EXPECT_EQ(next.read().status, 200);
    newcomer.send("Host: h\r\n\r\n");
    EXPECT_EQ(newcomer.read().status, 200);
    EXPECT_TRUE(answered.ends());
}

// The answer comes before the close, also to a client that is still sending.
TEST(AdminListener, AnswersRequestsThatItRefusesToRead) {
    Gateway gateway(one_queue(), nobody);
    const std::string large(1 << 20, 'x');
    const std::string post = "POST /api/v1/reload HTTP/1.1\r\nHost: localhost\r\n";
    const std::pair<int, std::string> refused[] = {
        {413, post + "Content-Length: 1048576\r\n\r\n" + large},
        {413, post + "Transfer-Encoding: chunked\r\n\r\n100000\r\n" + large},
        {413, post + "Expect: 100-continue\r\nContent-Length: 1048576\r\n\r\n"},
        {413, post + "Transfer-Encoding: chunked\r\n\r\n0\r\nX-A: " + large},
        {413, post + "Transfer-Encoding: chunked\r\n\r\n1;" + large},
        {431, post + "X-A: " + large + "\r\n\r\n"},
        {417, post + "Expect: 200-ok\r\nContent-Length: 1\r\n\r\n"},
        {400, "GET /livez HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n"},
        {400, "BAD\r\n\r\n"}};
    for (const auto& [status, bytes] : refused) {
        Client client(gateway.admin_address());
        client.send(bytes);
        const auto answer = client.read();
        EXPECT_EQ(answer.status, status) << bytes.substr(0, 100);
        EXPECT_EQ(answer.header("Connection"), "close");
        client.half_close();
        EXPECT_TRUE(client.ends());
    }
}

TEST(AdminListener, RefusesHeadWithoutABody) {
    Gateway gateway(one_queue(), nobody);
    const std::string head = "HEAD /livez HTTP/1.1\r\nHost: localhost\r\n";
    const std::pair<int, std::string> refused[] = {
        {431, "X-A: " + std::string(1 << 16, 'x') + "\r\n"},
        {400, "X A: 1\r\n"},
        {400, "Host: localhost\r\n"},
        {413, "Content-Length: 1048576\r\n"},
        {417, "Expect: 200-ok\r\nContent-Length: 1\r\n"}};
    for (const auto& [status, fields] : refused) {
        Client client(gateway.admin_address());
        client.send(head + fields + "\r\n");
        const auto answer = client.read_to_head();
        EXPECT_EQ(answer.status, status) << fields.substr(0, 20);
        EXPECT_EQ(answer.header("Connection"), "close");
        client.half_close();
        EXPECT_TRUE(client.ends()) << fields.substr(0, 20);
    }
}

TEST(AdminListener, AsksForTheBodyOfAClientThatWaitsForThat) {
    Gateway gateway(one_queue(), nobody);
    Client client(gateway.admin_address());
    client.send(
        "POST /api/v1/queues/q/release?number=1 HTTP/1.1\r\nHost: localhost\r\n"
        "Expect: 100-continue\r\nContent-Length: 2\r\n\r\n");
    EXPECT_EQ(client.read().status, 100);
    client.send("{}");
    EXPECT_EQ(client.read().status, 404) << "no such ticket";
}

TEST(Metrics, CountEveryOutcomeWithZeroWaitsIncluded) {
    Backend backend;
    std::string yaml = one_queue_but("/expires", ", wait_timeout: 100ms");
    yaml.insert(yaml.find("upstream: app"), "max_waiting: 1, ");
    Gateway gateway(yaml, with(backend));
    EXPECT_EQ(gateway.get("/at-once").status, 200);
    Client first = running(gateway, backend, "/first");
    EXPECT_EQ(gateway.get("/expires").status, 503);
    auto clients = stand_in_line(gateway, {"/leaves"});
    EXPECT_EQ(gateway.get("/refused").status, 503);
    clients[0].reset();
    ASSERT_TRUE(gateway.wait_for_waiting("q", 0));
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    const auto waits = [&](const std::string& outcome) {
        return gateway.metric("ticketgate_queue_wait_seconds_count{outcome=\"" + outcome +
                              "\",queue=\"q\"}");
    };
    EXPECT_EQ(waits("admitted"), 2);
    EXPECT_EQ(waits("full"), 1);
    EXPECT_EQ(waits("timeout"), 1);
    EXPECT_EQ(waits("client_closed"), 1);
    EXPECT_EQ(waits("draining"), 0);
    EXPECT_EQ(gateway.metric(R"(ticketgate_queue_hold_seconds_count{queue="q"})"), 2);
    EXPECT_EQ(gateway.metric(R"(ticketgate_exclusion_violations_total{queue="q"})"), 0);
}

TEST(Metrics, ArePrometheusText) {
    if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "no promtool here";
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    EXPECT_EQ(gateway.get("/q").status, 200);
    EXPECT_EQ(gateway.get("/free").status, 200);
    const auto page = gateway.admin("/metrics");
    EXPECT_TRUE(page.header("Content-Type").starts_with("text/plain; version=0.0.4"));
    const std::string file = gateway.folder().write("metrics", page.body);
    const std::string told = gateway.folder().file("told");
    const std::string command = "promtool check metrics < " + file + " > " + told + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << gateway.folder().read("told");
}

}  // namespace
}  // namespace ticketgate::test
