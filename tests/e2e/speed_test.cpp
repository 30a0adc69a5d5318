// CONTRACT 2.1 and 1.2: a slow client never holds the slot, whether it reads or sends slowly.
#include "support/configs.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate::test {
namespace {

constexpr std::size_t large = 20'000'000;

double spooled(const Gateway& gateway) {
    return gateway.metric(R"(ticketgate_spool_bytes{place="memory"})") +
           gateway.metric(R"(ticketgate_spool_bytes{place="disk"})");
}

TEST(SlowReader, Of20MegabytesDoesNotHoldTheSlot) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) { call.respond(200, body); });
    Gateway gateway(one_queue(), with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    ASSERT_TRUE(backend.wait_for_end("/large")) << "the proxy takes it all, ahead of the client";
    EXPECT_EQ(gateway.get("/next").status, 200);
    const auto answer = slow.read();
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_TRUE(answer.body == body);
    EXPECT_TRUE(eventually([&] { return spooled(gateway) == 0; }));
}

TEST(SlowReader, OfInterimResponsesGetsOnlyAsManyAsItReads) {
    Backend backend;
    backend.on("/x", [](Call& call) {
        const std::string hints =
            "HTTP/1.1 103 Early Hints\r\nLink: " + std::string(20'000, 'a') + "\r\n\r\n";
        for (int i = 0; i < 1000; ++i) call.send(hints);
        call.wait_for("answer");
        call.respond(200, "ok");
    });
    Gateway gateway(one_queue(), with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/x");
    ASSERT_TRUE(backend.wait_for("/x"));
    EXPECT_TRUE(eventually([&] { return spooled(gateway) > 0; }));
    backend.release("answer");
    ASSERT_TRUE(backend.wait_for_end("/x"));
    EXPECT_LT(spooled(gateway), 200'000) << "of 20 MB";
    auto answer = slow.read();
    EXPECT_EQ(answer.status, 103);
    while (answer.status == 103) answer = slow.read();
    EXPECT_EQ(answer.body, "ok");
}

TEST(SlowReader, PastResponseSpoolMaxHoldsTheBackendBackAndGetsEveryByte) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) { call.respond(200, body); });
    Gateway gateway(one_queue(", response_spool_max: 1MiB"), with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    ASSERT_TRUE(backend.wait_for("/large"));
    auto next = stand_in_line(gateway, {"/next"});
    const auto answer = slow.read();
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_TRUE(answer.body == body);
    EXPECT_EQ(next[0].read().status, 200);
}

TEST(SlowReader, ThatLeavesFreesItsSpooledAnswer) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) { call.respond(200, body); });
    Gateway gateway(one_queue(), with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    ASSERT_TRUE(backend.wait_for_end("/large"));
    EXPECT_GT(spooled(gateway), 1'000'000);
    slow.reset();
    EXPECT_TRUE(eventually([&] { return spooled(gateway) == 0; }));
}

// CONTRACT 4: back-pressure, not a cut; and a metric says so.
TEST(SlowReader, ThatFillsTheSpoolHoldsTheBackendBackAndGetsEveryByte) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) { call.respond(200, body); });
    Gateway gateway(one_queue() + "spool: { memory_per_body: 8KiB, max_disk: 1MiB }\n",
                    with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    ASSERT_TRUE(backend.wait_for("/large"));
    const auto held_back = [&] {
        return gateway.metric(R"(ticketgate_queue_held_back{queue="q"})");
    };
    EXPECT_TRUE(eventually([&] { return held_back() == 1; }));
    auto next = stand_in_line(gateway, {"/next"});
    const auto answer = slow.read();
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_TRUE(answer.body == body);
    EXPECT_EQ(next[0].read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_EQ(held_back(), 0);
    EXPECT_TRUE(eventually([&] { return spooled(gateway) == 0; }));
}

// A server between would give up on a connection that takes nothing, while its script works on.
TEST(SlowReader, ThatHoldsItsBackendBackForTooLongIsCutAndTheBackendEnds) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) {
        call.wait_for("line");
        call.respond(200, body);
    });
    Gateway gateway(one_queue(", response_spool_max: 1MiB, hold_back_timeout: 300ms"),
                    with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    ASSERT_TRUE(backend.wait_for("/large"));
    auto next = stand_in_line(gateway, {"/next"});
    backend.release("line");
    EXPECT_TRUE(backend.wait_for_end("/large")) << "all of it is taken";
    EXPECT_EQ(next[0].read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_FALSE(slow.read().whole()) << "it gets what is kept for it";
    EXPECT_TRUE(eventually([&] { return spooled(gateway) == 0; }));
}

TEST(SlowReader, ThatWasCutDoesNotHideThatItsBackendIsSilent) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(large + 1) + "\r\n\r\n");
        call.send(body);
        call.wait_for("end");
        call.finish("!");
    });
    Gateway gateway(
        one_queue_but("/large",
                      ", response_spool_max: 1MiB, hold_back_timeout: 300ms, response_timeout: 1s"),
        with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    EXPECT_TRUE(eventually([&] { return silences(gateway) == 1; }));
    EXPECT_EQ(gateway.line("q").in_flight, 1u);
    EXPECT_EQ(gateway.upstream("app").at("failures").as_int64(), 1);
    backend.release("end");
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_EQ(silences(gateway), 1) << "it was told once";
}

