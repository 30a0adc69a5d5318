// CONTRACT 3: faults of a backend, and the answer that the client gets for each.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

// A queued and an unqueued route must fail alike.
class BackendFault : public testing::TestWithParam<const char*> {
 protected:
    std::string at(const std::string& path) const { return GetParam() + path; }
    void expect_next(Gateway& gateway) const {
        EXPECT_EQ(gateway.get(at("/next")).status, 200) << "the slot is free again";
    }
    // A handler that sends these bytes and ends the connection.
    Response answer_of_one_that_sends(const std::string& bytes, bool with_reset = false) {
        Backend backend;
        backend.on(at("/x"), [&](Call& call) {
            call.send(bytes);
            with_reset ? call.reset() : call.close();
        });
        Gateway gateway(queued_and_free(), with(backend));
        const auto answer = gateway.get(at("/x"));
        expect_next(gateway);
        EXPECT_EQ(backend.count(at("/x")), 1u);
        return answer;
    }
};

TEST_P(BackendFault, RefusedConnectionGives502) {
    RefusingPort nobody;
    Gateway gateway(queued_and_free(), {{"BACKEND", nobody.url()}});
    for (int i = 0; i < 3; ++i) {
        const auto answer = gateway.get(at("/x"));
        EXPECT_EQ(answer.status, 502);
        EXPECT_EQ(answer.header("Content-Type"), "application/problem+json");
    }
    EXPECT_EQ(gateway.line("q").in_flight, 0u);
}

TEST_P(BackendFault, EndBeforeTheHeadGives502) {
    EXPECT_EQ(answer_of_one_that_sends("").status, 502);
    EXPECT_EQ(answer_of_one_that_sends("", true).status, 502);
}

TEST_P(BackendFault, EndInsideTheHeadGives502) {
    EXPECT_EQ(answer_of_one_that_sends("HTTP/1.1 200 OK\r\nContent-Le").status, 502);
    EXPECT_EQ(answer_of_one_that_sends("HTTP/1.1 200 OK\r\nContent-Le", true).status, 502);
}

TEST_P(BackendFault, GarbageGives502) {
    EXPECT_EQ(answer_of_one_that_sends("\x16\x03\x01 this is not HTTP\r\n\r\n").status, 502);
    EXPECT_EQ(answer_of_one_that_sends("HTTP/1.1 2x0 OK\r\n\r\n").status, 502);
    EXPECT_EQ(answer_of_one_that_sends("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n"
                                       "Transfer-Encoding: chunked\r\n\r\n")
                  .status,
              502);
}

TEST_P(BackendFault, EndInsideABodyOfKnownLengthCutsTheAnswer) {
    const auto answer =
        answer_of_one_that_sends("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello");
    EXPECT_FALSE(answer.whole());
}

TEST_P(BackendFault, EndBetweenChunksHasNoLastChunk) {
    const auto answer = answer_of_one_that_sends(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("hello"));
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello");
    EXPECT_FALSE(answer.whole());
}

TEST_P(BackendFault, EndInsideAChunkCutsTheAnswer) {
    const auto answer =
        answer_of_one_that_sends("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\na\r\nhello");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "hello");
    EXPECT_FALSE(answer.whole());
}

TEST_P(BackendFault, GarbageInsteadOfAChunkCutsTheAnswer) {
    const auto answer = answer_of_one_that_sends(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("hello") + "zzz\r\n\r\n");
    EXPECT_EQ(answer.body, "hello");
    EXPECT_FALSE(answer.whole());
}

TEST_P(BackendFault, ResetOfACloseDelimitedBodyCutsTheAnswer) {
    const auto answer = answer_of_one_that_sends("HTTP/1.1 200 OK\r\n\r\nhello", true);
    EXPECT_TRUE(answer.status == 502 || !answer.whole()) << answer.status << answer.body;
}

TEST_P(BackendFault, CutBodyIsCutForAnHttp10ClientToo) {
    Backend backend;
    backend.on(at("/x"), [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunk("hello"));
        call.close();
    });
    Gateway gateway(queued_and_free(), with(backend));
    Client client = gateway.client();
    client.send("GET " + at("/x") + " HTTP/1.0\r\n\r\n");
    const auto answer = client.read();
    EXPECT_FALSE(answer.whole()) << "a FIN would pass for the end of the body: only RST tells";
}

