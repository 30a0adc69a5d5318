// CONTRACT 1.1 and 2.1 with several I/O threads: one total order over all threads and connections.
#include <algorithm>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

std::string threaded(int n, const std::string& yaml) {
    return "threads: " + std::to_string(n) + "\n" + yaml;
}

// Returns the target of each request by its ticket number, from the access log.
std::vector<std::string> targets_by_number(Gateway& gateway, std::size_t requests) {
    std::vector<std::pair<std::uint64_t, std::string>> lines;
    for (const auto& line : gateway.log(requests)) {
        const auto* number = line.if_contains("number");
        if (number == nullptr || line.at("outcome").as_string() != "admitted") continue;
        lines.emplace_back(number->to_number<std::uint64_t>(), line.at("path").as_string().c_str());
    }
    std::ranges::sort(lines);
    std::vector<std::string> targets;
    for (const auto& [number, target] : lines) targets.push_back(target);
    return targets;
}

class Threads : public testing::TestWithParam<int> {};

TEST_P(Threads, RequestsOfManyClientsRunByNumberWithoutOverlap) {
    Backend backend;
    Gateway gateway(threaded(GetParam(), one_queue()), with(backend));
    constexpr int clients_count = 12, rounds = 15;
    std::vector<Client> clients;
    for (int i = 0; i < clients_count; ++i) clients.push_back(gateway.client());
    int n = 0;
    for (int round = 0; round < rounds; ++round) {
        for (auto& client : clients) client.get("/x?" + std::to_string(++n));
        n -= clients_count;
        for (auto& client : clients) EXPECT_EQ(client.read().body, "/x?" + std::to_string(++n));
    }
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_EQ(backend.order(), targets_by_number(gateway, clients_count * rounds));
}

TEST_P(Threads, ArrivalsOneAfterTheOtherKeepTheirOrder) {
    Backend backend;
    Gateway gateway(threaded(GetParam(), one_queue()), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, numbered("/next", 1, 16));
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    auto expected = numbered("/next", 1, 16);
    expected.insert(expected.begin(), "/first");
    EXPECT_EQ(backend.order(), expected);
}

TEST_P(Threads, OneConnectionTravelsBetweenQueuesOfDifferentHomes) {
    Backend backend;
    Gateway gateway(threaded(GetParam(), R"(
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app }
routes:
  - { prefix: /, queue: off }
  - { prefix: /a, queue: a }
  - { prefix: /b, queue: b }
  - { prefix: /c, queue: c }
)"),
                    with(backend));
    Client client = gateway.client();
    for (int i = 0; i < 40; ++i) {
        const std::string target = "/" + std::string(1, "abcx"[i % 4]) + "?" + std::to_string(i);
        client.request("POST", target, {}, "body");
        EXPECT_EQ(client.read().body, target);
    }
}

TEST_P(Threads, LeavingUploadingAndExpiringBreakNothing) {
    Backend backend;
    Gateway gateway(threaded(GetParam(), one_queue(", wait_timeout: 20ms", "order: arrival")),
                    with(backend));
    std::vector<Client> clients;
    for (int i = 0; i < 60; ++i) {
        clients.push_back(gateway.client());
        if (i % 3 == 0) clients.back().get("/x?" + std::to_string(i));
        if (i % 3 == 1)
            clients.back().send("POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab");
        if (i % 3 == 2) clients.back().get("/gone");
        if (i % 6 == 2) clients.back().reset();
        if (i % 6 == 5) clients.back().close();
    }
    for (std::size_t i = 0; i < clients.size(); i += 3) {
        const int status = clients[i].read().status;
        EXPECT_TRUE(status == 200 || status == 503) << status;
    }
    for (std::size_t i = 1; i < clients.size(); i += 3) EXPECT_EQ(clients[i].read().status, 503);
    EXPECT_TRUE(gateway.wait_for_waiting("q", 0));
    EXPECT_TRUE(gateway.wait_for_in_flight("q", 0));
    EXPECT_TRUE(eventually([&] { return gateway.get("/after").status == 200; }));
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_EQ(backend.count("/p"), 0u);
}

TEST_P(Threads, UploadsOnEveryLoopArriveWhole) {
    Backend backend;
    backend.on("/echo", [](Call& call) { call.respond(200, call.seen().body); });
    Gateway gateway(threaded(GetParam(), one_queue() + "spool: { memory_per_body: 4KiB }\n"),
                    with(backend));
    std::vector<Client> clients;
    for (unsigned i = 0; i < 8; ++i) {
        clients.push_back(gateway.client());
        clients.back().request("POST", "/echo", {}, pattern(50'000 + i, i));
    }
    for (unsigned i = 0; i < 8; ++i) EXPECT_TRUE(clients[i].read().body == pattern(50'000 + i, i));
    EXPECT_TRUE(
        eventually([&] { return gateway.metric(R"(ticketgate_spool_bytes{place="disk"})") == 0; }));
}

TEST_P(Threads, ReloadsAndDrainUnderLoadLoseNothing) {
    Backend backend;
    Gateway gateway(threaded(GetParam(), one_queue()), with(backend));
    std::vector<Client> clients;
    for (int i = 0; i < 10; ++i) clients.push_back(gateway.client());
    for (int round = 0; round < 10; ++round) {
        for (auto& client : clients) client.get("/x");
        const std::string in_flight = "max_in_flight: " + std::to_string(1 + round % 2);
        EXPECT_TRUE(gateway.reload(threaded(GetParam(), one_queue("", in_flight))));
        for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    }
    EXPECT_LE(backend.most_in_flight(), 2);
    gateway.drain();
    EXPECT_EQ(gateway.exit_code(), 0);
}

INSTANTIATE_TEST_SUITE_P(Loops, Threads, testing::Values(2, 4), testing::PrintToStringParamName());

}  // namespace
}  // namespace ticketgate::test
