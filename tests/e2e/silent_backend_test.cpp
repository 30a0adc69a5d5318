// CONTRACT 2.4 and 2.5: a silent backend keeps its slot, up to hold_timeout.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

const std::string soon = ", response_timeout: 200ms";

TEST(SilentBackend, GivesA504AndItsSlotStaysHeldUntilItEnds) {
    Backend backend;
    Gateway gateway(one_queue_but("/first", soon), with(backend));
    Client first = running(gateway, backend, "/first");
    auto clients = stand_in_line(gateway, {"/next"});
    const auto answer = first.read();
    EXPECT_EQ(answer.status, 504);
    const std::string timing = answer.header("Server-Timing");
    EXPECT_GE(std::stod(timing.substr(timing.rfind('=') + 1)), 200) << timing;
    EXPECT_EQ(gateway.line("q").in_flight, 1u);
    EXPECT_EQ(gateway.metric(R"(ticketgate_queue_timed_out{queue="q"})"), 1);
    EXPECT_EQ(gateway.metric(R"(ticketgate_queue_orphaned{queue="q"})"), 0) << "it has not left";
    EXPECT_EQ(backend.count("/next"), 0u);
    EXPECT_EQ(backend.of("/first")[0].end, 0u) << "its connection stays open";
    backend.release("/first");
    EXPECT_EQ(clients[0].read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_EQ(backend.count("/first"), 1u);
}

TEST(SilentBackend, ThatClosesAfterThe504GetsNoRetry) {
    Backend backend;
    backend.on("/dies", [](Call& call) {
        call.wait_for("die");
        call.close();
    });
    Gateway gateway(one_queue_but("/dies", soon), with(backend));
    EXPECT_EQ(gateway.get("/warm").status, 200);
    EXPECT_EQ(gateway.get("/dies").status, 504);
    EXPECT_EQ(gateway.line("q").in_flight, 1u);
    backend.release("die");
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(backend.count("/dies"), 1u);
}

TEST(SilentBackend, KeepsTheClientsConnectionForItsNextRequest) {
    Backend backend;
    Gateway gateway(one_queue_but("/first", soon), with(backend));
    Client first = running(gateway, backend, "/first");
    EXPECT_EQ(first.read().status, 504);
    first.get("/second");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    backend.release("/first");
    EXPECT_EQ(first.read().body, "/second") << "and nothing of the late answer comes in between";
}

TEST(SilentBackend, DuringABodyCutsTheAnswerAndItsSlotStaysHeld) {
    Backend backend;
    backend.on("/half", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello");
        call.wait_for("end");
        call.finish("world");
    });
    // Long enough for the first half.
    Gateway gateway(one_queue_but("/half", ", response_timeout: 5s"), with(backend));
    const auto answer = gateway.get("/half");
    EXPECT_EQ(answer.body, "hello");
    EXPECT_FALSE(answer.whole());
    EXPECT_EQ(gateway.line("q").in_flight, 1u);
    backend.release("end");
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

// The answer races the deadline: each client gets exactly one whole answer. Once a client got none.
TEST(SilentBackend, ThatAnswersAtTheDeadlineLeavesNoClientUnanswered) {
    Backend backend;
    backend.on("/x", [](Call& call) {
        be_slow(20ms);
        call.respond(200, call.seen().target);
    });
    Gateway gateway(one_queue(", response_timeout: 20ms", "max_in_flight: 20"), with(backend));
    std::vector<Client> clients;
    for (int i = 0; i < 20; ++i) clients.push_back(gateway.client());
    for (int round = 0; round < 15; ++round) {
        const std::string target = "/x?" + std::to_string(round);
        for (auto& client : clients) client.get(target);
        for (auto& client : clients) {
            const auto answer = client.read();
            ASSERT_TRUE(answer.whole()) << answer.fault;
            EXPECT_TRUE(answer.status == 504 || answer.body == target) << answer.status;
        }
    }
}

TEST(SilentBackend, UnqueuedGivesA504AndItsConnectionIsClosed) {
    Backend backend;
    backend.hold("/free");
    Gateway gateway(
        "upstreams: { app: { url: \"${BACKEND}\" } }\ndefaults: { upstream: app }\n"
        "routes: [{ prefix: / }, { prefix: /free, response_timeout: 200ms }]\n",
        with(backend));
    EXPECT_EQ(gateway.get("/free").status, 504);
    EXPECT_EQ(gateway.get("/other").status, 200);
}

TEST(SlowBackend, ThatKeepsSendingIsNotSilent) {
    Backend backend;
    backend.on("/slow", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n");
        for (int i = 0; i < 19; ++i) {
            call.send("x");
            be_slow(300ms);
        }
        call.finish("x");
    });
    Gateway gateway(one_queue(", response_timeout: 5s"), with(backend));
    EXPECT_TRUE(gateway.get("/slow").whole());
}

