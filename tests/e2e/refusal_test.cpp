// Requests refused before any route or queue, and their connection afterwards.
#include <boost/json/parse.hpp>
#include <optional>

#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

class Refusal : public testing::Test {
 protected:
    // Heads and bodies have this time to come.
    static std::string limited(const std::string& time) {
        return R"(
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app, max_body: 1000, body_timeout: )" +
               time + R"( }
routes: [{ prefix: /q, queue: q }, { prefix: /free }]
clients:
  { max_head: 4KiB, max_uri: 1KiB, max_headers: 20, linger_timeout: 30s, linger_time: 30s,
    head_timeout: )" +
               time + " }\n";
    }
    Refusal() : gateway(limited("1m"), with(backend)) {}

    struct Answered {
        Client client;
        Response answer;
    };
    // A connection that has sent nothing within head_timeout ends without an answer. Tried again
    // where the machine stalls for so long.
    Answered answer_to(const std::string& bytes, bool to_head = false) const {
        std::optional<Answered> out;
        EXPECT_TRUE(eventually([&] {
            Client client = gateway.client();
            client.send(bytes);
            Response answer = to_head ? client.read_to_head() : client.read();
            out.emplace(Answered{std::move(client), std::move(answer)});
            return !out->answer.raw_head.empty();
        }));
        return std::move(*out);
    }
    // Checks a refusal: this status, a problem document, the log record, and the connection's end.
    void expect(int status, const std::string& bytes, bool to_head = false) {
        auto [client, answer] = answer_to(bytes, to_head);
        EXPECT_EQ(answer.status, status) << bytes.substr(0, 100);
        EXPECT_TRUE(answer.whole()) << answer.fault;
        EXPECT_EQ(answer.header("Connection"), "close");
        EXPECT_TRUE(client.ends()) << bytes.substr(0, 100);
        EXPECT_FALSE(answer.header("X-Request-Id").empty());
        client.close();
        if (to_head) return;
        const auto told = boost::json::parse(answer.body).as_object();
        EXPECT_EQ(told.at("status").as_int64(), status);
        EXPECT_EQ(told.at("request_id").as_string(), answer.header("X-Request-Id"));
        const auto line = gateway.log(refused_ + 1).at(refused_);
        ++refused_;
        EXPECT_EQ(line.at("status").as_int64(), status);
        EXPECT_EQ(line.at("bytes").as_int64(), static_cast<std::int64_t>(answer.body.size()));
        EXPECT_EQ(line.at("outcome").as_string(), "refused");
        EXPECT_EQ(line.at("request_id").as_string(), answer.header("X-Request-Id"));
    }
    // The gateway still serves other clients.
    ~Refusal() override { EXPECT_EQ(answer_to(get_after).answer.status, 200); }

    static constexpr const char* get_after = "GET /q/after HTTP/1.1\r\nHost: a\r\n\r\n";
    Backend backend;
    Gateway gateway;
    std::size_t refused_ = 0;
};

std::string get(const std::string& target, const std::string& lines = "Host: a\r\n") {
    return "GET " + target + " HTTP/1.1\r\n" + lines + "\r\n";
}

TEST_F(Refusal, OfBytesThatAreNotHttpIs400) {
    expect(400, "\x16\x03\x01\x02 a TLS hello\r\n\r\n");
    expect(400, "GET\r\n\r\n");
    expect(400, "GET /q HTTP/1.1\nHost: a\n\n");
    expect(400, "GET q HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(backend.all().size(), 0u);
}

TEST_F(Refusal, OfAnAmbiguousRequestIs400) {
    expect(400, get("/q", ""));
    expect(400, get("/q", "Host: a\r\nHost: b\r\n"));
    expect(400, get("/q", "Host: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n") + "x");
    expect(400, get("/q", "Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n") + "x");
    expect(400, get("/q", "Host: a\r\nContent-Length: +1\r\n") + "x");
    expect(400, get("/q", "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n"));
    expect(400, get("/q", "Host: a\r\nX-A: 1\r\n folded\r\n"));
    expect(400, get("/q", "Host: a\r\nX-A : 1\r\n"));
    EXPECT_EQ(backend.all().size(), 0u);
}

TEST_F(Refusal, OfAPathThatCannotBeDecodedIs400AndTheConnectionStays) {
    Client client = gateway.client();
    for (const char* target : {"/q%zz", "/q%", "/q%00"}) {
        client.get(target);
        EXPECT_EQ(client.read().status, 400) << target;
    }
    client.get("/q");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.all().size(), 1u);
}

TEST_F(Refusal, OfABadlyChunkedBodyIs400) {
    for (const char* path : {"/q", "/free"}) {
        Client client = gateway.client();
        client.send("POST " + std::string(path) +
                    " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nnot a size\r\n");
        EXPECT_EQ(client.read().status, 400);
        EXPECT_TRUE(client.ends());
    }
    EXPECT_EQ(backend.count("/q"), 0u);
    for (const auto& seen : backend.of("/free")) EXPECT_FALSE(seen.body_whole);
}

