// Pause and resume (CONTRACT 11), as an operator uses them.
#include <boost/json/parse.hpp>

#include "support/configs.hpp"
#include "the_program.hpp"

namespace ticketgate::test {
namespace {

Response act(Gateway& gateway, const std::string& action, std::string_view lines = {}) {
    Client client(gateway.admin_address());
    client.send("POST /api/v1/queues/q/" + action +
                " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n" + std::string(lines) +
                "\r\n");
    return client.read();
}

boost::json::object view(const Gateway& gateway) {
    return boost::json::parse(gateway.admin("/api/v1/queues/q").body).as_object();
}

void expect_paused(const Gateway& gateway, bool paused) {
    EXPECT_EQ(view(gateway).at("paused"), paused);
    EXPECT_EQ(gateway.metric(R"(ticketgate_queue_paused{queue="q"})"), paused ? 1 : 0);
}

TEST(Pause, KeepsTheLineUntilAResumeAndTheOrderAfterIt) {
    for (const int threads : {1, 2}) {
        Backend backend;
        Gateway gateway(one_queue() + "threads: " + std::to_string(threads) + "\n", with(backend));
        Client first = running(gateway, backend, "/first");
        EXPECT_EQ(act(gateway, "pause").status, 200);
        backend.release("/first");
        EXPECT_EQ(first.read().status, 200) << "who runs goes on";
        auto clients = stand_in_line(gateway, numbered("/next", 1, 5));
        expect_paused(gateway, true);
        EXPECT_EQ(view(gateway).at("in_flight"), 0);
        EXPECT_EQ(backend.count("/next"), 0u);
        EXPECT_EQ(act(gateway, "resume").status, 200);
        for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
        const auto seen = backend.of("/next");
        ASSERT_EQ(seen.size(), 5u);
        for (int i = 1; i <= 5; ++i)
            EXPECT_EQ(seen[static_cast<std::size_t>(i - 1)].target, "/next?" + std::to_string(i));
        EXPECT_EQ(backend.most_in_flight(), 1);
        expect_paused(gateway, false);
    }
}

TEST(Pause, EndsByItselfAfterItsTime) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client first = running(gateway, backend, "/first");
    auto waits = stand_in_line(gateway, {"/x"});
    const auto answer = act(gateway, "pause?for=150ms");
    EXPECT_EQ(answer.status, 200);
    EXPECT_NE(answer.body.find("150ms"), std::string::npos) << answer.body;
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(waits[0].read().status, 200) << "no other call wakes the line";
    for (const auto& line : gateway.log(2)) {
        const bool waited = line.at("path").as_string() == "/x";
        EXPECT_TRUE(!waited || line.at("queue_wait_ms").to_number<double>() >= 100) << line;
    }
    expect_paused(gateway, false);
}

// A longer pause replaces a shorter one, and the other way round.
TEST(Pause, LastsAsLongAsTheLastOneSays) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(act(gateway, "pause?for=50ms").status, 200);
    EXPECT_EQ(act(gateway, "pause").status, 200);
    auto clients = stand_in_line(gateway, {"/x"});
    EXPECT_TRUE(still(200ms, [&] { return gateway.line("q").waiting == 1; }));
    EXPECT_EQ(act(gateway, "pause?for=50ms").status, 200);
    EXPECT_EQ(clients[0].read().status, 200);
}

TEST(Pause, StopsNoClockOfThoseWhoWait) {
    Backend backend;
    Gateway gateway(one_queue(", wait_timeout: 100ms"), with(backend));
    EXPECT_EQ(act(gateway, "pause?for=1h").status, 200);
    const auto answer = gateway.get("/late");
    EXPECT_EQ(answer.status, 503);
    EXPECT_GT(std::stoi(answer.header("Retry-After")), 3000) << "the pause goes on";
    EXPECT_EQ(gateway.log(1).at(0).at("outcome").as_string(), "timeout");
    EXPECT_EQ(backend.count("/late"), 0u);
}

