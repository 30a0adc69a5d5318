// Request bodies: spooled whole before the request runs on queued routes, streamed on others.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

TEST(ChunkedRequest, QueuedReachesTheBackendWithItsLength) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.send("POST /q HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send(chunk("hello, ") + chunk("world") + "0\r\nX-Trailer: x\r\n\r\n");
    EXPECT_EQ(client.read().status, 200);
    const auto seen = backend.of("/q").at(0);
    EXPECT_EQ(seen.header("Content-Length"), "12");
    EXPECT_FALSE(seen.fields.has("Transfer-Encoding"));
    EXPECT_EQ(seen.body, "hello, world");
}

TEST(ChunkedRequest, QueuedAndEmptyHasLengthZero) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.send("POST /q HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.of("/q").at(0).fields.all("Content-Length"), std::vector<std::string>{"0"});
}

TEST(ChunkedRequest, UnqueuedStreamsBeforeItIsWhole) {
    Backend backend;
    backend.on_head("/free", [](Call& call) {
        call.read_body_until(5);
        call.wait_for("rest");
        call.read_body();
        call.respond(200, call.seen().body);
    });
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.send("POST /free HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                chunk("hello"));
    ASSERT_TRUE(backend.wait_for("/free"));
    EXPECT_TRUE(eventually([&] { return backend.of("/free")[0].body == "hello"; }));
    EXPECT_EQ(backend.of("/free")[0].header("Transfer-Encoding"), "chunked");
    backend.release("rest");
    client.send(chunk(" world") + "0\r\n\r\n");
    EXPECT_EQ(client.read().body, "hello world");
    client.get("/next");
    EXPECT_EQ(client.read().body, "/next");
    EXPECT_EQ(backend.connections(), 1);
}

TEST(LengthRequest, UnqueuedStreamsBeforeItIsWhole) {
    Backend backend;
    backend.on_head("/free", [](Call& call) {
        call.read_body_until(5);
        call.wait_for("rest");
        call.read_body();
        call.respond(200, call.seen().body);
    });
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.send("POST /free HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\nhello");
    ASSERT_TRUE(backend.wait_for("/free"));
    EXPECT_TRUE(eventually([&] { return backend.of("/free")[0].body == "hello"; }));
    backend.release("rest");
    client.send(" world");
    EXPECT_EQ(client.read().body, "hello world");
}

TEST(StreamedRequest, NeverReachesTheBackendWholeIfTheClientBreaksOff) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    std::size_t starts = 0;
    for (const char* framing :
         {"Content-Length: 100\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
        Client client = gateway.client();
        client.send(std::string("POST /free HTTP/1.1\r\nHost: a\r\n") + framing);
        ASSERT_TRUE(backend.wait_for("/free", ++starts));
        client.reset();
    }
    ASSERT_TRUE(backend.wait_for_end("/free", 2));
    for (const auto& seen : backend.of("/free")) EXPECT_FALSE(seen.body_whole);
}

// ── Expect ───────────────────────────────────────────────────────────────────────────────────────

TEST(ExpectContinue, QueuedIsAnsweredAtOnceAndTheBodyIsSpooled) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    Client first = running(gateway, backend, "/q/first");
    Client client = gateway.client();
    client.send("POST /q HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read().status, 100) << "while it still waits";
    client.send("body");
    backend.release("/q/first");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.of("/q").at(0).body, "body");
    EXPECT_FALSE(backend.of("/q").at(0).fields.has("Expect"));
}

TEST(ExpectContinue, UnqueuedIsAnsweredToo) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.send(
        "POST /free HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read().status, 100);
    client.send("body");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.of("/free").at(0).body, "body");
}

TEST(ExpectContinue, IsNotAnsweredWhenTheBodyIsHereAlready) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.send(
        "POST /q HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\nbody");
    EXPECT_EQ(client.read().status, 200);
}

TEST(ExpectContinue, OfAnythingElseIs417) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    EXPECT_EQ(gateway.get("/q", "Expect: the-moon\r\n").status, 417);
}

// ── responses ──

class ResponseByteByByte : public testing::TestWithParam<const char*> {};

// A system call takes 1,024 pieces at most, and one read may bring many more.
TEST_P(ResponseByteByByte, ArrivesWhole) {
    Backend backend;
    Gateway gateway(queued_and_free(), with(backend));
    for (const std::size_t count : {33u, 1020u, 1023u, 1024u, 1025u, 10'000u}) {
        const std::string bytes = pattern(count);
        std::string chunks;
        for (const char c : bytes) chunks += chunk(std::string_view(&c, 1));
        backend.on(GetParam(), [chunks](Call& call) {
            call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("begin"));
            be_slow(20ms);  // so that each part arrives in a separate read
            call.send(chunks);
            be_slow(20ms);
            call.finish(chunk("end") + "0\r\n\r\n");
        });
        for (const char* version : {"1.1", "1.0"}) {
            Client client = gateway.client();
            client.send("GET " + std::string(GetParam()) + " HTTP/" + version +
                        "\r\nHost: a\r\nConnection: close\r\n\r\n");
            const auto response = client.read();
            EXPECT_TRUE(response.whole());
            EXPECT_TRUE(response.body == "begin" + bytes + "end") << count << " " << version;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Both, ResponseByteByByte, both_kinds, kind);

}  // namespace
}  // namespace ticketgate::test
