// CONTRACT 2.8: a reload keeps tickets, slots and counters of every queue whose name stays.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

TEST(Reload, RaisesTheLimitAndLetsTheNextOnesRun) {
    Backend backend;
    backend.hold("/x");
    Gateway gateway(one_queue(), with(backend));
    std::vector<Client> clients;
    for (int i = 0; i < 5; ++i) {
        clients.push_back(gateway.client());
        clients.back().get("/x");
    }
    ASSERT_TRUE(gateway.wait_for_waiting("q", 4));
    EXPECT_TRUE(gateway.reload(one_queue("", "max_in_flight: 3")));
    EXPECT_TRUE(backend.wait_for("/x", 3));
    EXPECT_EQ(gateway.line("q").waiting, 2u) << "tickets keep their places";
    backend.release("/x");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 3);
}

TEST(Reload, LowersTheLimitWithoutStoppingAHolder) {
    Backend backend;
    Gateway gateway(one_queue("", "max_in_flight: 3"), with(backend));
    Client a = running(gateway, backend, "/a"), b = running(gateway, backend, "/b"),
           c = running(gateway, backend, "/c");
    EXPECT_TRUE(gateway.reload(one_queue()));
    auto clients = stand_in_line(gateway, {"/next"});
    for (const char* path : {"/a", "/b"}) {
        backend.release(path);
        ASSERT_TRUE(backend.wait_for_end(path));
    }
    EXPECT_EQ(a.read().status, 200);
    EXPECT_EQ(b.read().status, 200);
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 1));
    EXPECT_EQ(backend.count("/next"), 0u) << "one still runs, and one is the limit now";
    backend.release("/c");
    EXPECT_EQ(c.read().status, 200);
    EXPECT_EQ(clients[0].read().status, 200);
}

// A reload does not apply spool.directory, and only large bodies need it.
TEST(Reload, NeedsNoSpool) {
    Backend backend;
    auto folder = std::make_unique<TemporaryFolder>();
    const std::string spool = "spool: { directory: \"" + folder->path() + "\" }\n";
    Gateway gateway(one_queue() + spool, with(backend));
    folder.reset();
    EXPECT_TRUE(gateway.reload(one_queue("", "max_in_flight: 3") + spool));
    EXPECT_EQ(gateway.get("/x").status, 200);
}

TEST(Reload, KeepsTheNumbersAndCountersOfAQueueThatStays) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(gateway.get("/x").status, 200);
    EXPECT_TRUE(gateway.reload(one_queue(", wait_timeout: 5s")));
    EXPECT_EQ(gateway.get("/x").status, 200);
    EXPECT_EQ(gateway.log(4).at(3).at("number").as_int64(), 4);
    EXPECT_EQ(gateway.metric(R"(ticketgate_queue_hold_seconds_count{queue="q"})"), 4);
}

TEST(Reload, AppliesTheNewFileToOldConnections) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    client.get("/x");
    EXPECT_TRUE(client.read().fields.has("Server-Timing"));
    EXPECT_TRUE(gateway.reload(one_queue(", server_timing: false")));
    client.get("/x");
    EXPECT_FALSE(client.read().fields.has("Server-Timing"));
}

// ── trust of old connections ──

std::string trusting(const std::string& networks, const std::string& more = {}) {
    return "clients: { trusted_proxies: [" + networks + "]" + more + " }\n" + one_queue() +
           "ids: { request_id: { policy: preserve_or_generate } }\n";
}
const std::string claims =
    "X-Forwarded-For: 1.2.3.4\r\nX-Request-Id: " + std::string(20, 'k') + "\r\n";

bool believes(Client& client, Backend& backend) {
    client.get("/x", claims);
    EXPECT_EQ(client.read().status, 200);
    const Seen seen = backend.all().back();
    const bool id = seen.header("X-Request-Id") == std::string(20, 'k');
    EXPECT_EQ(id, seen.header("X-Forwarded-For").starts_with("1.2.3.4"));
    return id;
}

TEST(Reload, RevokesAndGrantsTrustOfAnOldConnection) {
    Backend backend;
    Gateway gateway(trusting("127.0.0.0/8"), with(backend));
    Client client = gateway.client();
    EXPECT_TRUE(believes(client, backend));
    ASSERT_TRUE(gateway.reload(trusting("192.0.2.0/24")));
    EXPECT_FALSE(believes(client, backend));
    ASSERT_TRUE(gateway.reload(trusting("127.0.0.1")));
    EXPECT_TRUE(believes(client, backend));
}

