// Connections and message ends (RFC 9112 6.3 and 9.3), on queued and unqueued routes alike.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

class Messages : public testing::TestWithParam<const char*> {
 protected:
    Messages() : gateway(queued_and_free(), with(backend)) {}
    std::string at(const std::string& path) const { return GetParam() + path; }
    // Sets the backend's answer to all requests of this path.
    void answers(const std::string& path, const std::string& bytes) {
        backend.on(at(path), [bytes](Call& call) { call.finish(bytes); });
    }
    void answers_and_closes(const std::string& path, const std::string& bytes) {
        backend.on(at(path), [bytes](Call& call) {
            call.finish(bytes);
            call.close();
        });
    }
    // Checks that the connection is in step: the next answer on it belongs to the next request.
    void expect_in_step(Client& client) {
        client.get(at("/step"));
        EXPECT_EQ(client.read().body, at("/step"));
    }
    Response get_1_0(Client& client, const std::string& path, const std::string& lines = {}) {
        client.send("GET " + at(path) + " HTTP/1.0\r\n" + lines + "\r\n");
        return client.read();
    }

    Backend backend;
    Gateway gateway;
};

TEST_P(Messages, ConnectionsAreKeptOnBothSides) {
    Client client = gateway.client();
    for (int i = 0; i < 50; ++i) {
        client.request(i % 2 == 0 ? "GET" : "POST", at("/x"), {}, i % 2 == 0 ? "" : "body");
        const auto answer = client.read();
        EXPECT_EQ(answer.status, 200);
        EXPECT_FALSE(answer.fields.has("Connection"));
    }
    // An unrepeatable request gets a new connection, which the next GET reuses.
    EXPECT_EQ(backend.connections(), 26);
    for (const auto& seen : backend.all()) EXPECT_FALSE(seen.fields.has("Connection"));
}

TEST_P(Messages, ClientThatAsksForTheEndGetsIt) {
    Client client = gateway.client();
    client.get(at("/x"), "Connection: close\r\n");
    const auto answer = client.read();
    EXPECT_TRUE(answer.whole());
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(client.ends());
    EXPECT_EQ(gateway.get(at("/x")).status, 200);
    EXPECT_EQ(backend.connections(), 1) << "the backend's connection is ours to keep";
}

TEST_P(Messages, Http10ClientGetsTheEndUnlessItAsksToStay) {
    Client plain = gateway.client();
    const auto answer = get_1_0(plain, "/x");
    EXPECT_EQ(answer.body, at("/x"));
    EXPECT_FALSE(same_word(answer.header("Connection"), "keep-alive"));
    EXPECT_TRUE(plain.ends());
    EXPECT_EQ(backend.of(at("/x"))[0].version, "HTTP/1.1");
    EXPECT_EQ(backend.of(at("/x"))[0].fields.count("Host"), 1u);

    Client stays = gateway.client();
    for (int i = 0; i < 3; ++i) {
        const auto kept = get_1_0(stays, "/x", "Host: a\r\nConnection: keep-alive\r\n");
        EXPECT_EQ(kept.body, at("/x"));
        EXPECT_TRUE(same_word(kept.header("Connection"), "keep-alive"));
    }
}

// A queued HEAD goes to the backend as GET: only the end of a body shows that the script ended.
TEST_P(Messages, HeadHasTheLengthAndNoBody) {
    const bool queued = std::string(GetParam()) == "/q";
    const std::string body = queued ? std::string(1234, 'b') : std::string();
    answers("/x", "HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n" + body);
    Client client = gateway.client();
    client.request("HEAD", at("/x"));
    const auto answer = client.read_to_head();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Content-Length"), "1234");
    expect_in_step(client);
    EXPECT_EQ(backend.of(at("/x")).at(0).method, queued ? "GET" : "HEAD");
    EXPECT_EQ(backend.connections(), queued ? 1 : 2) << "a body may come all the same";
}