TEST(SlowReader, OfAnUnqueuedRouteMayHoldItsBackendBack) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) { call.respond(200, body); });
    Gateway gateway(queued_and_free(", hold_back_timeout: 1ms"), with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    ASSERT_TRUE(backend.wait_for("/large"));
    const auto answer = slow.read();
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_TRUE(answer.body == body);
}

TEST(SlowReader, ThatReadsNothingIsDroppedAtWriteTimeout) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) { call.respond(200, body); });
    Gateway gateway(one_queue() + "clients: { write_timeout: 300ms }\n", with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    ASSERT_TRUE(backend.wait_for_end("/large"));
    EXPECT_TRUE(eventually([&] { return spooled(gateway) == 0; }));
    const auto answer = slow.read();
    EXPECT_FALSE(answer.whole());
    const auto lines = gateway.log(1);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0].at("bytes"), answer.body.size()) << "not what its backend sent";
}

TEST(SlowReader, OfAnUnqueuedRouteThatReadsNothingIsDroppedAtWriteTimeout) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) { call.respond(200, body); });
    Gateway gateway(queued_and_free() + "clients: { write_timeout: 300ms }\n", with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    const auto lines = gateway.log(1);
    ASSERT_EQ(lines.size(), 1u);
    const auto answer = slow.read();
    EXPECT_FALSE(answer.whole());
    EXPECT_EQ(lines[0].at("bytes"), answer.body.size()) << "not what its backend sent";
}

std::string post_of(std::size_t size, std::string_view body) {
    return "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(size) +
           "\r\n\r\n" + std::string(body);
}

// Its body is there, so body_timeout has nothing to say. Tried again where the machine stalls
// before.
TEST(SlowReader, MayPauseForLongerThanBodyTimeoutBehindItsUpload) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on_head("/large", [&](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(large) + "\r\n\r\n");
        call.read_body();
        call.finish(body);
    });
    Gateway gateway(queued_and_free(", body_timeout: 2s"), with(backend));
    const auto connections = [&] { return gateway.metric("ticketgate_connections"); };
    EXPECT_TRUE(eventually([&] {
        Client slow = gateway.slow_reader();
        slow.send(post_of(3, "ab"));
        if (slow.reader().through("\r\n\r\n").empty()) return false;
        slow.send("c");
        if (!still(3s, [&] { return connections() == 1; })) return false;
        std::string taken;
        EXPECT_TRUE(slow.reader().exactly(large, taken));
        EXPECT_TRUE(taken == body);
        return true;
    }));
}

// Sends on when it has the answer: a backend that refuses an upload takes the rest all the same.
// ticketgate has sent the whole answer when the client's system has taken it. Then body_timeout
// begins, and the client still reads the answer: 10 s are enough on a busy machine. The test tries
// again where the machine stalls for longer.
TEST(SlowReader, MayStopItsUploadUntilItHasTheAnswer) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on_head("/large", [&](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(large) + "\r\n\r\n");
        call.send(body);
        call.read_body();
        call.finish();
    });
    Gateway gateway(queued_and_free(", body_timeout: 10s"), with(backend));
    const auto connections = [&] { return gateway.metric("ticketgate_connections"); };
    EXPECT_TRUE(eventually([&] {
        if (connections() != 0) return false;  // that of the try before
        Client slow = gateway.slow_reader();
        slow.send(post_of(3000, "ab"));
        EXPECT_FALSE(slow.reader().through("\r\n\r\n").empty());
        EXPECT_TRUE(still(12s, [&] { return connections() == 1; }));
        slow.send("c");
        std::string taken;
        EXPECT_TRUE(slow.reader().exactly(large, taken));
        EXPECT_TRUE(taken == body);
        slow.send(std::string(2997, 'd'));
        return eventually([&] { return backend.of("/large").back().body.size() == 3000; }, 10s);
    }));
}

