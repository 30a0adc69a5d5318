// The service under a clock of the test's, which stops, steps back and goes on.
#include "noeq/server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "base/bytes.hpp"
#include "support/socket.hpp"

namespace ticketgate::test {
namespace {

constexpr auto nothing_comes = std::chrono::milliseconds(30);

std::vector<std::uint64_t> numbers(std::string_view bytes) {
    std::vector<std::uint64_t> ids;
    for (; bytes.size() >= 8; bytes.remove_prefix(8))
        ids.push_back(load_be<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(bytes.data())));
    return ids;
}

std::vector<std::uint64_t> take(Socket& socket, std::uint8_t count) {
    EXPECT_EQ(socket.send(std::string(1, static_cast<char>(count))), Socket::Status::ok);
    std::string bytes;
    EXPECT_TRUE(Reader(socket).exactly(count * 8u, bytes));
    return numbers(bytes);
}

// The service alone, under a clock of the test's.
struct Stepped {
    explicit Stepped(milliseconds clock_wait) {
        noeq::Settings settings;
        settings.clock_wait = clock_wait;
        settings.max_connections = 20;
        noeq::Clocks clocks{[this] { return WallTime{now_us.load()}; },
                            [this](Duration wait) {
                                if (runs) now_us += wait.count() / 1000;
                            }};
        server = std::make_unique<noeq::Server>(
            *net::Endpoint::from_ip("127.0.0.1", 0), settings,
            std::make_unique<noeq::IdSource>(0, 0, std::nullopt, clocks), log, metrics);
        server->start();
    }
    std::atomic<bool> runs{false};  // while the service waits for the next millisecond
    std::atomic<std::int64_t> now_us{1'795'186'941'000'000};
    Log log{Level::off};
    metrics::Registry metrics;
    std::unique_ptr<noeq::Server> server;
};

TEST(NoeqServer, ASmallStepBackOfTheClockIsWaitedFor) {
    Stepped stepped(10s);
    auto socket = Socket::connect(stepped.server->local());
    const auto before = take(socket, 2);
    stepped.now_us -= 5'000'000;
    ASSERT_EQ(socket.send("\2"), Socket::Status::ok);
    std::string bytes;
    Reader reader(socket);
    EXPECT_FALSE(reader.exactly(16, bytes, nothing_comes));
    stepped.now_us += 5'000'000;
    EXPECT_TRUE(reader.exactly(16, bytes));
    EXPECT_GT(numbers(bytes).front(), before.back());
}

TEST(NoeqServer, ALargeOneClosesTheConnectionAsNoeqdDoes) {
    Stepped stepped(1s);
    auto socket = Socket::connect(stepped.server->local());
    const auto before = take(socket, 2);
    stepped.now_us -= 5'000'000;
    auto refused = Socket::connect(stepped.server->local());
    ASSERT_EQ(refused.send("\1"), Socket::Status::ok);
    EXPECT_EQ(Reader(refused).rest(), "");
    stepped.now_us += 5'000'000;
    EXPECT_GT(take(socket, 1).front(), before.back()) << "the others go on when it has caught up";
}

TEST(NoeqServer, WhoWaitsForTheClockMayLeave) {
    Stepped stepped(1h);
    auto socket = Socket::connect(stepped.server->local());
    (void)take(socket, 1);
    stepped.now_us -= 5'000'000;
    (void)socket.send("\1");
    std::string bytes;
    EXPECT_FALSE(Reader(socket).exactly(8, bytes, nothing_comes));
    socket.reset();
    stepped.server.reset();  // joins its thread: nothing is left waiting
}

// Twenty clients at once, each asking for more than a socket holds without reading; then they read.
TEST(NoeqServer, ServesManyAtOnceAndRepeatsNothing) {
    Stepped stepped(1s);
    stepped.runs = true;
    std::vector<Socket> clients;
    for (int i = 0; i < 20; ++i) {
        clients.push_back(Socket::connect(stepped.server->local()));
        ASSERT_EQ(clients.back().send(std::string(100, '\xff')), Socket::Status::ok);
    }
    std::vector<std::uint64_t> all;
    for (auto& client : clients) {
        std::string bytes;
        ASSERT_TRUE(Reader(client).exactly(100 * 255 * 8, bytes));
        const auto ids = numbers(bytes);
        EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
        all.insert(all.end(), ids.begin(), ids.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
    EXPECT_EQ(all.size(), 20u * 100 * 255);
}

}  // namespace
}  // namespace ticketgate::test