// Its requests stand in another queue now, so the pause would stop none of them.
TEST(Pause, OfAQueueWithoutARouteIsRefused) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(act(gateway, "pause").status, 200);
    const std::string config = one_queue();
    const auto at = config.find("queue: q }]");
    ASSERT_TRUE(gateway.reload(std::string(config).replace(at, 8, "queue: r")));
    EXPECT_EQ(gateway.get("/x").status, 200);
    EXPECT_EQ(act(gateway, "resume").status, 200);
    const auto answer = act(gateway, "pause");
    EXPECT_EQ(answer.status, 409);
    EXPECT_NE(answer.body.find("no route leads to queue q"), std::string::npos) << answer.body;
    EXPECT_EQ(view(gateway).at("paused"), false);
    ASSERT_TRUE(gateway.reload(config));
    EXPECT_EQ(act(gateway, "pause").status, 200);
    expect_paused(gateway, true);
}

TEST(Pause, OutlastsAReload) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(act(gateway, "pause").status, 200);
    auto clients = stand_in_line(gateway, {"/x"});
    ASSERT_TRUE(gateway.reload(one_queue("", "max_in_flight: 2")));
    EXPECT_EQ(gateway.line("q").waiting, 1u);
    expect_paused(gateway, true);
    EXPECT_EQ(act(gateway, "resume").status, 200);
    EXPECT_EQ(clients[0].read().status, 200);
}

TEST(Pause, IsEndedByADrain) {
    Backend backend;
    Gateway gateway("drain_timeout: 1h\n" + one_queue(), with(backend));
    EXPECT_EQ(act(gateway, "pause").status, 200);
    auto clients = stand_in_line(gateway, numbered("/next", 1, 3));
    backend.hold("/next");
    gateway.drain();
    ASSERT_TRUE(backend.wait_for("/next"));
    EXPECT_EQ(act(gateway, "pause").status, 503) << "the line must come to its end";
    backend.release("/next");
    for (auto& client : clients) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(gateway.exit_code(), 0);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(Pause, RefusesWhatItDoesNotUnderstand) {
    Backend backend;
    Gateway gateway(one_queue() + "admin: { address: \"127.0.0.1:0\", token: sesame }\n",
                    with(backend));
    for (const char* bad :
         {"pause?for=", "pause?for=soon", "pause?for=0s", "pause?for=25h", "pause?for=-1s"}) {
        const auto answer = act(gateway, bad);
        EXPECT_EQ(answer.status, 400) << bad;
        EXPECT_NE(answer.body.find("1ms to 24h"), std::string::npos) << answer.body;
    }
    for (const char* action : {"pause", "resume"}) {
        EXPECT_EQ(act(gateway, action, "Origin: http://evil.example\r\n").status, 403);
        EXPECT_EQ(act(gateway, "../none/" + std::string(action)).status, 404);
    }
    EXPECT_EQ(act(gateway, "resume").body, "it was not paused\n");
    expect_paused(gateway, false);
}

class PauseCommands : public TheProgram {};

TEST_F(PauseCommands, PauseAndResume) {
    Backend backend;
    const std::string file = config(administered(backend));
    Program program({"-c", file});
    const auto address = address_of(program);
    Program pause({"pause", "q", "--for", "1h", "-c", file});
    EXPECT_EQ(pause.wait(), 0) << pause.err();
    EXPECT_EQ(pause.out(), "paused for 1h; requests that run go on, the others wait\n");
    Program queues({"queues", "--table", "-c", file});
    EXPECT_EQ(queues.wait(), 0);
    EXPECT_NE(queues.out().find("PAUSED"), std::string::npos) << queues.out();
    EXPECT_NE(queues.out().find("s more"), std::string::npos) << queues.out();
    Program resume({"resume", "q", "-c", file});
    EXPECT_EQ(resume.wait(), 0) << resume.err();
    EXPECT_EQ(resume.out(), "resumed\n");
    Client client(address);
    client.request("GET", "/x");
    EXPECT_EQ(client.read().status, 200);
    Program none({"pause", "nobody", "-c", file});
    EXPECT_EQ(none.wait(), 1);
    Program bad({"pause", "q", "--for", "soon", "-c", file});
    EXPECT_EQ(bad.wait(), 2);
    EXPECT_NE(bad.err().find("soon is not a duration"), std::string::npos) << bad.err();
    EXPECT_TRUE(program.says("an operator paused a queue"));
}

}  // namespace
}  // namespace ticketgate::test
