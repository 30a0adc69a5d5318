// Calls that fail though the connection stands, as for want of the system's memory: no end of it.
#include <cerrno>
#include <memory>

#include "../../support/failing_calls.hpp"
#include "sockets.hpp"

namespace ticketgate::net {
namespace {

using test::FailingCalls;

class Shortage : public testing::TestWithParam<int> {
 protected:
    explicit Shortage(std::pair<int, int> ends = tcp_pair())
        : stream(std::make_unique<SocketStream>(loop, ends.first)), peer(ends.second) {
        stream->observe(&ear);
        loop.on_pause([this](int error) {
            ++pauses;
            told = error;
        });
        catch_up(loop);
    }
    IoResult write(std::string_view text) {
        const iovec piece{const_cast<char*>(text.data()), text.size()};
        return stream->write_some({&piece, 1});
    }
    IoResult read() {
        bytes.assign(64, 0);
        const IoResult got = stream->read_some(bytes);
        bytes.resize(got.bytes);
        return got;
    }
    bool heard_more() {
        const int before = ear.heard;
        return run_until(loop, [&] { return ear.heard > before; });
    }

    Loop loop{0};
    Ear ear;
    std::unique_ptr<SocketStream> stream;
    Peer peer;
    std::string bytes;
    int pauses = 0, told = 0;
};

TEST_P(Shortage, AWriteIsTriedAgain) {
    {
        const FailingCalls shortage("send", GetParam());
        EXPECT_EQ(write("hello").status, Io::blocked);
        EXPECT_FALSE(stream->writable());
        EXPECT_EQ(stream->stalled(), GetParam());
        EXPECT_EQ(told, GetParam());
    }
    ASSERT_TRUE(heard_more()) << "no event of the system tells";
    EXPECT_TRUE(stream->writable());
    EXPECT_EQ(write("hello").bytes, 5u);
    EXPECT_EQ(peer.receive(), "hello");
    EXPECT_EQ(stream->stalled(), 0);
    EXPECT_FALSE(stream->given_up());
}

TEST_P(Shortage, AReadIsTriedAgain) {
    peer.send("hello");
    peer.finish();
    ASSERT_TRUE(run_until(loop, [&] { return stream->fin(); }));
    {
        const FailingCalls shortage("recv", GetParam());
        EXPECT_EQ(read().status, Io::blocked);
        EXPECT_EQ(stream->stalled(), GetParam());
    }
    ASSERT_TRUE(heard_more());
    EXPECT_EQ(read().status, Io::ok);
    EXPECT_EQ(bytes, "hello");
    EXPECT_EQ(read().status, Io::ended);
    EXPECT_FALSE(stream->given_up());
}

TEST_P(Shortage, OneThatLastsCostsFewTries) {
    const FailingCalls shortage("send", GetParam());
    while (shortage.failed() < 5) {
        const int tries = ear.heard;
        EXPECT_EQ(write("hello").status, Io::blocked);
        ASSERT_TRUE(heard_more());
        EXPECT_EQ(ear.heard, tries + 1);
    }
    EXPECT_EQ(pauses, 5) << "no circle without a pause";
}

TEST_P(Shortage, OneOnAnotherLoopIsTriedAgainThere) {
    Loop other{1};
    {
        const FailingCalls shortage("send", GetParam());
        EXPECT_EQ(write("hello").status, Io::blocked);
        stream->detach();
        stream->attach(other);
        catch_up(other);
        EXPECT_EQ(write("hello").status, Io::blocked) << "the other loop has its own pause";
    }
    ASSERT_TRUE(run_until(other, [&] { return stream->writable(); }));
    EXPECT_EQ(write("hello").bytes, 5u);
    loop.run_once(Duration{0});
    stream.reset();
}

// Another look at an idle connection would take it for one that the peer has written to.
TEST_P(Shortage, AReadThatSucceededIsNotTriedAgain) {
    peer.send("hello");
    ASSERT_TRUE(run_until(loop, [&] { return stream->readable(); }));
    {
        const FailingCalls shortage("recv", GetParam());
        EXPECT_EQ(read().status, Io::blocked);
    }
    peer.send("hello");  // an event comes before the end of the pause
    ASSERT_TRUE(run_until(loop, [&] { return stream->readable(); }));
    EXPECT_EQ(read().bytes, 10u);
    ASSERT_TRUE(run_until(loop, [&] { return !loop.next_deadline(); })) << "the pause is over";
    EXPECT_FALSE(stream->readable());
}

INSTANTIATE_TEST_SUITE_P(Errors, Shortage, testing::Values(ENOBUFS, ENOMEM, EINTR));

class Unexplained : public Shortage {};

// Nobody knows when it could succeed: its user ends what it has begun.
TEST_P(Unexplained, AWriteFailsAndTheConnectionIsStillHeard) {
    {
        const FailingCalls failing("send", GetParam());
        const IoResult written = write("hello");
        EXPECT_EQ(written.status, Io::failed);
        EXPECT_EQ(written.error, GetParam());
    }
    EXPECT_FALSE(stream->given_up());
    stream->finish_writing();
    EXPECT_EQ(peer.receive(), "");
    peer.send("bye");
    ASSERT_TRUE(run_until(loop, [&] { return stream->readable(); }));
    EXPECT_EQ(read().status, Io::ok);
    peer.close();
    ASSERT_TRUE(run_until(loop, [&] { return stream->fin(); }));
    EXPECT_EQ(read().status, Io::ended);
    EXPECT_FALSE(stream->given_up());
}

TEST_P(Unexplained, AReadIsTriedAgainAsLongAsTheConnectionStands) {
    peer.send("hello");
    ASSERT_TRUE(run_until(loop, [&] { return stream->readable(); }));
    {
        const FailingCalls failing("recv", GetParam());
        EXPECT_EQ(read().status, Io::blocked);
    }
    ASSERT_TRUE(heard_more());
    EXPECT_EQ(read().status, Io::ok);
}

// It hangs up, since both sides have ended, and not because this machine gave it up.
TEST_P(Unexplained, AReadBehindBothEndsLeavesThePeersEnd) {
    peer.finish();
    ASSERT_TRUE(run_until(loop, [&] { return stream->readable(); }));
    EXPECT_EQ(read().status, Io::ended);
    stream->finish_writing();
    {
        const FailingCalls failing("recv", GetParam());
        EXPECT_EQ(read().status, Io::failed);
    }
    EXPECT_FALSE(stream->given_up());
}

INSTANTIATE_TEST_SUITE_P(Errors, Unexplained, testing::Values(EACCES, EPERM, EIO));

}  // namespace
}  // namespace ticketgate::net