TEST_P(Messages, HeadOfAChunkedAnswerHasNoBodyEither) {
    const bool queued = std::string(GetParam()) == "/q";
    answers("/x", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
                      (queued ? chunk("hello") + "0\r\n\r\n" : std::string()));
    Client client = gateway.client();
    client.request("HEAD", at("/x"));
    EXPECT_EQ(client.read_to_head().status, 200);
    expect_in_step(client);
}

TEST_P(Messages, NoContentAndNotModifiedHaveNoBody) {
    answers("/204", "HTTP/1.1 204 No Content\r\n\r\n");
    answers("/304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 77\r\nETag: \"x\"\r\n\r\n");
    Client client = gateway.client();
    client.get(at("/204"));
    const auto none = client.read();
    EXPECT_EQ(none.status, 204);
    EXPECT_FALSE(none.fields.has("Content-Length"));
    EXPECT_FALSE(none.fields.has("Transfer-Encoding"));
    client.get(at("/304"));
    const auto same = client.read();
    EXPECT_EQ(same.status, 304);
    EXPECT_EQ(same.header("Content-Length"), "77");
    EXPECT_EQ(same.header("ETag"), "\"x\"");
    expect_in_step(client);
    EXPECT_GE(backend.connections(), 2) << "a body may come all the same";
}