TEST_F(Refusal, OfAPathNobodyServesIs404AndTheConnectionStays) {
    Client client = gateway.client();
    for (int i = 0; i < 3; ++i) {
        client.get("/nowhere");
        EXPECT_EQ(client.read().status, 404);
    }
    client.get("/q");
    EXPECT_EQ(client.read().status, 200);
}

TEST_F(Refusal, Of404WithABodyToComeEndsTheConnection) {
    expect(404,
           "POST /nowhere HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nGET / HTTP/1.1\r\n");
}

TEST_F(Refusal, OfALateHeadIs408) {
    ASSERT_TRUE(gateway.reload(limited("2s")));
    expect(408, "GET /q HTTP/1.1\r\nHost:");
    EXPECT_EQ(backend.all().size(), 0u);
}

TEST_F(Refusal, OfALateBodyIs408) {
    ASSERT_TRUE(gateway.reload(limited("2s")));
    for (const char* path : {"/q", "/free"}) {
        auto [client, answer] = answer_to("POST " + std::string(path) +
                                          " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
        EXPECT_EQ(answer.status, 408) << path;
        EXPECT_TRUE(client.ends());
    }
    EXPECT_EQ(gateway.line("q").waiting, 0u);
    EXPECT_EQ(backend.count("/q"), 0u);
}

TEST_F(Refusal, OfABodyTooLargeByItsLengthIs413BeforeItIsSent) {
    expect(413,
           "POST /q HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n");
    expect(413, "POST /free HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n" + pattern(1001));
    EXPECT_EQ(backend.all().size(), 0u);
    EXPECT_EQ(gateway.post("/q", pattern(1000)).status, 200);
}

TEST_F(Refusal, OfAChunkedBodyThatGrowsTooLargeIs413) {
    for (const char* path : {"/q", "/free"}) {
        Client client = gateway.client();
        client.send("POST " + std::string(path) +
                    " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                    chunk(pattern(900)));
        client.send(chunk(pattern(900)) + "0\r\n\r\n");
        EXPECT_EQ(client.read().status, 413) << path;
        EXPECT_TRUE(client.ends());
    }
    EXPECT_EQ(backend.count("/q"), 0u);
    for (const auto& seen : backend.of("/free")) EXPECT_FALSE(seen.body_whole);
}

TEST_F(Refusal, OfATargetTooLongIs414) {
    expect(414, get("/q?" + std::string(2000, 'x')));
    expect(414, "GET /q?" + std::string(5000, 'x'));
    EXPECT_EQ(gateway.get("/q?" + std::string(1000, 'x')).status, 200);
}

TEST_F(Refusal, OfAHeadTooLargeIs431) {
    expect(431, get("/q", "Host: a\r\nX-Large: " + std::string(5000, 'x') + "\r\n"));
    std::string many = "Host: a\r\n";
    for (int i = 0; i < 30; ++i) many += "X-" + std::to_string(i) + ": x\r\n";
    expect(431, get("/q", many));
}

TEST_F(Refusal, OfMethodsThatAreNotForAGatewayIs405) {
    expect(405, "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n");
    expect(405, "TRACE /q HTTP/1.1\r\nHost: a\r\n\r\n");
}

TEST_F(Refusal, OfAnotherMajorVersionIs505) {
    expect(505, "GET /q HTTP/2.0\r\nHost: a\r\n\r\n");
}

TEST_F(Refusal, ReachesAClientThatIsStillSendingItsUpload) {
    for (int i = 0; i < 10; ++i) {
        Client client = gateway.client();
        client.send("POST /q HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n");
        client.send(pattern(500'000));
        EXPECT_EQ(client.read().status, 413) << "and no reset that swallows it";
    }
}

// Sends all of a large upload before it reads the answer, like Python's http.client.
void expect_to_read_413(Client client, const std::string& coding) {
    client.send("POST /q HTTP/1.1\r\nHost: a\r\n" + coding + "\r\n\r\n");
    const std::string piece = "100000\r\n" + pattern(1 << 20) + "\r\n";
    for (int i = 0; i < 30; ++i)
        ASSERT_EQ(client.send(piece), Socket::Status::ok) << i << " MiB were taken";
    EXPECT_EQ(client.read().status, 413) << "and no reset that swallows it";
}

TEST(RefusalInMidUpload, ReachesAClientThatSendsAllOfItFirst) {
    Backend backend;
    Gateway gateway(one_queue(", max_body: 1000"), with(backend));
    expect_to_read_413(gateway.client(), "Content-Length: 100000000");
    expect_to_read_413(gateway.client(), "Transfer-Encoding: chunked");
}

TEST(RefusalInMidUpload, ReachesAClientThatSendsAllOfItFirstOverTls) {
    House house(one_queue(", max_body: 1000"));
    expect_to_read_413(house.gateway.client(), "Content-Length: 100000000");
}

TEST_F(Refusal, OfAChunkBeyondTheLimitDoesNotWaitForItsBytes) {
    const std::string chunked = "POST /q HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    expect(413, chunked + "3e9\r\n");
    expect(413, chunked + "3e8\r\n" + std::string(1000, 'x') + "\r\n1\r\n");
    expect(413, chunked + "ffffffffffffffff\r\n");
}

TEST(Lingering, EndsAtTheFirstSilence) {
    Backend backend;
    Gateway gateway(
        one_queue(", max_body: 10") + "clients: { linger_timeout: 100ms, linger_time: 1h }\n",
        with(backend));
    Client client = gateway.client();
    client.send("POST /q HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n");
    EXPECT_EQ(client.read().status, 413);
    EXPECT_TRUE(eventually([&] { return gateway.metric("ticketgate_connections") == 0; }));
}

TEST(Lingering, EndsDuringAnEndlessUpload) {
    Backend backend;
    Gateway gateway(one_queue(", max_body: 10") + "clients: { linger_time: 100ms }\n",
                    with(backend));
    Client client = gateway.client();
    client.send("POST /q HTTP/1.1\r\nHost: a\r\nContent-Length: 100000000\r\n\r\n");
    EXPECT_EQ(client.read().status, 413);
    EXPECT_TRUE(eventually([&] {
        (void)client.send_some("x");
        return gateway.metric("ticketgate_connections") == 0;
    }));
}

TEST(Lingering, HoldsNothingButTheConnection) {
    Backend backend;
    Gateway gateway(one_queue(", max_body: 1MiB") +
                        "spool: { memory_per_body: 1KiB }\nclients: { linger_timeout: 1h }\n",
                    with(backend));
    Client client = gateway.client();
    client.send("POST /q HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n" +
                pattern(1 << 20) + "\r\n1\r\nx");
    EXPECT_EQ(client.read().status, 413);
    EXPECT_TRUE(
        eventually([&] { return gateway.metric("ticketgate_spool_bytes{place=\"disk\"}") == 0; }));
    EXPECT_EQ(gateway.metric("ticketgate_connections"), 1) << "it is still there";
}

TEST_F(Refusal, ToHeadHasNoBody) {
    Client client = gateway.client();
    client.request("HEAD", "/nowhere");
    EXPECT_EQ(client.read_to_head().status, 404);
    client.get("/q");
    EXPECT_EQ(client.read().body, "/q");
}

TEST_F(Refusal, AfterAGoodPipelinedRequestComesAfterItsAnswer) {
    Client client = gateway.client();
    client.send(get("/q/good") + "garbage\r\n\r\n");
    EXPECT_EQ(client.read().body, "/q/good");
    EXPECT_EQ(client.read().status, 400);
    EXPECT_TRUE(client.ends());
}

TEST_F(Refusal, IsLoggedWithoutTheTimeOfLingering) {
    Client client = gateway.client();
    client.send("garbage\r\n\r\n");
    EXPECT_EQ(client.read().status, 400);
    EXPECT_TRUE(client.ends());
    const auto line = gateway.log(1).at(0);
    EXPECT_LT(line.at("duration_ms").to_number<double>(), 20'000)
        << "a client that stays open takes 30 s";
}

TEST(IdleConnectionOfAClient, IsClosedWithoutAnAnswer) {
    Backend backend;
    Gateway gateway(one_queue() + "clients: { idle_timeout: 1s, head_timeout: 1s }\n",
                    with(backend));
    Client fresh = gateway.client();
    EXPECT_TRUE(fresh.ends()) << "nothing was asked, so nothing is answered";
    ASSERT_TRUE(gateway.reload(one_queue() + "clients: { idle_timeout: 1s, head_timeout: 1m }\n"));
    Client used = gateway.client();
    used.get("/x");
    EXPECT_EQ(used.read().status, 200);
    EXPECT_TRUE(used.ends());
}

// RFC 9112 2.2: some clients send an extra empty line after a body.
TEST(IdleConnectionOfAClient, IsIdleAfterAnEmptyLineToo) {
    Backend backend;
    Gateway gateway(one_queue() + "clients: { idle_timeout: 1500ms, head_timeout: 10s }\n",
                    with(backend));
    for (const char* rest : {"\r\n", "\r\n\r\n\r", "\r"}) {
        Client client = gateway.client();
        client.request("POST", "/x", {}, "body");
        client.send(rest);
        EXPECT_EQ(client.read().status, 200);
        EXPECT_TRUE(client.ends()) << "no 408 that nobody asked for";
    }
    Client late = gateway.client();
    late.send("\r\n");
    late.get("/late");
    EXPECT_EQ(late.read().status, 200);
}

TEST_F(Refusal, OfEmptyLinesWithoutEndIs431) {
    std::string lines;
    while (lines.size() <= 4 << 10) lines += "\r\n";
    expect(431, lines);
    expect(431, lines + lines + "GET /q HTTP/1.1\r\nHost: a\r\n\r\n");
}

}  // namespace
}  // namespace ticketgate::test
