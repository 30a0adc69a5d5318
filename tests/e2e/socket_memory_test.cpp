// A call on a socket that fails though the connection stands, as for want of the system's memory:
// it ends no connection, and keeps no slot longer than the backend's connection does.
#include <cerrno>
#include <cstring>

#include "support/configs.hpp"
#include "support/failing_calls.hpp"
#include "support/patience.hpp"
#include "workers.hpp"

namespace ticketgate::test {
namespace {

constexpr int every_time = 1 << 30;
// More than the system takes at once: its rest has no byte of the head.
const std::string large_body(8 << 20, 'z');

class SocketMemory : public testing::TestWithParam<int> {
 protected:
    void expect_next() { EXPECT_EQ(gateway.get("/next").status, 200) << "the slot is free again"; }
    void expect_whole(const Response& answer, const std::string& target) {
        EXPECT_EQ(answer.status, 200);
        EXPECT_EQ(answer.body, target);
        EXPECT_TRUE(answer.whole());
        EXPECT_EQ(backend.count(target), 1u);
        expect_next();
    }
    // The view of the backend names the error, a moment after the answer.
    void expect_told() { expect_told(gateway); }
    static void expect_told(const Gateway& there) {
        EXPECT_TRUE(eventually([&] {
            const auto told = there.upstream("app");
            const auto* const why = told.if_contains("last_failure");
            return why != nullptr && why->is_string() &&
                   why->as_string().find(std::strerror(GetParam())) != std::string::npos;
        }));
    }

    Backend backend;
    Gateway gateway{one_queue_but("/silent", ", response_timeout: 200ms"), with(backend)};
};

TEST_P(SocketMemory, ARequestIsSentWhenThereIsSome) {
    const FailingCalls shortage("send", GetParam(), "GET /x HTTP", 2);
    expect_whole(gateway.get("/x"), "/x");
    EXPECT_EQ(shortage.failed(), 2);
}

TEST_P(SocketMemory, TheRestOfARequestIsSentWhenThereIsSome) {
    const FailingCalls shortage("send", GetParam(), "zzzz", 3);
    expect_whole(gateway.post("/x", large_body), "/x");
    EXPECT_EQ(shortage.failed(), 3);
    EXPECT_TRUE(backend.of("/x")[0].body_whole);
}

TEST_P(SocketMemory, AnAnswerIsReadWhenThereIsSome) {
    const FailingCalls shortage("recv", GetParam(), "HTTP/1.1 200 Status", 2);
    expect_whole(gateway.get("/x"), "/x");
    EXPECT_EQ(shortage.failed(), 2);
}

TEST_P(SocketMemory, AnAnswerIsPassedOnWhenThereIsSome) {
    const FailingCalls shortage("send", GetParam(), "HTTP/1.1 200 Status", 2);
    expect_whole(gateway.get("/x"), "/x");
    EXPECT_EQ(shortage.failed(), 2);
}

TEST_P(SocketMemory, ThatComesAfterResponseTimeoutLetsTheBackendEndItsRequest) {
    backend.on("/silent", [](Call& call) { call.respond(200); });
    {
        const FailingCalls shortage("send", GetParam(), "GET /silent HTTP", every_time);
        EXPECT_EQ(gateway.get("/silent").status, 504);
        EXPECT_EQ(gateway.line("q").in_flight, 1u);
        expect_told();
    }
    expect_next();
    EXPECT_EQ(backend.count("/silent"), 1u);
}

INSTANTIATE_TEST_SUITE_P(Errors, SocketMemory, testing::Values(ENOBUFS, ENOMEM));

// Nothing of the request is sent before, so no worker can have it.
TEST_P(SocketMemory, AConnectionIsPassedToAWorkerWhenThereIsSome) {
    Gateway of_workers(workers("transport: descriptors, min: 1, max: 1"));
    ASSERT_TRUE(wait_for_state(of_workers, "idle", 1));
    const std::string end_of_cookie(4, 0);
    const FailingCalls shortage("send", GetParam(), end_of_cookie, 2);
    const auto answer = of_workers.post("/q", "a body");
    EXPECT_EQ(shortage.failed(), 2);
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(field(answer.body, "body"), "6");
    EXPECT_TRUE(eventually([&] { return of_workers.line("q").in_flight == 0; }));
}

TEST_P(SocketMemory, OneThatLastsIsToldOfAWorkerThatGotNoConnection) {
    Gateway of_workers(
        with_connect_timeout(workers("transport: descriptors, min: 1, max: 1"), "300ms"));
    ASSERT_TRUE(wait_for_state(of_workers, "idle", 1));
    {
        const FailingCalls shortage("send", GetParam(), std::string(4, 0), every_time);
        EXPECT_EQ(of_workers.post("/q", "a body").status, 504);
    }
    EXPECT_TRUE(eventually([&] { return of_workers.line("q").in_flight == 0; }));
    expect_told(of_workers);
}

using UnexplainedError = SocketMemory;

// The backend would wait for the rest; a FIN tells it that nothing comes.
TEST_P(UnexplainedError, OfAWriteEndsTheRequestAndThenTheSlot) {
    {
        const FailingCalls failing("send", GetParam(), "zzzz");
        EXPECT_EQ(gateway.post("/x", large_body).status, 502);
    }
    expect_told();
    EXPECT_EQ(backend.count("/x"), 0u) << "a part of a request is none";
    expect_next();
}

TEST_P(UnexplainedError, OfAReadIsNoEndOfTheConnection) {
    const FailingCalls failing("recv", GetParam(), "HTTP/1.1 200 Status", 2);
    expect_whole(gateway.get("/x"), "/x");
}

INSTANTIATE_TEST_SUITE_P(Errors, UnexplainedError, testing::Values(EACCES, EPERM));

}  // namespace
}  // namespace ticketgate::test