TEST_P(BackendFault, OnBackendErrorIsAnswered) {
    RefusingPort nobody;
    const std::string answer =
        ", on_backend_error: { status: 599, content_type: text/plain, "
        "body: 'sorry, ${request_id}' }";
    Gateway gateway(queued_and_free(answer), {{"BACKEND", nobody.url()}});
    const auto got = gateway.get(at("/x"));
    EXPECT_EQ(got.status, 599);
    EXPECT_EQ(got.body, "sorry, " + got.header("X-Request-Id"));
}

// A counter that begins with the first failure, or anew with a new address, hides failures.
TEST(BackendFaults, OfEachUpstreamAreCountedByItsNameAndOverReloads) {
    Backend backend;
    backend.on("/x", [](Call& call) { call.close(); });
    const auto config = [&](const std::string& more) {
        return "upstreams: { app: { url: \"" + backend.url() + "\"" + more +
               " }, other: { url: \"" + backend.url() +
               "\" } }\nroutes: [{ prefix: /, upstream: app, queue: q }, "
               "{ prefix: /other, upstream: other, queue: q }]\n";
    };
    Gateway gateway(config(""));
    const auto failures = [&](const std::string& upstream) {
        return gateway.metric(
            "ticketgate_upstream_errors_total{reason=\"ended_early\",upstream=\"" + upstream +
            "\"}");
    };
    EXPECT_EQ(gateway.get("/x").status, 502);
    EXPECT_EQ(gateway.get("/other").status, 200);
    EXPECT_EQ(failures("app"), 1);
    EXPECT_EQ(failures("other"), 0);
    EXPECT_EQ(gateway.metric("ticketgate_upstream_requests_total{upstream=\"other\"}"), 1);
    ASSERT_TRUE(gateway.reload(config(", max_idle: 7")));
    EXPECT_EQ(gateway.get("/x").status, 502);
    EXPECT_EQ(failures("app"), 2);
}

TEST(BackendFaults, AreCountedByReason) {
    Backend backend;
    backend.on("/x", [](Call& call) { call.close(); });
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/x").status, 502);
    EXPECT_EQ(
        gateway.metric("ticketgate_upstream_errors_total{reason=\"ended_early\",upstream=\"app\"}"),
        1);
    Gateway alone(one_queue(), {{"BACKEND", "unix:/no/such/socket"}});
    EXPECT_EQ(alone.get("/x").status, 502);
    EXPECT_EQ(
        alone.metric("ticketgate_upstream_errors_total{reason=\"no_socket\",upstream=\"app\"}"), 1);
    EXPECT_EQ(alone.metric("ticketgate_upstream_errors_total{reason=\"refused\",upstream=\"app\"}"),
              0);
    EXPECT_EQ(alone.metric("ticketgate_upstream_requests_total{upstream=\"app\"}"), 1);
    const auto told = alone.upstream("app");
    EXPECT_EQ(told.at("address").as_string(), "unix:/no/such/socket");
    EXPECT_EQ(told.at("failures").as_int64(), 1);
    EXPECT_TRUE(told.at("last_failure").as_string().find("no such socket") != std::string::npos ||
                told.at("last_failure").as_string().find("No such file") != std::string::npos)
        << told.at("last_failure");
    EXPECT_TRUE(told.at("last_failure_seconds").is_number());
    EXPECT_FALSE(told.contains("workers"));
}

// Bytes that are not HTTP do not prove that the script has ended.
TEST(GarbageFromABackendThatRunsOn, KeepsItsSlotUntilTheConnectionEnds) {
    for (const std::string garbage :
         {"HTTP/1.1 2x0 OK\r\n\r\n", "HTTP/1.1 101 Switching Protocols\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n"}) {
        Backend backend;
        backend.on("/x", [&](Call& call) {
            call.send(garbage);
            call.wait_for("end");
            call.close();
        });
        Gateway gateway(one_queue(), with(backend));
        const auto answer = gateway.get("/x");
        EXPECT_TRUE(answer.status == 502 || !answer.whole()) << answer.status;
        EXPECT_EQ(gateway.line("q").in_flight, 1u);
        auto clients = stand_in_line(gateway, {"/next"});
        EXPECT_EQ(backend.count("/next"), 0u);
        backend.release("end");
        EXPECT_EQ(clients[0].read().status, 200);
        EXPECT_EQ(backend.most_in_flight(), 1);
    }
}

INSTANTIATE_TEST_SUITE_P(Routes, BackendFault, both_kinds, kind);

}  // namespace
}  // namespace ticketgate::test