// It takes each byte as it comes. Tried again where the machine stalls for longer than
// body_timeout.
TEST(FastReader, MayStopItsUploadWhileItsAnswerComes) {
    Backend backend;
    constexpr std::size_t pieces = 40;
    backend.on_head("/large", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(pieces) + "\r\n\r\n");
        for (std::size_t i = 0; i < pieces; ++i) {
            be_slow(100ms);
            call.send("x");
        }
        call.read_body();
        call.finish();
    });
    Gateway gateway(queued_and_free(", body_timeout: 2s"), with(backend));
    EXPECT_TRUE(eventually([&] {
        Client client = gateway.client();
        client.send(post_of(3, "ab"));
        if (client.reader().through("\r\n\r\n").empty()) return false;
        std::string taken;
        if (!client.reader().exactly(pieces - 5, taken)) return false;
        client.send("c");  // it goes on while the answer comes
        return client.reader().exactly(5, taken);
    }));
}

TEST(SlowReader, ThatReadsNothingIsDroppedThoughItGoesOnUploading) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on_head("/large", [&](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(large) + "\r\n\r\n");
        call.send(body);
    });
    Gateway gateway(queued_and_free(", body_min_rate: 0B, max_body: 1GiB") +
                        "clients: { write_timeout: 300ms }\n",
                    with(backend));
    Client slow = gateway.slow_reader();
    slow.send(post_of(large, {}));
    EXPECT_TRUE(eventually([&] {
        slow.send("more");
        return gateway.metric("ticketgate_connections") == 0;
    }));
}

enum class Took : std::uint8_t { all, part, stalled };

// Reads for longer than one write_timeout of 4 s, in steps that are much shorter. Stalled: the
// machine did not let it. Keeps no piece: under TSan, to move 8 MB to a larger string takes a busy
// machine seconds.
Took read_slowly(Client& slow, const std::string& body) {
    (void)slow.reader().through("\r\n\r\n");
    const auto begin = Clock::now();
    auto before = begin;
    for (std::string_view rest = body; !rest.empty();) {
        const auto next = rest.substr(0, 40'000);
        const std::string piece = slow.reader().take(next.size());
        if (Clock::now() - before > 2s) return Took::stalled;
        if (piece != next) return Took::part;
        rest.remove_prefix(next.size());
        before = Clock::now();
        if (before - begin < 8s) be_slow(12ms);
    }
    return Took::all;
}

// Until the machine lets a client read steadily.
Took take_slowly(const Gateway& gateway, const char* path, const std::string& body) {
    Took took = Took::stalled;
    const bool steady = eventually(
        [&] {
            Client slow = gateway.slow_reader();
            slow.get(path);
            took = read_slowly(slow, body);
            return took != Took::stalled;
        },
        5 * patience);
    return steady ? took : Took::stalled;
}

// More than the system takes ahead of the client, until write_timeout has passed.
constexpr std::size_t slowly_taken = 24'000'000;

TEST(SlowReader, ThatMakesProgressIsNotDroppedAtWriteTimeout) {
    Backend backend;
    const std::string body = pattern(slowly_taken);
    backend.on("/large", [&](Call& call) { call.respond(200, body); });
    Gateway gateway(one_queue() + "clients: { write_timeout: 4s }\n", with(backend));
    EXPECT_EQ(take_slowly(gateway, "/large", body), Took::all);
}

// An error page of any size is no exception.
TEST(SlowReader, OfAnErrorPageThatMakesProgressIsNotDroppedAtWriteTimeout) {
    const std::string page = pattern(slowly_taken);
    const TemporaryFolder folder;
    Gateway gateway(
        one_queue(", on_backend_error: { body_file: " + folder.write("page", page) + " }") +
            "clients: { write_timeout: 4s }\n",
        {{"BACKEND", "http://127.0.0.1:1"}});
    EXPECT_EQ(take_slowly(gateway, "/page", page), Took::all);
}

TEST(SlowUploader, DoesNotHoldTheSlot) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    const std::string body = pattern(1'000'000);
    Client slow = gateway.client();
    slow.send("POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    for (int i = 0; i < 10; ++i) {
        slow.send(std::string_view(body).substr(static_cast<std::size_t>(i) * 100'000, 100'000));
        EXPECT_EQ(gateway.get("/other").status, 200);
    }
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_TRUE(backend.of("/upload")[0].body == body);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(SlowReader, UnqueuedHoldsTheBackendBackInsteadOfFillingTheSpool) {
    Backend backend;
    const std::string body = pattern(large);
    backend.on("/large", [&](Call& call) { call.respond(200, body); });
    Gateway gateway(queued_and_free(), with(backend));
    Client slow = gateway.slow_reader();
    slow.get("/large");
    ASSERT_TRUE(backend.wait_for("/large"));
    EXPECT_FALSE(slow.reader().through("\r\n\r\n").empty());
    EXPECT_EQ(backend.of("/large")[0].end, 0u);
    EXPECT_LT(spooled(gateway), 2'000'000);
    std::string taken;
    ASSERT_TRUE(slow.reader().exactly(large, taken));
    EXPECT_TRUE(taken == body);
}

}  // namespace
}  // namespace ticketgate::test
