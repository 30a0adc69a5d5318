// CONTRACT 2.7: only a request that provably was not processed is sent again. Also early answers.
#include "support/configs.hpp"
#include "upstream/keep_policy.hpp"

namespace ticketgate::test {
namespace {

// A backend that ends every connection at its second request without sending a byte.
void die_on_reuse(Backend& backend, const std::string& path) {
    backend.on(path, [](Call& call) {
        call.seen().on_connection > 1 ? call.close() : call.respond(200, "fresh");
    });
}

// A POST takes a reused connection only after this many answers on reused connections.
void prove(Gateway& gateway) {
    Client client = gateway.client();
    for (std::uint32_t i = 0; i <= KeepPolicy::Limits().proven_by; ++i) {
        client.get("/warm");
        ASSERT_EQ(client.read().status, 200);
    }
}

// It may have run: a worker that crashes ends its connection without a byte.
TEST(PooledConnectionThatDies, AGetThatTheBackendHasReceivedIsNotSentAgain) {
    Backend backend;
    die_on_reuse(backend, "/x");
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/warm").status, 200);
    EXPECT_EQ(gateway.get("/x").status, 502);
    EXPECT_EQ(backend.count("/x"), 1u);
    EXPECT_EQ(gateway.get("/x").body, "fresh");
}

// It would run at the same time as the request that has its slot now.
TEST(PooledConnectionThatDies, AGetThatLostItsSlotIsNotSentAgain) {
    Backend backend;
    backend.on("/x", [](Call& call) {
        call.wait_for("/x is released");
        call.close();
    });
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/warm").status, 200);
    Client client = gateway.client();
    client.get("/x");
    ASSERT_TRUE(backend.wait_for("/x"));
    EXPECT_EQ(backend.of("/x")[0].on_connection, 2);
    Client operator_(gateway.admin_address());
    operator_.send(
        "POST /api/v1/queues/q/release?number=2 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Content-Length: 0\r\n\r\n");
    EXPECT_EQ(operator_.read().status, 200);
    backend.release("/x is released");
    EXPECT_EQ(client.read().status, 502);
    EXPECT_EQ(backend.count("/x"), 1u);
}

TEST(PooledConnectionThatDies, APostIsNeverSentTwice) {
    Backend backend;
    backend.on("/x", [](Call& call) { call.close(); });
    Gateway gateway(one_queue(), with(backend));
    prove(gateway);
    EXPECT_EQ(gateway.post("/x", "body").status, 502);
    EXPECT_EQ(backend.count("/x"), 1u);
    Client empty = gateway.client();
    empty.request("POST", "/x");
    EXPECT_EQ(empty.read().status, 502) << "without a body, too";
    EXPECT_EQ(backend.count("/x"), 2u);
}

TEST(PooledConnectionThatDies, APostDoesNotReuseAConnectionOfAnUnprovenBackend) {
    Backend backend;
    die_on_reuse(backend, "/x");
    Gateway gateway(one_queue(), with(backend));
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(gateway.get("/warm").status, 200);
        EXPECT_EQ(gateway.post("/x", "body").body, "fresh");
    }
    EXPECT_EQ(backend.count("/x"), 10u);
}

TEST(BodilessAnswer, ToHeadEndsTheBackendsConnection) {
    Backend backend;
    backend.on("/h", [](Call& call) {
        call.finish("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n");
        call.wait_for("late");
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    });
    backend.on("/next", [&backend](Call& call) {
        backend.release("late");
        call.respond(200, "mine");
    });
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.request("HEAD", "/h");
    EXPECT_EQ(client.read_to_head().status, 200);
    client.get("/next");
    EXPECT_EQ(client.read().body, "mine");
    EXPECT_NE(backend.of("/next").at(0).connection, backend.of("/h").at(0).connection);
}

TEST(PooledConnectionThatDies, AfterTheFirstByteIsNotRetried) {
    Backend backend;
    backend.on("/x", [](Call& call) {
        call.send("HTTP");
        call.close();
    });
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/warm").status, 200);
    EXPECT_EQ(gateway.get("/x").status, 502);
    EXPECT_EQ(backend.count("/x"), 1u);
}

TEST(PooledConnectionThatDies, NothingIsRepeatedOnANewConnection) {
    Backend backend;
    backend.on("/x", [](Call& call) { call.close(); });
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/x").status, 502);
    EXPECT_EQ(backend.count("/x"), 1u);
}

TEST(IdleConnection, ClosedByTheBackendIsNotUsedForAnyMethod) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(gateway.post("/x", "body").status, 200);
        backend.close_idle();
    }
    EXPECT_EQ(backend.count("/x"), 10u);
    EXPECT_EQ(backend.connections(), 10);
}

TEST(IdleConnection, WithBytesNobodyAskedForIsNotUsed) {
    Backend backend;
    backend.on("/two", [](Call& call) {
        call.finish(
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none"
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo");
    });
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/two").body, "one");
    EXPECT_EQ(gateway.get("/next").body, "/next");
}

TEST(EarlyAnswer, ToAnUnfinishedUploadReachesTheClient) {
    Backend backend;
    backend.on_head("/free", [](Call& call) {
        call.finish("HTTP/1.1 413 Too Much\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno");
        call.close();
    });
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.send("POST /free HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nbegin");
    const auto answer = client.read();
    EXPECT_EQ(answer.status, 413);
    EXPECT_EQ(answer.body, "no");
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(client.ends());
    EXPECT_EQ(gateway.get("/next").status, 200);
}

TEST(EarlyAnswer, WhileTheClientKeepsSendingReachesItAndNothingHangs) {
    Backend backend;
    backend.on_head("/free", [](Call& call) {
        call.finish("HTTP/1.1 403 No\r\nContent-Length: 2\r\n\r\nno");
        call.close();
    });
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.send("POST /free HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\n");
    client.send(pattern(500'000));
    EXPECT_EQ(client.read().status, 403);
}

}  // namespace
}  // namespace ticketgate::test
