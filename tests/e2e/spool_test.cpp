// CONTRACT 4: bodies pass through memory and files byte for byte and leave no file behind.
#include <array>
#include <filesystem>

#include "support/configs.hpp"
#include "support/full_listener.hpp"

namespace ticketgate::test {
namespace {

double spooled(const Gateway& gateway, const std::string& place) {
    return gateway.metric("ticketgate_spool_bytes{place=\"" + place + "\"}");
}

struct EightMegabytes : testing::TestWithParam<const char*> {
    EightMegabytes()
        : gateway(queued_and_free() + "spool: { memory_per_body: 8KiB, directory: \"${TMP}\" }\n",
                  with(backend)) {
        backend.on(path(), [](Call& call) { call.respond(200, call.seen().body); });
    }
    static std::string path() { return GetParam(); }
    void expect_empty_spools() {
        EXPECT_TRUE(eventually([&] { return spooled(gateway, "memory") == 0; }));
        EXPECT_TRUE(eventually([&] { return spooled(gateway, "disk") == 0; }));
    }
    const std::string body = pattern(8'000'000, 7);
    Backend backend;
    Gateway gateway;
};

TEST_P(EightMegabytes, GoUpAndDownByteForByte) {
    Client client = gateway.client();
    client.request("POST", path(), {}, body);
    const auto answer = client.read();
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_TRUE(answer.body == body);
    EXPECT_TRUE(backend.of(path())[0].body == body);
    expect_empty_spools();
}

TEST_P(EightMegabytes, ChunkedGoUpAndDownByteForByte) {
    backend.on(path(), [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        const std::string whole = call.seen().body;
        std::string_view rest = whole;
        for (std::size_t n = 1; !rest.empty(); n = n * 3 % 70'001 + 1) {
            call.send(chunk(rest.substr(0, n)));
            rest.remove_prefix(std::min(n, rest.size()));
        }
        call.finish("0\r\n\r\n");
    });
    Client client = gateway.client();
    client.send("POST " + path() + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    std::string_view rest = body;
    for (std::size_t n = 1; !rest.empty(); n = n * 5 % 60'013 + 1) {
        client.send(chunk(rest.substr(0, n)));
        rest.remove_prefix(std::min(n, rest.size()));
    }
    client.send("0\r\n\r\n");
    const auto answer = client.read();
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_TRUE(answer.body == body);
    EXPECT_TRUE(backend.of(path())[0].body == body);
    expect_empty_spools();
}

TEST_P(EightMegabytes, OfSeveralClientsAtOnceDoNotMix) {
    std::vector<std::thread> threads;
    std::array<bool, 4> right{};
    threads.reserve(right.size());
    for (unsigned i = 0; i < right.size(); ++i) {
        threads.emplace_back([this, i, &right] {
            const std::string own = pattern(2'000'000, 100 + i);
            right[i] = gateway.post(path(), own).body == own;
        });
    }
    for (auto& thread : threads) thread.join();
    for (const bool r : right) EXPECT_TRUE(r);
    expect_empty_spools();
}

INSTANTIATE_TEST_SUITE_P(Routes, EightMegabytes, both_kinds, kind);

TEST(Spool, FreedByOneClientLetsTheBackendOfAnotherGoOn) {
    Backend backend;
    const std::string body = pattern(20'000'000);
    for (const char* path : {"/first", "/second"})
        backend.on(path, [&](Call& call) { call.respond(200, body); });
    Gateway gateway(one_queue(", hold_back_timeout: 10m", "max_in_flight: 2") +
                        "spool: { memory_per_body: 8KiB, max_memory: 64KiB, max_disk: 1MiB, "
                        "directory: \"${TMP}\" }\n",
                    with(backend));
    const auto held_back = [&] {
        return gateway.metric(R"(ticketgate_queue_held_back{queue="q"})");
    };
    Client first = gateway.slow_reader();
    first.get("/first");
    ASSERT_TRUE(eventually([&] { return held_back() == 1; }));
    Client second = gateway.slow_reader();
    second.get("/second");
    ASSERT_TRUE(eventually([&] { return held_back() == 2; }));
    first.close();
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 1));
    EXPECT_TRUE(eventually([&] { return spooled(gateway, "disk") > 512 << 10; }))
        << "the second client reads nothing, and its backend goes on";
}

TEST(Spool, WaitsInAFileAndLeavesNoNameBehind) {
    Backend backend;
    Gateway gateway(one_queue() + "spool: { memory_per_body: 8KiB, directory: \"${TMP}\" }\n",
                    with(backend));
    Client first = running(gateway, backend, "/first");
    Client upload = gateway.client();
    upload.request("POST", "/up", {}, pattern(1'000'000));
    EXPECT_TRUE(eventually([&] { return spooled(gateway, "disk") >= 900'000; }));
    EXPECT_LE(spooled(gateway, "memory"), 100'000);
    for (const auto& entry : std::filesystem::directory_iterator(gateway.folder().path()))
        EXPECT_TRUE(entry.path().filename() == "access.log" ||
                    entry.path().filename() == "ticketgate.yaml")
            << entry.path();
    upload.close();
    EXPECT_TRUE(eventually([&] { return spooled(gateway, "disk") == 0; }));
    EXPECT_TRUE(eventually([&] { return spooled(gateway, "memory") == 0; }));
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
}

TEST(Spool, AtItsLimitRefusesWith503AndTheLineGoesOn) {
    Backend backend;
    Gateway gateway(one_queue() + "spool: { memory_per_body: 8KiB, max_disk: 100KiB }\n",
                    with(backend));
    EXPECT_EQ(gateway.post("/large", pattern(1'000'000)).status, 503);
    EXPECT_EQ(gateway.post("/small", pattern(50'000)).status, 200);
    EXPECT_EQ(backend.count("/large"), 0u);
    EXPECT_TRUE(eventually([&] { return spooled(gateway, "disk") == 0; }));
}

TEST(Spool, ThatRefusesABodyIsToldToOperators) {
    Backend backend;
    Gateway gateway(one_queue() + "spool: { memory_per_body: 8KiB, max_disk: 100KiB }\n",
                    with(backend));
    EXPECT_EQ(gateway.post("/small", pattern(50'000)).status, 200);
    EXPECT_EQ(gateway.admin("/readyz?verbose").body.find("spool"), std::string::npos);
    EXPECT_EQ(gateway.admin("/api/v1/queues").body.find("spool"), std::string::npos);
    EXPECT_EQ(gateway.post("/large", pattern(1'000'000)).status, 503);
    for (const char* page : {"/readyz?verbose", "/api/v1/queues"}) {
        const std::string told = gateway.admin(page).body;
        EXPECT_NE(told.find("the spool is full, so uploads are refused (1 since the start, the "
                            "last "),
                  std::string::npos)
            << told;
        EXPECT_NE(told.find("raise spool.max_disk"), std::string::npos) << told;
    }
    const std::string rejected = "ticketgate_queue_rejected_total{queue=\"q\",reason=";
    EXPECT_EQ(gateway.metric(rejected + "\"spool_full\"}"), 1);
    EXPECT_EQ(gateway.metric(rejected + "\"refused\"}"), 0);
}

// Without room each piece waits until the client has taken the previous one.
TEST(Spool, WithoutRoomStillLetsAnAnswerThrough) {
    Backend backend;
    const std::string body = pattern(3'000'000);
    for (const char* path : {"/q", "/free"})
        backend.on(path, [&](Call& call) { call.respond(200, body); });
    Gateway gateway(queued_and_free(", response_spool_max: 0B"), with(backend));
    for (const char* path : {"/q", "/free"}) EXPECT_TRUE(gateway.get(path).body == body) << path;
}

TEST(Spool, ThatRefusesABodyNeverReadsItAsTheNextRequest) {
    Backend backend;
    Gateway gateway(one_queue() + "spool: { memory_per_body: 8KiB, max_disk: 0 }\n", with(backend));
    Client client = gateway.client();
    client.request("POST", "/large", {},
                   "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(20'000, 'x'));
    EXPECT_EQ(client.read().status, 503);
    EXPECT_TRUE(client.ends());
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(backend.order(), std::vector<std::string>{"/next"});
}

// A refused client did not leave.
TEST(Spool, ThatRefusesABodyDoesNotCountItsClientAsLeft) {
    Backend backend;
    Gateway gateway("spool: { memory_per_body: 4KiB, max_disk: 8KiB }\n" + one_queue(),
                    with(backend));
    EXPECT_EQ(gateway.post("/x", std::string(100'000, 'x')).status, 503);
    EXPECT_EQ(gateway.log(1).at(0).at("outcome").as_string(), "refused");
    EXPECT_EQ(gateway.metric("ticketgate_queue_rejected_total{queue=\"q\",reason=\"spool_full\"}"),
              1);
    EXPECT_EQ(
        gateway.metric("ticketgate_queue_wait_seconds_count{outcome=\"refused\",queue=\"q\"}"), 1);
    EXPECT_EQ(gateway.metric(
                  "ticketgate_queue_wait_seconds_count{outcome=\"client_closed\",queue=\"q\"}"),
              0);
}

TEST(UnixSocket, ServesAsListenerAndAsUpstream) {
    TemporaryFolder folder;
    Backend backend(folder.file("backend.sock"));
    Gateway gateway(
        "listen: [{ address: \"unix:${TMP}/front.sock\" }, { address: \"127.0.0.1:0\" }]\n" +
            one_queue(),
        with(backend));
    for (std::size_t listener : {0u, 1u}) {
        Client client(gateway.address(listener));
        for (int i = 0; i < 3; ++i) {
            client.request("POST", "/x", {}, pattern(200'000));
            EXPECT_EQ(client.read().body, "/x");
        }
    }
    EXPECT_TRUE(backend.of("/x").at(0).body == pattern(200'000));
    EXPECT_EQ(backend.connections(), 6) << "each POST has its own";
    EXPECT_EQ(gateway.log(6).size(), 6u);
}

TEST(UnixSocket, WithAFullBacklogIsRetriedUntilThereIsRoom) {
    TemporaryFolder folder;
    FullListener backend(folder.file("backend.sock"));
    Gateway gateway(one_queue(", connect_timeout: 1h"), {{"BACKEND", backend.url()}});
    Client client = gateway.client();
    client.get("/x");
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 1));
    Socket connection = backend.take();
    Reader reader(connection);
    EXPECT_NE(reader.through("\r\n\r\n").find("GET /x "), std::string::npos);
    connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    EXPECT_EQ(client.read().body, "ok");
}

TEST(UnixSocket, WithAFullBacklogServesAllThatWaitForRoom) {
    TemporaryFolder folder;
    FullListener backend(folder.file("backend.sock"));
    Gateway gateway(one_queue(", connect_timeout: 1h", "max_in_flight: 20"),
                    {{"BACKEND", backend.url()}});
    std::vector<Client> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(gateway.client());
        clients.back().get("/x");
    }
    ASSERT_TRUE(gateway.wait_for_in_flight("q", 20));
    for (int i = 0; i < 20; ++i) {
        Socket connection = backend.take();
        EXPECT_NE(Reader(connection).through("\r\n\r\n"), "");
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok");
    }
    for (Client& client : clients) EXPECT_EQ(client.read().body, "ok");
}

TEST(UnixSocket, WithAFullBacklogGives504AfterConnectTimeout) {
    TemporaryFolder folder;
    const FullListener backend(folder.file("backend.sock"));
    Gateway gateway(one_queue(", connect_timeout: 100ms"), {{"BACKEND", backend.url()}});
    EXPECT_EQ(gateway.get("/x").status, 504);
    EXPECT_EQ(gateway.line("q").in_flight, 0u);
}

TEST(UnixSocket, ThatIsMissingGives502) {
    Gateway gateway(one_queue(), {{"BACKEND", "unix:/nonexistent/backend.sock"}});
    EXPECT_EQ(gateway.get("/x").status, 502);
}

}  // namespace
}  // namespace ticketgate::test
