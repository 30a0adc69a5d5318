// TLS on both sides with several I/O threads: connections move between loops with all their state.
#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

std::string both_sides(int threads) {
    return "threads: " + std::to_string(threads) + "\n" + https(R"(
upstreams: { app: { url: "${BACKEND}", tls: { ca_file: "${CA}", server_name: localhost } } }
defaults: { upstream: app }
routes:
  - { prefix: /, queue: off }
  - { prefix: /a, queue: a }
  - { prefix: /b, queue: b }
  - { prefix: /q, queue: q }
)");
}

struct TlsHouse {
    explicit TlsHouse(int threads) : gateway(both_sides(threads), trust.with(backend)) {
        gateway.speak(trust.client());
    }
    Trust trust;
    Backend backend{TlsEnd::server(trust.files)};
    Gateway gateway;
};

class TlsThreads : public testing::TestWithParam<int> {};

TEST_P(TlsThreads, RequestsRunOneByOneAndAnswersFindTheirWay) {
    TlsHouse house(GetParam());
    std::vector<Client> clients;
    for (int i = 0; i < 8; ++i) clients.push_back(house.gateway.client());
    for (int round = 0; round < 8; ++round) {
        for (std::size_t i = 0; i < clients.size(); ++i) clients[i].get("/q?" + std::to_string(i));
        for (std::size_t i = 0; i < clients.size(); ++i)
            EXPECT_EQ(clients[i].read().body, "/q?" + std::to_string(i));
    }
    EXPECT_EQ(house.backend.most_in_flight("/q"), 1);
}

TEST_P(TlsThreads, OneConnectionTravelsWithItsPipelinedBytes) {
    TlsHouse house(GetParam());
    Client client = house.gateway.client();
    std::string requests;
    std::vector<std::string> targets;
    for (int i = 0; i < 40; ++i) {
        targets.push_back("/" + std::string(1, "abqx"[i % 4]) + "?" + std::to_string(i));
        requests += "POST " + targets.back() +
                    " HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n" + pattern(2000);
    }
    client.send(requests);
    for (const auto& target : targets) EXPECT_EQ(client.read().body, target);
}

TEST_P(TlsThreads, LeavingInEveryWayBreaksNothing) {
    TlsHouse house(GetParam());
    std::vector<Client> clients;
    for (int i = 0; i < 40; ++i) {
        clients.push_back(house.gateway.client());
        Client& client = clients.back();
        client.get("/q?" + std::to_string(i));
        if (i % 5 == 1) client.close();
        if (i % 5 == 2) client.reset();
        if (i % 5 == 3) client.socket().drop();
        if (i % 5 == 4) client.socket().say_end();
    }
    for (std::size_t i = 0; i < clients.size(); i += 5) EXPECT_EQ(clients[i].read().status, 200);
    EXPECT_TRUE(house.gateway.wait_for_waiting("q", 0));
    EXPECT_TRUE(house.gateway.wait_for_in_flight("q", 0));
    EXPECT_EQ(house.backend.most_in_flight("/q"), 1);
}

TEST_P(TlsThreads, CertificatesChangeUnderLoad) {
    TlsHouse house(GetParam());
    std::vector<Client> old;
    for (int i = 0; i < 4; ++i) old.push_back(house.gateway.client());
    for (int round = 0; round < 6; ++round) {
        for (auto& client : old) client.get("/q");
        (void)house.trust.authority.issue("localhost");
        EXPECT_TRUE(house.gateway.reload(both_sides(GetParam())));
        EXPECT_EQ(house.gateway.get("/x").status, 200) << "a new connection";
        for (auto& client : old) EXPECT_EQ(client.read().status, 200);
    }
    house.gateway.drain();
    EXPECT_EQ(house.gateway.exit_code(), 0);
}

TEST_P(TlsThreads, BodiesOnEveryLoopArriveWhole) {
    TlsHouse house(GetParam());
    house.backend.on("/q", [](Call& call) { call.respond(200, call.seen().body); });
    std::vector<Client> clients;
    for (unsigned i = 0; i < 6; ++i) {
        clients.push_back(house.gateway.client());
        clients.back().request("POST", "/q", {}, pattern(100'000 + i, i));
    }
    for (unsigned i = 0; i < 6; ++i) EXPECT_TRUE(clients[i].read().body == pattern(100'000 + i, i));
}

INSTANTIATE_TEST_SUITE_P(Loops, TlsThreads, testing::Values(2, 3),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace ticketgate::test
