// Connections between requests: which ones are kept, for how long, and which ones are dropped.
#include "bench.hpp"

namespace ticketgate {
namespace {

TEST(Pool, AFinishedConnectionIsUsedAgain) {
    Bench bench;
    const Peer backend = bench.exchange_once(Bench::ok);
    for (int i = 0; i < 5; ++i) {
        auto exchange = bench.open();
        ASSERT_TRUE(exchange->connected());
        ASSERT_EQ(*bench.send(*exchange), Step::done);
        EXPECT_EQ(backend.receive(), Bench::get);
        backend.send(Bench::ok);
        const Answer answer = bench.read(*exchange);
        EXPECT_EQ(answer.body, "hi");
        EXPECT_EQ(answer.status, 200u);
        bench.finish(std::move(exchange));
    }
}

TEST(Pool, AFreshConnectionIsNotAnIdleOne) {
    Bench bench;
    const Peer backend = bench.exchange_once(Bench::ok);
    EXPECT_FALSE(bench.open(true)->connected());
    EXPECT_TRUE(still_open(backend));
    EXPECT_TRUE(bench.has_idle());
}

TEST(Pool, AConnectionInUseIsNotShared) {
    Bench bench;
    const Peer backend = bench.exchange_once(Bench::ok);
    const auto first = bench.open();
    EXPECT_TRUE(first->connected());
    EXPECT_FALSE(bench.open()->connected());
}

TEST(Pool, TheLastUsedIsUsedFirst) {
    Bench bench;
    const Peer older = bench.exchange_once(Bench::ok);
    const Peer newer = bench.exchange_once(Bench::ok);
    auto exchange = bench.open();
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_EQ(newer.receive(), Bench::get);
    EXPECT_TRUE(still_open(older));
}

TEST(Pool, KeepsNoMoreThanItsLimit) {
    Bench bench(with(&UpstreamSettings::max_idle, 2u));
    const Peer a = bench.exchange_once(Bench::ok), b = bench.exchange_once(Bench::ok);
    const Peer c = bench.exchange_once(Bench::ok);
    EXPECT_TRUE(closed(bench, c));
    EXPECT_TRUE(still_open(a));
    EXPECT_TRUE(still_open(b));
}

TEST(Pool, MayKeepNone) {
    Bench bench(with(&UpstreamSettings::max_idle, 0u));
    const Peer a = bench.exchange_once(Bench::ok);
    EXPECT_TRUE(closed(bench, a));
    EXPECT_FALSE(bench.has_idle());
}

// ── not kept ──

TEST(Pool, AnIncompleteResponseClosesTheConnection) {
    Bench bench;
    auto exchange = bench.open();
    ASSERT_TRUE(bench.send(*exchange));
    const Peer backend = bench.door.accept();
    backend.send(Bench::ok);
    http::ResponseHead head;
    ASSERT_TRUE(bench.read_head(*exchange, head));
    bench.finish(std::move(exchange));
    EXPECT_FALSE(bench.has_idle());
}

TEST(Pool, BytesAfterTheResponseCloseTheConnection) {
    Bench bench;
    const Peer backend = bench.exchange_once(std::string(Bench::ok) + "HTTP/1.1 200 more");
    EXPECT_FALSE(bench.has_idle());
}

TEST(Pool, AnIncompleteRequestClosesTheConnection) {
    Bench bench;
    Body body(bench.budget);
    body.complete = false;
    auto exchange = bench.open();
    ASSERT_EQ(*bench.send(*exchange, Bench::get, body), Step::starved);
    const Peer backend = bench.door.accept();
    backend.send(Bench::ok);
    EXPECT_EQ(bench.read(*exchange).body, "hi");
    bench.finish(std::move(exchange));
    EXPECT_FALSE(bench.has_idle());
}

TEST(Pool, AConnectionThatTheBackendHasClosedIsNotKept) {
    Bench bench;
    auto exchange = bench.open();
    ASSERT_TRUE(bench.send(*exchange));
    Peer backend = bench.door.accept();
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send(Bench::ok);
    backend.close();
    net::catch_up(bench.loop);
    EXPECT_EQ(bench.read(*exchange).body, "hi");
    bench.finish(std::move(exchange));
    EXPECT_FALSE(bench.has_idle());
}

TEST(Pool, AnExchangeThatDidNothingIsNotKept) {
    Bench bench;
    const Peer backend = bench.exchange_once(Bench::ok);
    bench.finish(bench.open());
    EXPECT_FALSE(bench.has_idle());
}

// ── while idle ──

TEST(Pool, AnIdleConnectionThatTheBackendClosesIsDropped) {
    Bench bench;
    Peer backend = bench.exchange_once(Bench::ok);
    backend.close();
    net::catch_up(bench.loop);
    EXPECT_FALSE(bench.has_idle());
}

TEST(Pool, AnIdleConnectionWithUnaskedBytesIsDropped) {
    Bench bench;
    const Peer backend = bench.exchange_once(Bench::ok);
    backend.send("HTTP/1.1 408 Request Timeout\r\n\r\n");
    net::catch_up(bench.loop);
    EXPECT_FALSE(bench.has_idle());
    EXPECT_TRUE(closed(bench, backend));
}

TEST(Pool, ACarefulCheckSeesWhatTheLoopHasNotReportedYet) {
    Bench closing(proven_by(0)), talking(proven_by(0));
    Peer gone = closing.exchange_once(Bench::ok);
    gone.close();
    EXPECT_FALSE(closing.has_idle(true));
    const Peer backend = talking.exchange_once(Bench::ok);
    backend.send("H");
    EXPECT_FALSE(talking.has_idle(true));
}

TEST(Pool, ACarefulCheckKeepsAGoodConnection) {
    Bench bench(proven_by(0));
    const Peer backend = bench.exchange_once(Bench::ok);
    EXPECT_TRUE(bench.has_idle(true));
}

TEST(Pool, AfterAStaleConnectionTheNextIsUsed) {
    Bench bench;
    const Peer good = bench.exchange_once(Bench::ok);
    Peer stale = bench.exchange_once(Bench::ok);
    stale.close();
    net::catch_up(bench.loop);
    auto exchange = bench.open();
    ASSERT_TRUE(exchange->connected());
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_EQ(good.receive(), Bench::get);
}

TEST(Pool, AfterAStaleConnectionAnUnrepeatableRequestGetsANewOne) {
    Bench bench(proven_by(0));
    const Peer good = bench.exchange_once(Bench::ok);
    Peer stale = bench.exchange_once(Bench::ok);
    stale.close();
    EXPECT_FALSE(bench.has_idle(true));
    EXPECT_TRUE(bench.has_idle() || closed(bench, good));
}

TEST(Pool, AnIdleConnectionIsClosedInTime) {
    Bench bench(with<Duration>(&UpstreamSettings::idle_timeout, 30ms));
    const Time begin = monotonic_now();
    const Peer backend = bench.exchange_once(Bench::ok);
    EXPECT_TRUE(closed(bench, backend));
    EXPECT_GE(monotonic_now() - begin, 25ms);
    EXPECT_FALSE(bench.has_idle());
}

TEST(Pool, TheTimeoutCountsIdleTimeNotAge) {
    Bench bench(with<Duration>(&UpstreamSettings::idle_timeout, 200ms));
    const Peer backend = bench.exchange_once(Bench::ok);
    auto exchange = bench.open();
    const Time late = monotonic_now() + 300ms;
    (void)run_until(bench.loop, [&] { return monotonic_now() >= late; });
    EXPECT_TRUE(still_open(backend));
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send(Bench::ok);
    EXPECT_EQ(bench.read(*exchange).body, "hi");
    bench.finish(std::move(exchange));
    EXPECT_TRUE(bench.has_idle());
}

std::string told(const std::string& keep_alive) {
    return "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: " + keep_alive + "\r\n\r\nhi";
}

TEST(Pool, ClosesOneSecondBeforeTheBackendWould) {
    Bench bench(with<Duration>(&UpstreamSettings::idle_timeout, 20s));
    const Time begin = monotonic_now();
    const Peer backend = bench.exchange_once(told("timeout=2, max=100"));
    EXPECT_TRUE(closed(bench, backend));
    EXPECT_GE(monotonic_now() - begin, 950ms);
    EXPECT_LT(monotonic_now() - begin, 10s);
}

TEST(Pool, DoesNotKeepAConnectionThatTheBackendIsAboutToClose) {
    Bench bench(with<Duration>(&UpstreamSettings::idle_timeout, 20s));
    const Peer backend = bench.exchange_once(told("timeout=1"));
    EXPECT_FALSE(bench.has_idle());
}

TEST(Pool, ALongTimeoutOfTheBackendDoesNotProlongOurs) {
    Bench bench(with<Duration>(&UpstreamSettings::idle_timeout, 30ms));
    const Peer backend = bench.exchange_once(told("timeout=100"));
    EXPECT_TRUE(closed(bench, backend));
}

// ── a backend that the config no longer names ──

TEST(Pool, RetiringClosesIdleConnections) {
    Bench bench;
    const Peer a = bench.exchange_once(Bench::ok), b = bench.exchange_once(Bench::ok);
    bench.upstream->retire(bench.loop);
    EXPECT_TRUE(closed(bench, a));
    EXPECT_TRUE(closed(bench, b));
}

TEST(Pool, RetiringLetsARequestEndAndThenClosesItsConnection) {
    Bench bench;
    auto [exchange, backend] = bench.run();
    bench.upstream->retire(bench.loop);
    backend.send(Bench::ok);
    EXPECT_EQ(bench.read(*exchange).body, "hi");
    bench.finish(std::move(exchange));
    EXPECT_TRUE(closed(bench, backend));
}

TEST(Pool, EndsWithItsUpstream) {
    Bench bench;
    const Peer backend = bench.exchange_once(Bench::ok);
    const std::weak_ptr<PooledUpstream> gone = bench.upstream;
    bench.upstream.reset();
    EXPECT_TRUE(gone.expired());  // an idle connection does not keep the upstream alive
    EXPECT_TRUE(closed(bench, backend));
}

TEST(Pool, AnExchangeKeepsItsUpstream) {
    Bench bench;
    auto exchange = bench.open();
    bench.upstream.reset();
    ASSERT_TRUE(bench.send(*exchange));
    const Peer backend = bench.door.accept();
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send(Bench::ok);
    EXPECT_EQ(bench.read(*exchange).body, "hi");
    bench.finish(std::move(exchange));
    EXPECT_TRUE(closed(bench, backend));
}

}  // namespace
}  // namespace ticketgate
