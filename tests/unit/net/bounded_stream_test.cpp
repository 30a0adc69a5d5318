// What a peer can send that never stops, and always has something ready.
#include "net/bounded_stream.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <string>

namespace ticketgate::net {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

struct Pair {
    Pair() {
        asio::local::connect_pair(stream.next_layer().socket(), peer);
        asio::write(peer, asio::buffer(std::string(1000, 'x')));
    }

    struct Got {
        error_code error;
        std::size_t size = 0;
    };
    Got read(std::size_t most) {
        Got got;
        bool told = false;
        std::array<char, 1000> into;
        stream.async_read_some(asio::buffer(into, most), [&](error_code error, std::size_t size) {
            got = {error, size};
            told = true;
        });
        EXPECT_FALSE(told) << "a handler runs on its loop only";
        io.restart();
        io.run();
        EXPECT_TRUE(told);
        return got;
    }

    asio::io_context io;
    BoundedStream<boost::beast::basic_stream<Local>> stream{io};
    Local::socket peer{io};
};

TEST(BoundedStream, ReadsWhatThePeerMaySendAndNoByteMore) {
    Pair pair;
    pair.stream.bound(600, monotonic_now() + 1h);
    EXPECT_EQ(pair.read(400).size, 400u);
    EXPECT_EQ(pair.read(400).size, 200u);
    const auto third = pair.read(400);
    EXPECT_EQ(third.error, boost::system::errc::message_size);
    EXPECT_EQ(third.size, 0u);
}

TEST(BoundedStream, CountsAnew) {
    Pair pair;
    pair.stream.bound(100, monotonic_now() + 1h);
    EXPECT_EQ(pair.read(400).size, 100u);
    EXPECT_TRUE(pair.read(400).error);
    pair.stream.bound(1000, monotonic_now() + 1h);
    EXPECT_EQ(pair.read(900).size, 900u);
}

// Beast's timer would lose: the read completes at once.
TEST(BoundedStream, EndsAtTheDeadlineThoughBytesAreReady) {
    Pair pair;
    pair.stream.bound(1000, monotonic_now() + 1h);
    EXPECT_EQ(pair.read(100).size, 100u);
    pair.stream.bound(1000, monotonic_now());
    EXPECT_EQ(pair.read(100).error, boost::beast::error::timeout);
}

TEST(BoundedStream, EndsAReadThatWaitsAtTheDeadline) {
    Pair pair;
    pair.stream.bound(2000, monotonic_now() + 20ms);
    auto last = pair.read(1000);
    if (!last.error) last = pair.read(1000);
    EXPECT_EQ(last.error, boost::beast::error::timeout);
}

}  // namespace
}  // namespace ticketgate::net
