// Which connections of FastCGI serve another request.
#include "fcgi_bench.hpp"

namespace ticketgate::fcgi_test {
namespace {

TEST(Fcgi, ConnectionsAreKeptOnlyIfAskedFor) {
    for (const bool keep : {false, true}) {
        FcgiBench bench(keep);
        auto running = bench.run();
        running.backend.send(out("A: b\r\n\r\n") + end_record());
        EXPECT_FALSE(bench.read(*running.exchange).failure);
        bench.finish(std::move(running.exchange));
        EXPECT_EQ(bench.has_idle(), keep);
    }
}

TEST(Fcgi, AConnectionWithBytesLeftIsNotKept) {
    FcgiBench bench(true);
    auto running = bench.run();
    running.backend.send(out("A: b\r\n\r\n") + end_record() + "x");
    EXPECT_FALSE(bench.read(*running.exchange).failure);
    bench.finish(std::move(running.exchange));
    EXPECT_FALSE(bench.has_idle());
}

// A server that has not read the request may take the rest of it for the next one.
TEST(Fcgi, AConnectionWhoseRequestEndedBeforeItWasSentIsNotKept) {
    FcgiBench bench(true);
    auto exchange = bench.open();
    Body body(bench.budget);
    body.complete = false;
    EXPECT_EQ(*bench.send(*exchange, head, body), Step::starved);
    const Peer backend = bench.door.accept();
    backend.send(out("A: b\r\n\r\n") + end_record());
    EXPECT_FALSE(bench.read(*exchange).failure);
    body.complete = true;
    EXPECT_EQ(*bench.send(*exchange, head, body), Step::done);
    EXPECT_TRUE(exchange->settled());
    bench.finish(std::move(exchange));
    EXPECT_FALSE(bench.has_idle());
}

// Late padding would be taken for the beginning of the next answer.
TEST(Fcgi, APaddedEndKeepsTheConnectionOnlyIfThePaddingHasArrived) {
    for (const std::size_t here : {0u, 2u, 3u, 4u}) {
        FcgiBench bench(true);
        auto running = bench.run();
        std::string end = end_record();
        end[6] = 3;
        running.backend.send(out("A: b\r\n\r\n") + end + std::string(here, 'p'));
        EXPECT_FALSE(bench.read(*running.exchange).failure);
        bench.finish(std::move(running.exchange));
        EXPECT_EQ(bench.has_idle(), here == 3) << here;
    }
}

TEST(Fcgi, AKeptConnectionServesAnotherRequest) {
    FcgiBench bench(true);
    auto first = bench.run();
    first.backend.send(out("A: b\r\n\r\none") + end_record());
    EXPECT_EQ(bench.read(*first.exchange).body, "one");
    bench.finish(std::move(first.exchange));
    auto second = bench.open();
    EXPECT_TRUE(second->connected());
    EXPECT_TRUE(bench.send(*second, head));
    EXPECT_EQ(first.backend.receive(), head + params_end + in_end);
    first.backend.send(out("A: b\r\n\r\ntwo") + end_record());
    EXPECT_EQ(bench.read(*second).body, "two");
    EXPECT_EQ(second->remarks(), "");
}

}  // namespace
}  // namespace ticketgate::fcgi_test
