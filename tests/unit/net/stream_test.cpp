// A socket as a stream that never blocks: the result of each step, and the events it notices.
#include "net/stream.hpp"

#include <cerrno>
#include <memory>
#include <vector>

#include "sockets.hpp"

namespace ticketgate::net {
namespace {

struct Line {
    explicit Line(bool tcp = false) : Line(tcp ? tcp_pair() : unix_pair()) {}
    explicit Line(std::pair<int, int> ends)
        : stream(std::make_unique<SocketStream>(loop, ends.first)), peer(ends.second) {
        stream->observe(&ear);
        catch_up(loop);
        ear.heard = 0;
    }

    IoResult read(std::size_t room = 1 << 16) {
        bytes.assign(room, 0);
        const IoResult got = stream->read_some(bytes);
        bytes.resize(got.bytes);
        return got;
    }
    IoResult write(std::string_view text) {
        const iovec piece{const_cast<char*>(text.data()), text.size()};
        return stream->write_some({&piece, 1});
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
};

class StreamTest : public testing::TestWithParam<bool> {
 protected:
    Line line{GetParam()};
};

TEST_P(StreamTest, AReadWithoutBytesIsBlocked) {
    EXPECT_FALSE(line.stream->readable());
    EXPECT_EQ(line.read().status, Io::blocked);
    EXPECT_TRUE(line.stream->writable());
}

TEST_P(StreamTest, NewBytesNotifyTheObserver) {
    line.peer.send("hello");
    ASSERT_TRUE(line.heard_more());
    EXPECT_TRUE(line.stream->readable());
    EXPECT_EQ(line.read().status, Io::ok);
    EXPECT_EQ(line.bytes, "hello");
    EXPECT_EQ(line.read().status, Io::blocked);
    line.peer.send("again");
    ASSERT_TRUE(line.heard_more());
    EXPECT_EQ(line.read().bytes, 5u);
}

TEST_P(StreamTest, AFullBufferIsNotTheEnd) {
    line.peer.send("abcdefgh");
    ASSERT_TRUE(line.heard_more());
    std::string all;
    for (int i = 0; i < 4; ++i) {
        ASSERT_EQ(line.read(2).status, Io::ok);
        all += line.bytes;
    }
    EXPECT_EQ(all, "abcdefgh");
    EXPECT_EQ(line.read(2).status, Io::blocked);
    EXPECT_FALSE(line.stream->readable());
}

TEST_P(StreamTest, AnEndIsSeenBeforeAndAfterTheBytes) {
    line.peer.send("last");
    line.peer.finish();
    ASSERT_TRUE(run_until(line.loop, [&] { return line.stream->fin(); }));
    EXPECT_FALSE(line.stream->broken());
    EXPECT_EQ(line.read().status, Io::ok);
    EXPECT_EQ(line.bytes, "last");
    EXPECT_EQ(line.read().status, Io::ended);
    EXPECT_EQ(line.read().status, Io::ended);
}

TEST_P(StreamTest, AnEndAfterTheBytesNotifiesTheObserver) {
    line.peer.send("last");
    ASSERT_TRUE(line.heard_more());
    EXPECT_EQ(line.read().bytes, 4u);
    line.peer.finish();
    ASSERT_TRUE(line.heard_more());
    EXPECT_TRUE(line.stream->fin());
    EXPECT_EQ(line.read().status, Io::ended);
}

TEST_P(StreamTest, AHalfClosedPeerStillGetsItsAnswer) {
    line.peer.finish();
    ASSERT_TRUE(run_until(line.loop, [&] { return line.stream->fin(); }));
    EXPECT_EQ(line.write("answer").bytes, 6u);
    EXPECT_EQ(line.peer.receive(), "answer");
}

TEST_P(StreamTest, FinishingEndsOneDirectionOnly) {
    line.stream->finish_writing();
    EXPECT_EQ(line.peer.receive(), "");
    line.peer.send("still");
    ASSERT_TRUE(run_until(line.loop, [&] { return line.stream->readable(); }));
    EXPECT_EQ(line.read().status, Io::ok);
    EXPECT_EQ(line.bytes, "still");
}

TEST_P(StreamTest, WritingBlocksWhenThePeerStopsReading) {
    const std::string block(100'000, 'x');
    std::size_t sent = 0, received = 0;
    while (line.stream->writable()) {
        sent += line.write(block).bytes;
        catch_up(line.loop);  // gives the stream its next turn
    }
    EXPECT_EQ(line.write("y").status, Io::blocked);
    EXPECT_GT(sent, 0u);
    line.ear.heard = 0;
    while (received < sent) received += line.peer.receive().size();
    ASSERT_TRUE(run_until(line.loop, [&] { return line.stream->writable(); }));
    EXPECT_GT(line.ear.heard, 0);
    EXPECT_EQ(line.write("y").bytes, 1u);
    EXPECT_EQ(line.peer.receive(), "y");
    EXPECT_EQ(received, sent);
}

TEST_P(StreamTest, PiecesGoOutInOrder) {
    const std::string a = "one ", b = "", c = "two";
    const auto piece = [](const std::string& s) {
        return iovec{const_cast<char*>(s.data()), s.size()};
    };
    const iovec pieces[] = {piece(a), piece(b), piece(c)};
    EXPECT_EQ(line.stream->write_some(pieces).bytes, 7u);
    EXPECT_EQ(line.peer.receive(), "one two");
}

TEST_P(StreamTest, AnyNumberOfPiecesGoesOut) {
    for (const std::size_t count : {1023u, 1024u, 1025u, 5000u}) {
        const std::string bytes(count, 'x');
        std::vector<iovec> pieces;
        for (const char& c : bytes) pieces.push_back({const_cast<char*>(&c), 1});
        catch_up(line.loop);
        EXPECT_EQ(line.stream->write_some(pieces).bytes, count);
        EXPECT_EQ(line.peer.receive().size(), count);
    }
}

// A peer as fast as we are must not keep the loop from its other connections.
TEST_P(StreamTest, ReadsAndWritesALimitedAmountInOneTurn) {
    line.peer.send(std::string(1000, 'x'));
    ASSERT_TRUE(line.heard_more());
    int turns = 0, got = 0;
    for (; got < 1000; ++turns) {
        while (line.read(1).status == Io::ok) ++got;
        if (got == 1000) break;
        ASSERT_TRUE(line.heard_more());
    }
    EXPECT_EQ(got, 1000);
    EXPECT_GT(turns, 5);

    int sent = 0;
    while (line.write("y").status == Io::ok) ++sent;
    EXPECT_LT(sent, 200);
    EXPECT_TRUE(line.stream->writable());
    ASSERT_TRUE(line.heard_more());
    EXPECT_EQ(line.write("y").status, Io::ok);
    while (line.write("y").status == Io::ok) {
    }
    line.stream->hurry();
    EXPECT_EQ(line.write("the end").bytes, 7u);
}

TEST_P(StreamTest, WritingToAClosedPeerFails) {
    line.peer.close();
    IoResult result;
    for (int i = 0; i < 100 && result.status == Io::ok; ++i) {
        result = line.write("x");
        catch_up(line.loop);
    }
    EXPECT_EQ(result.status, Io::failed);
    EXPECT_TRUE(result.error == EPIPE || result.error == ECONNRESET) << result.error;
    EXPECT_TRUE(line.stream->broken());
}

TEST_P(StreamTest, WithoutAnObserverItsStateIsStillKept) {
    line.stream->observe(nullptr);
    line.peer.send("x");
    line.peer.finish();
    ASSERT_TRUE(run_until(line.loop, [&] { return line.stream->fin(); }));
    EXPECT_TRUE(line.stream->readable());
    EXPECT_EQ(line.ear.heard, 0);
}

TEST_P(StreamTest, BytesThatArriveBetweenTwoLoopsNotifyTheObserver) {
    Loop other(1);
    line.stream->observe(nullptr);
    line.stream->detach();
    line.peer.send("meanwhile");
    line.stream->attach(other);
    line.stream->observe(&line.ear);
    ASSERT_TRUE(run_until(other, [&] { return line.stream->readable(); }));
    EXPECT_GT(line.ear.heard, 0);
    EXPECT_EQ(line.read().status, Io::ok);
    EXPECT_EQ(line.bytes, "meanwhile");
    line.stream.reset();
}

TEST_P(StreamTest, BytesNotifiedBeforeAMoveAreReadableAfterIt) {
    line.peer.send("before");
    ASSERT_TRUE(line.heard_more());
    Loop other(1);
    line.stream->detach();
    line.stream->attach(other);
    EXPECT_TRUE(line.stream->readable());
    EXPECT_EQ(line.read().status, Io::ok);
    EXPECT_EQ(line.bytes, "before");
    line.stream.reset();
}

TEST_P(StreamTest, AnEndBetweenTwoLoopsNotifiesTheObserver) {
    Loop other(1);
    line.stream->detach();
    line.peer.finish();
    line.stream->attach(other);
    EXPECT_TRUE(run_until(other, [&] { return line.stream->fin(); }));
    line.stream.reset();
}

TEST_P(StreamTest, AStaleConnectionIsSeenWithoutAnEvent) {
    EXPECT_FALSE(line.stream->stale());
    line.peer.send("unasked");
    EXPECT_TRUE(line.stream->stale());
    catch_up(line.loop);
    EXPECT_TRUE(line.stream->stale());
}

TEST_P(StreamTest, AClosedConnectionIsStale) {
    line.peer.close();
    EXPECT_TRUE(line.stream->stale());
}

TEST_P(StreamTest, ALookSeesAnEndWithoutAnEvent) {
    line.stream->look();
    EXPECT_FALSE(line.stream->fin());
    line.peer.send("unread");
    line.stream->look();
    EXPECT_FALSE(line.stream->fin());  // bytes are not an end
    line.peer.finish();
    line.stream->look();
    EXPECT_TRUE(line.stream->fin());
    EXPECT_FALSE(line.stream->broken());
    EXPECT_EQ(line.read().bytes, 6u);
}

INSTANTIATE_TEST_SUITE_P(Of, StreamTest, testing::Values(false, true),
                         [](const auto& param) { return param.param ? "Tcp" : "Unix"; });

TEST(TcpStream, AResetNotifiesTheObserver) {
    Line line(true);
    line.peer.reset();
    ASSERT_TRUE(run_until(line.loop, [&] { return line.stream->broken(); }));
    EXPECT_GT(line.ear.heard, 0);
    const IoResult got = line.read();
    EXPECT_EQ(got.status, Io::failed);
    EXPECT_EQ(got.error, ECONNRESET);
    EXPECT_TRUE(line.stream->over()) << "the peer's word";
}

TEST(TcpStream, ALookSeesAReset) {
    Line line(true);
    line.peer.reset();
    line.stream->look();
    EXPECT_TRUE(line.stream->broken());
}

TEST(TcpStream, AFinIsNotAReset) {
    Line line(true);
    line.peer.close();  // with nothing unread: FIN
    ASSERT_TRUE(run_until(line.loop, [&] { return line.stream->fin(); }));
    EXPECT_FALSE(line.stream->broken());
}

TEST(TcpStream, AbortingSendsAResetInsteadOfAnEnd) {
    Line line(true);
    line.stream->abort_on_close();
    line.stream.reset();
    char byte = 0;
    EXPECT_EQ(::recv(line.peer.descriptor(), &byte, 1, 0), -1);
    EXPECT_EQ(errno, ECONNRESET);
}

// ── connecting ──

TEST(Connecting, IsBlockedUntilTheConnectionStands) {
    Loop loop(0);
    const Door door;
    int error = 0;
    Ear ear;
    const auto stream = SocketStream::connect(loop, door.at(), error);
    ASSERT_NE(stream, nullptr);
    stream->observe(&ear);
    EXPECT_EQ(stream->connected().status, Io::blocked);
    EXPECT_FALSE(stream->writable());
    ASSERT_TRUE(run_until(loop, [&] { return stream->connected().status == Io::ok; }));
    EXPECT_GT(ear.heard, 0);
    const std::string text = "hello";
    const iovec piece{const_cast<char*>(text.data()), text.size()};
    EXPECT_EQ(stream->write_some({&piece, 1}).bytes, 5u);
    EXPECT_EQ(door.accept().receive(), "hello");
    EXPECT_EQ(stream->connected().status, Io::ok);
}

TEST(Connecting, RefusalIsAFailure) {
    Loop loop(0);
    Door door;
    door.close();
    int error = 0;
    IoResult state{Io::failed, 0, 0};
    const auto stream = SocketStream::connect(loop, door.at(), error);
    if (stream != nullptr) {
        const auto decided = [&] { return (state = stream->connected()).status != Io::blocked; };
        ASSERT_TRUE(run_until(loop, decided));
        error = state.error;
    }
    EXPECT_EQ(state.status, Io::failed);
    EXPECT_EQ(error, ECONNREFUSED);
}

TEST(Connecting, ToAMissingUnixSocketFailsAtOnce) {
    Loop loop(0);
    int error = 0;
    const auto at = *Endpoint::from_unix(testing::TempDir() + "ticketgate-nobody.sock");
    EXPECT_EQ(SocketStream::connect(loop, at, error), nullptr);
    EXPECT_EQ(error, ENOENT);
}

// ── edge-triggered events and short reads: no byte is missed ──

TEST(TcpStream, EveryByteArrivesHoweverItIsCut) {
    for (const std::size_t room : {1u, 3u, 7u, 64u, 4096u}) {
        Line line(true);
        std::string sent, received;
        for (int i = 0; i < 200; ++i) {
            const std::string part(static_cast<std::size_t>(1 + i * 7 % 50), char('a' + i % 26));
            line.peer.send(part);
            sent += part;
            if (i % 3 != 0) continue;
            catch_up(line.loop);
            while (line.read(room).status == Io::ok) received += line.bytes;
        }
        line.peer.close();
        IoResult last;
        const auto ended = [&] {
            while ((last = line.read(room)).status == Io::ok) received += line.bytes;
            return last.status != Io::blocked;
        };
        ASSERT_TRUE(run_until(line.loop, ended)) << room;
        EXPECT_EQ(last.status, Io::ended);
        EXPECT_EQ(received, sent) << room;
    }
}

struct Deaf final : Pollable {
    void on_events(std::uint32_t) override {}
};

// epoll refuses a descriptor that it has already. Here this simulates epoll without memory.
TEST(ASocketThatTheLoopCannotWatch, IsBrokenFromTheStart) {
    Loop loop(0);
    Deaf first;
    const auto [near, far] = unix_pair();
    Peer peer(far);
    ASSERT_TRUE(loop.add(first, near, 0));
    SocketStream stream(loop, near);
    EXPECT_EQ(errno, EEXIST);
    EXPECT_TRUE(stream.broken());
    Ear ear;
    stream.observe(&ear);
    catch_up(loop);
    EXPECT_EQ(ear.heard, 1);
    char byte = 0;
    EXPECT_EQ(stream.read_some({&byte, 1}).status, Io::ended);
    const iovec piece{&byte, 1};
    EXPECT_EQ(stream.write_some({&piece, 1}).status, Io::failed);
    EXPECT_EQ(peer.receive(), "") << "its peer sees an end";
}

TEST(ASocketThatTheLoopCannotWatch, IsBrokenAfterItsMoveToThatLoop) {
    Loop here(0), there(1);
    Deaf first;
    const auto [near, far] = unix_pair();
    Peer peer(far);
    SocketStream stream(here, near);
    Ear ear;
    stream.observe(&ear);
    catch_up(here);
    ear.heard = 0;
    ASSERT_TRUE(there.add(first, near, 0));
    stream.detach();
    stream.attach(there);
    EXPECT_TRUE(stream.broken());
    catch_up(there);
    EXPECT_EQ(ear.heard, 1);
}

}  // namespace
}  // namespace ticketgate::net