TEST_P(Messages, EmptyBodyOfKnownLengthIsWhole) {
    answers("/x", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    Client client = gateway.client();
    client.get(at("/x"));
    const auto answer = client.read();
    EXPECT_TRUE(answer.whole());
    EXPECT_EQ(answer.header("Content-Length"), "0");
    expect_in_step(client);
}

const std::string chunked_hello = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
                                  chunk("hel") + chunk("lo") + "0\r\nX-Trailer: dropped\r\n\r\n";

TEST_P(Messages, ChunkedAnswerStaysChunkedForHttp11) {
    answers("/x", chunked_hello);
    Client client = gateway.client();
    client.get(at("/x"));
    const auto answer = client.read();
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_EQ(answer.coding, Coding::chunked);
    EXPECT_EQ(answer.body, "hello");
    expect_in_step(client);
    EXPECT_EQ(backend.connections(), 1);
}

TEST_P(Messages, ChunkedAnswerEndsWithTheConnectionForHttp10) {
    answers("/x", chunked_hello);
    Client client = gateway.client();
    const auto answer = get_1_0(client, "/x", "Connection: keep-alive\r\n");
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_EQ(answer.coding, Coding::until_close);
    EXPECT_EQ(answer.body, "hello");
}

TEST_P(Messages, CloseDelimitedAnswerBecomesChunkedForHttp11) {
    answers_and_closes("/x", "HTTP/1.1 200 OK\r\n\r\nhello");
    Client client = gateway.client();
    client.get(at("/x"));
    const auto answer = client.read();
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_EQ(answer.coding, Coding::chunked);
    EXPECT_EQ(answer.body, "hello");
    expect_in_step(client);
}

TEST_P(Messages, CloseDelimitedAnswerStaysSoForHttp10) {
    answers_and_closes("/x", "HTTP/1.0 200 OK\r\n\r\nhello");
    Client client = gateway.client();
    const auto answer = get_1_0(client, "/x");
    EXPECT_TRUE(answer.whole()) << answer.fault;
    EXPECT_EQ(answer.body, "hello");
}

TEST_P(Messages, Http10BackendIsServedAndItsConnectionNotReused) {
    answers_and_closes("/x", "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello");
    Client client = gateway.client();
    for (int i = 0; i < 3; ++i) {
        client.get(at("/x"));
        const auto answer = client.read();
        EXPECT_EQ(answer.version, 11);
        EXPECT_EQ(answer.body, "hello");
    }
    EXPECT_EQ(backend.connections(), 3);
}

TEST_P(Messages, ConnectionIsNotReusedAfterConnectionClose) {
    answers_and_closes("/x", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
    Client client = gateway.client();
    for (int i = 0; i < 3; ++i) {
        client.request("POST", at("/x"), {}, "body");
        const auto answer = client.read();
        EXPECT_EQ(answer.body, "ok");
        EXPECT_FALSE(answer.fields.has("Connection")) << "hop by hop: the client may stay";
    }
    EXPECT_EQ(backend.connections(), 3);
}

TEST_P(Messages, AnswerInSingleBytesIsTheSame) {
    const std::string bytes = chunked_hello;
    backend.on(at("/x"), [bytes](Call& call) {
        for (const char c : bytes.substr(0, bytes.size() - 1)) call.send(std::string(1, c));
        call.finish(bytes.substr(bytes.size() - 1));
    });
    Client client = gateway.client();
    client.get(at("/x"));
    EXPECT_EQ(client.read().body, "hello");
    expect_in_step(client);
}

TEST_P(Messages, RequestInSingleBytesIsTheSame) {
    Client client = gateway.client();
    const std::string text = "POST " + at("/x") +
                             " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                             chunk("hello") + "0\r\n\r\n";
    for (const char c : text) client.send(std::string(1, c));
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.of(at("/x"))[0].body, "hello");
    expect_in_step(client);
}

TEST_P(Messages, EarlyHintsAreForwardedToHttp11Only) {
    answers("/x",
            "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    Client client = gateway.client();
    client.get(at("/x"));
    const auto hints = client.read();
    EXPECT_EQ(hints.status, 103);
    EXPECT_EQ(hints.header("Link"), "</a.css>; rel=preload");
    EXPECT_EQ(client.read().body, "ok");
    expect_in_step(client);
    Client old = gateway.client();
    EXPECT_EQ(get_1_0(old, "/x").status, 200);
}

TEST_P(Messages, EarlyHintsComeBeforeTheAnswerIsMade) {
    backend.on(at("/x"), [](Call& call) {
        call.send("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n");
        call.wait_for("answer");
        call.respond(200, "ok");
    });
    Client client = gateway.client();
    client.get(at("/x"));
    EXPECT_EQ(client.read().status, 103);
    backend.release("answer");
    EXPECT_EQ(client.read().body, "ok");
}

TEST_P(Messages, ContinueOfTheBackendIsNotForwarded) {
    answers("/x", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    EXPECT_EQ(gateway.post(at("/x"), "body").body, "ok");
}

TEST_P(Messages, AnswerStreamsWhileTheBackendIsStillMakingIt) {
    backend.on(at("/x"), [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("first"));
        call.wait_for("rest");
        call.finish(chunk("rest") + "0\r\n\r\n");
    });
    Client client = gateway.client();
    client.get(at("/x"));
    EXPECT_FALSE(client.reader().through("first").empty()) << "before the whole is there";
    backend.release("rest");
    EXPECT_FALSE(client.reader().through("rest\r\n0\r\n\r\n").empty());
}

TEST_P(Messages, PipelinedRequestsAreAnsweredInOrder) {
    Client client = gateway.client();
    std::string all;
    for (int i = 0; i < 20; ++i) {
        all += "POST " + at("/x?") + std::to_string(i) + " HTTP/1.1\r\nHost: a\r\n";
        all += i % 2 == 0 ? "Content-Length: 4\r\n\r\nbody"
                          : "Transfer-Encoding: chunked\r\n\r\n" + chunk("body") + "0\r\n\r\n";
    }
    client.send(all);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(client.read().body, at("/x?") + std::to_string(i));
    for (const auto& seen : backend.all()) EXPECT_EQ(seen.body, "body");
}

TEST_P(Messages, MaxRequestsEndsTheConnectionAfterThatMany) {
    Gateway limited(queued_and_free() + "clients: { max_requests: 2 }\n", with(backend));
    Client client = limited.client();
    client.get(at("/x"));
    EXPECT_EQ(client.read().status, 200);
    client.get(at("/x"));
    const auto last = client.read();
    EXPECT_EQ(last.status, 200);
    EXPECT_EQ(last.header("Connection"), "close") << "or the client sends one more in vain";
    EXPECT_TRUE(client.ends());
}

INSTANTIATE_TEST_SUITE_P(Routes, Messages, both_kinds, kind);

}  // namespace
}  // namespace ticketgate::test
