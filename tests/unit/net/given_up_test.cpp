// Who ended a connection: the peer, or this machine, which gave it up.
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

#include "net/stream.hpp"
#include "sockets.hpp"

namespace ticketgate::net {
namespace {

struct Line {
    explicit Line(std::pair<int, int> ends = tcp_pair())
        : stream(loop, ends.first), peer(ends.second) {
        catch_up(loop);
    }
    Loop loop{0};
    SocketStream stream;
    Peer peer;
};

// A peer that takes nothing, for longer than the socket's own limit.
TEST(LostConnection, AConnectionThatThisMachineGivesUpHasNotEnded) {
    Line line;
    const int limit_ms = 20;
    ASSERT_EQ(setsockopt(line.stream.descriptor(), IPPROTO_TCP, TCP_USER_TIMEOUT, &limit_ms,
                         sizeof(limit_ms)),
              0);
    const std::string much(1 << 20, 'x');
    const iovec piece{const_cast<char*>(much.data()), much.size()};
    while (line.stream.write_some({&piece, 1}).status == Io::ok) catch_up(line.loop);
    ASSERT_TRUE(run_until(line.loop, [&] { return line.stream.broken(); }));
    for (int i = 0; i < 2; ++i) {
        std::array<char, 16> bytes;
        const IoResult got = line.stream.read_some(bytes);
        EXPECT_EQ(got.status, Io::failed) << "never an end";
        EXPECT_EQ(got.error, ETIMEDOUT);
        EXPECT_TRUE(line.stream.given_up());
        EXPECT_FALSE(line.stream.over());
    }
}

TEST(LostConnection, InsistsOnThePeersWordByProbes) {
    Line line;
    line.stream.insist();
    const auto option = [&](int level, int name) {
        int value = 0;
        socklen_t size = sizeof(value);
        EXPECT_EQ(getsockopt(line.stream.descriptor(), level, name, &value, &size), 0);
        return value;
    };
    EXPECT_EQ(option(SOL_SOCKET, SO_KEEPALIVE), 1);
    EXPECT_LE(option(IPPROTO_TCP, TCP_KEEPIDLE), 60);
    EXPECT_LE(option(IPPROTO_TCP, TCP_KEEPINTVL), 60);
    EXPECT_GT(option(IPPROTO_TCP, TCP_USER_TIMEOUT), 7 * 24 * 3600 * 1000) << "a week at least";
}

}  // namespace
}  // namespace ticketgate::net
