// Reuse of kept connections: after answers without a body, and for requests that must not be sent
// twice.
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <vector>

#include "bench.hpp"

namespace ticketgate {
namespace {

constexpr std::string_view no_content = "HTTP/1.1 204 No Content\r\n\r\n";
constexpr std::string_view not_modified = "HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n";

// ── answers without a body ──

/// An exchange whose request was HEAD.
Peer head_once(Bench& bench, std::string_view response) {
    auto exchange = bench.open(true);
    EXPECT_TRUE(bench.send(*exchange, "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"));
    Peer backend = bench.door.accept();
    EXPECT_NE(backend.receive(), "");
    backend.send(response);
    EXPECT_FALSE(bench.read(*exchange, true).failure);
    bench.finish(std::move(exchange));
    return backend;
}

// The pool knows the time at which the loop last woke: this thread may have stood still since then.
void rest(Bench& bench) {
    const Time rested = monotonic_now() + 260ms;
    (void)run_until(bench.loop, [&] { return bench.loop.woke() >= rested; });
}

TEST(Bodiless, AnAnswerToHeadIsTheLastOfItsConnection) {
    Bench bench;
    for (const std::string_view response :
         {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
          "HTTP/1.1 304 Not Modified\r\n\r\n"}) {
        const Peer backend = head_once(bench, response);
        EXPECT_TRUE(closed(bench, backend)) << response;
        EXPECT_FALSE(bench.has_idle());
    }
}

TEST(Bodiless, A304ThatTellsALengthIsTheLastOfItsConnection) {
    Bench bench;
    const Peer a = bench.exchange_once("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n");
    EXPECT_TRUE(closed(bench, a));
    const Peer b =
        bench.exchange_once("HTTP/1.1 304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n");
    EXPECT_TRUE(closed(bench, b));
}

TEST(Bodiless, AConnectionRestsAfterA204OrA304) {
    for (const auto response : {no_content, not_modified}) {
        Bench bench;
        const Peer backend = bench.exchange_once(response);
        EXPECT_FALSE(bench.has_idle()) << "bytes may be on their way";
        EXPECT_TRUE(still_open(backend));
        rest(bench);
        EXPECT_TRUE(bench.has_idle());
    }
}

TEST(Bodiless, LateBytesAreNotTakenForTheNextAnswer) {
    for (const auto response : {no_content, not_modified}) {
        Bench bench;
        const Peer late = bench.exchange_once(response);
        auto next = bench.open();
        ASSERT_FALSE(next->connected());
        ASSERT_TRUE(bench.send(*next));
        const Peer backend = bench.door.accept();
        late.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
        net::catch_up(bench.loop);
        EXPECT_TRUE(closed(bench, late));
        EXPECT_EQ(backend.receive(), Bench::get);
        backend.send(Bench::ok);
        EXPECT_EQ(bench.read(*next).body, "hi");
    }
}

// The backend's system sends the second small piece when the first one is acknowledged (Nagle).
// This machine delays that on a connection on which it has answered before.
TEST(Bodiless, BytesThatTheSystemHoldsBackEndTheConnectionWhileItRests) {
    for (const auto response : {no_content, not_modified}) {
        Bench bench;
        const Peer late = bench.exchange_once(Bench::ok);
        const int off = 0;
        ASSERT_EQ(::setsockopt(late.descriptor(), IPPROTO_TCP, TCP_NODELAY, &off, sizeof(off)), 0);
        const auto ask_again = [&](std::string_view answer, std::string_view behind) {
            auto exchange = bench.open();
            ASSERT_TRUE(exchange->connected());
            ASSERT_TRUE(bench.send(*exchange));
            EXPECT_EQ(late.receive(), Bench::get);
            late.send(answer);
            late.send(behind);
            EXPECT_FALSE(bench.read(*exchange).failure);
            bench.finish(std::move(exchange));
        };
        for (int i = 0; i < 5; ++i) ask_again(Bench::ok, "");
        ask_again(response, "evil");
        // Each look opens a connection, so there are not many.
        for (Time look = monotonic_now(), end = look + 260ms; look < end; look += 10ms) {
            (void)run_until(bench.loop, [look] { return monotonic_now() >= look; });
            ASSERT_FALSE(bench.has_idle());
        }
        EXPECT_TRUE(closed(bench, late));
    }
}

TEST(Bodiless, ARestingConnectionDoesNotHideAReadyOne) {
    Bench bench;
    const Peer ready = bench.exchange_once(Bench::ok), resting = bench.exchange_once(no_content);
    auto exchange = bench.open();
    ASSERT_TRUE(exchange->connected());
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_EQ(ready.receive(), Bench::get);
    EXPECT_FALSE(bench.has_idle());
}

// A small backend has a worker for each of few connections: a request that finds none would wait
// for the end of one that rests.
TEST(Bodiless, AFewConnectionsRestAndLaterOnesReplaceOthers) {
    Bench bench;
    std::vector<Peer> peers;
    for (int i = 0; i < 12; ++i) {
        (void)bench.open();  // as each request does first
        peers.push_back(bench.exchange_once(no_content));
    }
    net::catch_up(bench.loop);
    EXPECT_LE(std::ranges::count_if(peers, [](const Peer& peer) { return still_open(peer); }), 5);
}

// ── backends that send more than they announced ──

// Like PHP that sends Content-Length, calls readfile(), and then prints a footer as well.
void expect_rest(Bench& bench) {
    EXPECT_EQ(bench.upstream->failures.told().count, 1u) << "the operator sees it";
    const Peer next = bench.exchange_once(Bench::ok);
    EXPECT_FALSE(bench.has_idle()) << "more may be on its way";
    EXPECT_TRUE(still_open(next));
    rest(bench);
    EXPECT_TRUE(bench.has_idle());
}

TEST(Overrun, BytesAfterTheAnswerMakeConnectionsRest) {
    Bench bench;
    const Peer backend =
        bench.exchange_once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi<footer>");
    EXPECT_TRUE(closed(bench, backend));
    expect_rest(bench);
}

TEST(Overrun, BytesOnAnIdleConnectionMakeOthersRest) {
    Bench bench;
    const Peer backend = bench.exchange_once(Bench::ok);
    backend.send("<footer>");
    net::catch_up(bench.loop);
    EXPECT_TRUE(closed(bench, backend));
    expect_rest(bench);
}

TEST(Overrun, BytesInPlaceOfTheNextAnswerMakeOthersRest) {
    Bench bench;
    const Peer backend = bench.exchange_once(Bench::ok);
    auto next = bench.open();
    ASSERT_TRUE(bench.send(*next));
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send("<footer>\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_EQ(bench.read(*next).failure, errc::upstream_bad_response);
    next.reset();
    expect_rest(bench);
}

TEST(Overrun, BytesBeforeACloseAreNoOverrun) {
    Bench bench;
    Peer backend = bench.exchange_once(Bench::ok);
    backend.send("HTTP/1.1 408 Request Timeout\r\n\r\n");
    backend.close();
    net::catch_up(bench.loop);
    const Peer next = bench.exchange_once(Bench::ok);
    EXPECT_TRUE(bench.has_idle());
}

// ── a check that is out of date ──

TEST(Pool, AnOutdatedCheckDoesNotCount) {
    Bench bench;
    const Peer backend = bench.exchange_once(Bench::ok);
    backend.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil");
    const Time later = monotonic_now() + 2ms;
    while (monotonic_now() < later) {
    }
    EXPECT_FALSE(bench.has_idle()) << "no turn of the loop has told of these bytes";
}

// ── requests that must not be sent twice ──

/// Gets one more answer over the kept connection to this peer.
void reuse(Bench& bench, const Peer& backend) {
    auto exchange = bench.open();
    ASSERT_TRUE(exchange->connected());
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send(Bench::ok);
    EXPECT_EQ(bench.read(*exchange).body, "hi");
    bench.finish(std::move(exchange));
}

TEST(Unrepeatable, GetsAConnectionOfItsOwnUntilTheBackendIsProven) {
    Bench bench(proven_by(2));
    const Peer first = bench.exchange_once(Bench::ok);
    reuse(bench, first);
    EXPECT_FALSE(bench.has_idle(true));
    const Peer second = bench.exchange_once(Bench::ok);
    reuse(bench, second);
    EXPECT_TRUE(bench.has_idle(true));
}

TEST(Unrepeatable, ItsNewConnectionReplacesAnIdleOne) {
    Bench bench(proven_by(1));
    const Peer older = bench.exchange_once(Bench::ok), newer = bench.exchange_once(Bench::ok);
    EXPECT_FALSE(bench.has_idle(true));
    EXPECT_TRUE(closed(bench, older));
    EXPECT_TRUE(still_open(newer));
}

TEST(Unrepeatable, AnUnannouncedCloseWhileIdleRevokes) {
    Bench bench(proven_by(1));
    Peer first = bench.exchange_once(Bench::ok);
    const Peer second = bench.exchange_once(Bench::ok);
    reuse(bench, second);
    first.close();
    net::catch_up(bench.loop);
    EXPECT_FALSE(bench.has_idle(true));
}

TEST(Unrepeatable, ACloseThatCrossedARequestRevokes) {
    Bench bench(proven_by(1));
    const Peer other = bench.exchange_once(Bench::ok);
    Peer backend = bench.exchange_once(Bench::ok);
    reuse(bench, backend);
    auto exchange = bench.open();
    ASSERT_TRUE(exchange->connected());
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.close();
    EXPECT_EQ(bench.read(*exchange).failure, errc::upstream_broke);
    exchange.reset();
    EXPECT_FALSE(bench.has_idle(true));
    EXPECT_FALSE(bench.has_idle(false)) << "another GET would be lost as well";
}

TEST(Unrepeatable, ACloseTogetherWithTheAnswerRevokes) {
    Bench bench(proven_by(1));
    const Peer good = bench.exchange_once(Bench::ok);
    reuse(bench, good);
    auto exchange = bench.open(true);
    ASSERT_TRUE(bench.send(*exchange));
    Peer backend = bench.door.accept();
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send(Bench::ok);
    backend.close();
    net::catch_up(bench.loop);
    EXPECT_EQ(bench.read(*exchange).body, "hi");
    bench.finish(std::move(exchange));
    EXPECT_FALSE(bench.has_idle(true));
}

TEST(Unrepeatable, AnAnnouncedCloseRevokesNothing) {
    Bench bench(proven_by(1));
    const Peer good = bench.exchange_once(Bench::ok);
    reuse(bench, good);
    Peer last =
        bench.exchange_once("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    last.close();
    net::catch_up(bench.loop);
    EXPECT_TRUE(bench.has_idle(true));
}

TEST(Unrepeatable, OurOwnIdleTimeoutRevokesNothing) {
    auto settings = proven_by(1);
    settings.idle_timeout = 30ms;
    Bench bench(settings);
    const Peer idle = bench.exchange_once(Bench::ok);
    EXPECT_TRUE(closed(bench, idle));
    const Peer good = bench.exchange_once(Bench::ok);
    reuse(bench, good);
    EXPECT_TRUE(bench.has_idle(true));
}

}  // namespace
}  // namespace ticketgate
