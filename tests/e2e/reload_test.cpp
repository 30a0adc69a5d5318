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

TEST(Reload, KeepsTheNumbersAndCountersOfAQueueThatStays) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(gateway.get("/x").status, 200);
    EXPECT_TRUE(gateway.reload(one_queue(", wait_timeout: 5s")));
    EXPECT_EQ(gateway.get("/x").status, 200);
    EXPECT_EQ(gateway.log(4).at(3).at("number").as_int64(), 4);
    EXPECT_EQ(gateway.metric(R"(ticketgate_queue_hold_seconds_count{queue="q"})"), 4);
}

TEST(Reload, ServesAnOldConnectionByTheNewFile) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    client.get("/x");
    EXPECT_TRUE(client.read().fields.has("Server-Timing"));
    EXPECT_TRUE(gateway.reload(one_queue(", server_timing: false")));
    client.get("/x");
    EXPECT_FALSE(client.read().fields.has("Server-Timing"));
}

TEST(Reload, OfABadFileChangesNothingAndTheGaugeSaysSo) {
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

TEST(Reload, ThatRemovesAQueueDrainsItAndThatAddsItAgainHasOneSequencerOnly) {
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

TEST(Reload, ThatRemovesAnIdleQueueAndAddsItAgainServesIt) {
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
