// The first bytes of the next request, sent ahead over a unix socket: what shows that they were
// read.
#include "bench.hpp"
#include "fcgi/record.hpp"
#include "upstream/fcgi_upstream.hpp"

namespace ticketgate {
namespace {

constexpr std::string_view first = "8 bytes.";

// An exchange over one end of a pair. The loop does not turn unless a test turns it: what a poll of
// all sockets would tell comes later than what the exchange asks itself.
struct Ahead {
    Ahead() {
        const auto [ours, theirs] = net::unix_pair();
        peer = std::make_unique<Peer>(theirs);
        Descriptor owned(ours);
        exchange = upstream->talk_over(bench.loop, net::SocketStream::take_over(bench.loop, owned));
        net::catch_up(bench.loop);
    }

    Bench bench;
    std::shared_ptr<FcgiUpstream> upstream = std::make_shared<FcgiUpstream>(
        with(&UpstreamSettings::host, std::string("127.0.0.1")), FcgiSettings(), bench.resolver, 1);
    std::unique_ptr<Peer> peer;
    std::unique_ptr<FcgiExchange> exchange;
};

TEST(SendAhead, IsDoneWhenThePeerHasReadIt) {
    Ahead at;
    EXPECT_EQ(*at.exchange->send_ahead(first), Step::blocked);
    EXPECT_EQ(at.peer->receive(), first);
    EXPECT_EQ(*at.exchange->send_ahead(first), Step::done);
}

// The system drops the unread bytes, and the queue of the sender is empty then.
TEST(SendAhead, IsNotDoneWhenThePeerHasClosedWithoutReadingIt) {
    Ahead at;
    EXPECT_EQ(*at.exchange->send_ahead(first), Step::blocked);
    at.peer->close();
    const auto step = at.exchange->send_ahead(first);
    ASSERT_FALSE(step);
    EXPECT_EQ(step.error(), errc::upstream_broke);
    EXPECT_TRUE(at.exchange->hung_up());
}

// A peer that has read it and then closes takes no request either.
TEST(SendAhead, IsNotDoneWhenThePeerHasReadItAndClosed) {
    Ahead at;
    EXPECT_EQ(*at.exchange->send_ahead(first), Step::blocked);
    EXPECT_EQ(at.peer->receive(), first);
    at.peer->close();
    EXPECT_FALSE(at.exchange->send_ahead(first));
}

// Then nobody has read anything of the request, and another peer may get it.
TEST(SendAhead, ToAPeerThatClosesAheadOfTheRequestLeavesThatUnsent) {
    Ahead at;
    EXPECT_EQ(*at.exchange->send_ahead(first), Step::blocked);
    EXPECT_EQ(at.peer->receive(), first);
    EXPECT_EQ(*at.exchange->send_ahead(first), Step::done);
    at.exchange->begin_again();
    at.peer->close();
    Body body(at.bench.budget);
    EXPECT_FALSE(at.exchange->send(std::string(first) + "the rest", body));
    EXPECT_TRUE(at.exchange->sent_nothing());
    EXPECT_TRUE(at.exchange->unwritable());
}

TEST(SendAhead, FailsWhenThePeerReadsNoMore) {
    Ahead at;
    ::shutdown(at.peer->descriptor(), SHUT_RD);
    EXPECT_FALSE(at.exchange->send_ahead(first));
    EXPECT_FALSE(at.exchange->kept());
    EXPECT_TRUE(at.exchange->unwritable());
}

}  // namespace
}  // namespace ticketgate
