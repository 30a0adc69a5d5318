// The written bytes that the peer has not taken, as the kernel reports them.
#include <gtest/gtest.h>

#include "net/stream.hpp"
#include "sockets.hpp"

namespace ticketgate::net {
namespace {

TEST(Backlog, ShrinksAsThePeerTakesIt) {
    for (const bool tcp : {true, false}) {
        Loop loop{0};
        const auto [ours, theirs] = tcp ? tcp_pair() : unix_pair();
        SocketStream stream(loop, ours);
        const Peer peer(theirs);
        EXPECT_EQ(stream.backlog(), 0u);
        std::string much(1 << 16, 'x');
        const iovec piece{much.data(), much.size()};
        std::size_t written = 0, taken = 0;
        for (IoResult got; got.status == Io::ok; written += got.bytes)
            got = stream.write_some({&piece, 1});
        EXPECT_GT(stream.backlog(), 0u) << tcp;
        while (taken < written) taken += peer.receive().size();
        EXPECT_TRUE(run_until(loop, [&] { return stream.backlog() == 0; })) << tcp;
    }
}

}  // namespace
}  // namespace ticketgate::net