TEST(Reload, RevokesTrustOfAnOldUnixSocketConnection) {
    Backend backend;
    const std::string listen = "listen: [{ address: \"unix:${TMP}/s\" }]\n";
    Gateway gateway(listen + trusting("unix"), with(backend));
    Client client = gateway.client();
    EXPECT_TRUE(believes(client, backend));
    ASSERT_TRUE(gateway.reload(listen + trusting("")));
    EXPECT_FALSE(believes(client, backend));
}

TEST(Reload, JudgesTheClientOfAProxyHeaderAnew) {
    Backend backend;
    const std::string listen = "listen: [{ address: \"127.0.0.1:0\", proxy_protocol: true }]\n";
    Gateway gateway(listen + trusting("192.0.2.0/24"), with(backend));
    Client client = gateway.client();
    client.send("PROXY TCP4 192.0.2.7 10.0.0.1 40000 443\r\n");
    EXPECT_TRUE(believes(client, backend));
    ASSERT_TRUE(gateway.reload(listen + trusting("198.51.100.0/24")));
    EXPECT_FALSE(believes(client, backend));
    EXPECT_EQ(backend.all().back().header("X-Forwarded-For"), "192.0.2.7");
}

// Existing connections stay open and count towards the limit for new ones.
TEST(Reload, AppliesTheLimitPerClientWhenAProxyLosesOrGainsTrust) {
    Backend backend;
    const std::string limit = ", max_connections_per_client: 1";
    Gateway gateway(trusting("127.0.0.0/8", limit), with(backend));
    Client first = gateway.client(), second = gateway.client();
    EXPECT_TRUE(believes(first, backend));
    EXPECT_TRUE(believes(second, backend));
    ASSERT_TRUE(gateway.reload(trusting("", limit)));
    EXPECT_FALSE(believes(first, backend));
    EXPECT_FALSE(believes(second, backend)) << "a limit is for those that come";
    EXPECT_EQ(gateway.client().read().status, 429);
    ASSERT_TRUE(gateway.reload(trusting("127.0.0.0/8", limit)));
    EXPECT_TRUE(believes(first, backend));
    Client third = gateway.client();
    EXPECT_TRUE(believes(third, backend));
}

TEST(Reload, OfABadFileChangesNothingAndTheGaugeShowsIt) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/next"});
    EXPECT_FALSE(gateway.reload("upstreams: {\n"));
    EXPECT_FALSE(gateway.reload(one_queue(", wait_timeuot: 1s", "max_in_flight: 7")));
    EXPECT_EQ(gateway.line("q").max_in_flight, 1u);
    EXPECT_EQ(gateway.line("q").waiting, 1u);
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(clients[0].read().status, 200);
    EXPECT_TRUE(gateway.reload(one_queue()));
    EXPECT_EQ(gateway.metric("ticketgate_config_last_reload_successful"), 1);
}

TEST(Reload, DrainsARemovedQueueAndReusesItsSequencerIfItReturns) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/old"});
    const std::string without =
        "upstreams: { app: { url: \"${BACKEND}\" } }\n"
        "routes: [{ prefix: /, upstream: app }]\n";
    EXPECT_TRUE(gateway.reload(without));
    EXPECT_EQ(gateway.get("/free").status, 200) << "no line any more";
    EXPECT_EQ(backend.count("/old"), 0u) << "but whoever stood in it keeps his turn";
    EXPECT_TRUE(gateway.reload(one_queue()));
    clients.push_back(gateway.client());
    clients.back().get("/new");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 2));
    backend.release("/first");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.order(), (std::vector<std::string>{"/first", "/free", "/old", "/new"}));
}

TEST(Reload, ServesAQueueThatWasRemovedAndAddedAgain) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    const std::string other =
        "upstreams: { app: { url: \"${BACKEND}\" } }\n"
        "routes: [{ prefix: /, upstream: app, queue: other }]\n";
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(gateway.get("/x").status, 200);
        EXPECT_TRUE(gateway.reload(other));
        EXPECT_EQ(gateway.get("/x").status, 200);
        EXPECT_TRUE(gateway.reload(one_queue()));
    }
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(Reload, MovesToAnotherBackendWhileTheOldOneStillRuns) {
    Backend before, after;
    Gateway gateway(one_queue(), {{"BACKEND", before.url()}, {"AFTER", after.url()}});
    Client first = running(gateway, before, "/first");
    std::string yaml = one_queue();
    yaml.replace(yaml.find("${BACKEND}"), 10, "${AFTER}");
    auto clients = stand_in_line(gateway, {"/old"});
    EXPECT_TRUE(gateway.reload(yaml));
    clients.push_back(gateway.client());
    clients.back().get("/new");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 2));
    EXPECT_EQ(after.all().size(), 0u) << "one line, whatever the backend";
    before.release("/first");
    EXPECT_EQ(first.read().status, 200);
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(after.order(), std::vector<std::string>{"/new"});
}

}  // namespace
}  // namespace ticketgate::test