const std::string violations = R"(ticketgate_exclusion_violations_total{queue="q"})";

class SilenceInPieces : public testing::TestWithParam<const char*> {};

// Takes longer in total than response_timeout, but no single silence does.
TEST_P(SilenceInPieces, IsCountedFromTheLastOfThem) {
    Backend backend;
    Gateway gateway(queued_and_free(", response_timeout: 5s"), with(backend));
    const auto slowly = [](Call& call) {
        const std::string whole =
            "HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
            "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone";
        std::size_t sent = 0;
        for (const std::size_t end : {std::size_t{27}, std::size_t{54}, std::size_t{60},
                                      std::size_t{71}, whole.size() - 4, whole.size()}) {
            be_slow(1s);
            call.send(whole.substr(sent, end - sent));
            sent = end;
        }
        call.finish();
    };
    backend.on("/q", slowly);
    backend.on("/free", slowly);
    Client client = gateway.client();
    client.send("GET " + std::string(GetParam()) + " HTTP/1.0\r\n\r\n");
    const auto response = client.read();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "done");
}

INSTANTIATE_TEST_SUITE_P(Both, SilenceInPieces, both_kinds, kind);

TEST(HoldTimeout, KeepHoldsTheSlotAndCountsNoViolation) {
    Backend backend;
    Gateway gateway(one_queue(", wait_timeout: 500ms", "hold_timeout: 100ms"), with(backend));
    Client first = running(gateway, backend, "/first");
    EXPECT_EQ(gateway.get("/next").status, 503) << "five times hold_timeout, and still held";
    EXPECT_EQ(gateway.line("q").in_flight, 1u);
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(gateway.metric(violations), 0);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

// Long enough for the next request, whose hold is limited as well.
TEST(HoldTimeout, ReleaseFailsOpenAndCountsAViolation) {
    Backend backend;
    Gateway gateway(one_queue("", "hold_timeout: 5s, on_hold_timeout: release"), with(backend));
    Client first = running(gateway, backend, "/first");
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(gateway.metric(violations), 1);
    EXPECT_EQ(backend.most_in_flight(), 2);
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200) << "its own client still gets its answer";
    EXPECT_EQ(gateway.line("q").in_flight, 0u);
}

TEST(HoldTimeout, ReleaseIsMeasuredLikeEveryHold) {
    Backend backend;
    Gateway gateway(one_queue("", "hold_timeout: 5s, on_hold_timeout: release"), with(backend));
    Client first = running(gateway, backend, "/first");
    EXPECT_TRUE(eventually([&] { return gateway.metric(violations) == 1; }));
    EXPECT_EQ(gateway.metric("ticketgate_queue_hold_seconds_count{queue=\"q\"}"), 1);
    backend.release("/first");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_GE(gateway.log(1).at(0).at("hold_ms").to_number<double>(), 5000);
}

TEST(HoldTimeout, ReleaseOfAnOrphanEndsItsGauge) {
    Backend backend;
    Gateway gateway(one_queue("", "hold_timeout: 5s, on_hold_timeout: release"), with(backend));
    Client first = running(gateway, backend, "/first");
    first.reset();
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(gateway.metric(R"(ticketgate_queue_orphaned{queue="q"})"), 0);
    EXPECT_EQ(gateway.metric(violations), 1);
}

}  // namespace
}  // namespace ticketgate::test
