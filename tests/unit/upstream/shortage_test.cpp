// Calls of the system that fail though nothing is wrong with the backend or its connection.
#include <cerrno>
#include <cstring>

#include "../../support/failing_calls.hpp"
#include "bench.hpp"

namespace ticketgate {
namespace {

using test::FailingCalls;

const std::string head = "the head";

// The backend waits for the rest, and the slot for the backend: a FIN tells it that nothing comes.
TEST(Unwritable, ARequestThatCannotBeSentOnEndsWithAFin) {
    Bench bench;
    auto exchange = bench.open();
    Body body(bench.budget);
    body.complete = false;
    EXPECT_EQ(*bench.send(*exchange, head, body), Step::starved);
    Peer backend = bench.door.accept();
    EXPECT_EQ(backend.receive(), head);
    EXPECT_FALSE(body.spool.append("a body"));
    body.complete = true;
    {
        const FailingCalls failing("send", EACCES, "a body");
        EXPECT_EQ(bench.send(*exchange, head, body).error(), errc::upstream_broke);
        EXPECT_EQ(failing.failed(), 1);
    }
    EXPECT_TRUE(closed(bench, backend)) << "and nothing behind the gap";
    EXPECT_NE(exchange->trouble().find(std::strerror(EACCES)), std::string::npos);
    EXPECT_FALSE(exchange->settled()) << "it may work";
    EXPECT_FALSE(exchange->untouched());
    backend.close();
    http::ResponseHead scratch;
    EXPECT_TRUE(bench.drive([&]() -> result<Step> { return exchange->outlast(false, scratch); }));
    EXPECT_TRUE(exchange->settled());
}

TEST(Shortage, AConnectionIsMadeWhenThereIsMemory) {
    Bench bench;
    auto exchange = bench.open();
    bench.loop.run_once(Duration{0});  // this thread runs a loop: its calls fail
    const FailingCalls shortage("socket", ENOBUFS, {}, 2);
    EXPECT_TRUE(bench.send(*exchange));
    EXPECT_EQ(shortage.failed(), 2);
    EXPECT_EQ(bench.door.accept().receive(), Bench::get);
}

TEST(Shortage, ARequestIsSentAndItsAnswerReadWhenThereIsMemory) {
    Bench bench;
    auto exchange = bench.open();
    {
        const FailingCalls shortage("send", ENOBUFS, "GET /", 3);
        EXPECT_TRUE(bench.send(*exchange));
    }
    EXPECT_EQ(exchange->trouble(), "");
    const Peer backend = bench.door.accept();
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send(Bench::ok);
    const FailingCalls shortage("recv", ENOMEM, "HTTP", 3);
    const Answer answer = bench.read(*exchange);
    EXPECT_EQ(answer.status, 200u);
    EXPECT_EQ(answer.body, "hi");
    EXPECT_EQ(shortage.failed(), 3);
}

}  // namespace
}  // namespace ticketgate
