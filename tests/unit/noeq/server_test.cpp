// The service under the test's own clock, which stops, steps back and goes on.
#include "noeq/server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <thread>

#include "base/bytes.hpp"
#include "support/patience.hpp"
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

// The service alone, under the test's own clock.
struct Stepped {
    explicit Stepped(milliseconds clock_wait, std::uint32_t most = 20,
                     std::uint32_t most_of_a_client = 100, milliseconds write_timeout = 1h) {
        noeq::Settings settings;
        settings.clock_wait = clock_wait;
        // No connection may end by timeout in these tests.
        settings.login_timeout = 1h;
        settings.write_timeout = write_timeout;
        settings.max_connections = most;
        settings.max_connections_per_client = most_of_a_client;
        noeq::Clocks clocks{[this] { return WallTime{now_us.load()}; },
                            [this](Duration wait) {
                                if (runs) now_us += wait.count() / 1000;
                            }};
        server = std::make_unique<noeq::Server>(
            *net::Endpoint::from_ip("127.0.0.1", 0), settings,
            std::make_unique<noeq::IdSource>(0, 0, std::nullopt, clocks), log, metrics);
        server->start();
    }
    /// The service has begun to wait for the clock.
    testing::AssertionResult waits() {
        const auto none = "ticketgate_id_service_clock_waits_total 0\n";
        if (eventually([&] { return metrics.render().find(none) == std::string::npos; }))
            return testing::AssertionSuccess();
        return testing::AssertionFailure() << "it does not wait:\n" << metrics.render();
    }
    double value(const std::string& name) const {
        const std::string text = "\n" + metrics.render();
        const auto at = text.find("\n" + name + " ");
        return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
    }
    double open() const { return value("ticketgate_id_service_connections"); }
    double timed_out() const {
        return value("ticketgate_id_service_refused_total{reason=\"timeout\"}");
    }
    std::atomic<bool> runs{false};  // lets time pass while the service waits for a millisecond
    std::atomic<std::int64_t> now_us{1'795'186'941'000'000};
    Log log{Level::off};
    metrics::Registry metrics;
    std::unique_ptr<noeq::Server> server;
};

TEST(NoeqServer, WaitsForASmallStepBackOfTheClock) {
    Stepped stepped(10s);
    auto socket = Socket::connect(stepped.server->local());
    const auto before = take(socket, 2);
    stepped.now_us -= 5'000'000;
    ASSERT_EQ(socket.send("\2"), Socket::Status::ok);
    ASSERT_TRUE(stepped.waits());
    std::string bytes;
    Reader reader(socket);
    EXPECT_FALSE(reader.exactly(16, bytes, nothing_comes));
    stepped.now_us += 5'000'000;
    EXPECT_TRUE(reader.exactly(16, bytes));
    EXPECT_GT(numbers(bytes).front(), before.back());
}

TEST(NoeqServer, ALargeStepBackOfTheClockClosesTheConnectionLikeNoeqd) {
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

TEST(NoeqServer, AClientThatWaitsForTheClockMayLeave) {
    Stepped stepped(1h);
    auto socket = Socket::connect(stepped.server->local());
    (void)take(socket, 1);
    stepped.now_us -= 5'000'000;
    (void)socket.send("\1");
    ASSERT_TRUE(stepped.waits());
    socket.reset();
    stepped.server.reset();  // joins the thread, so nothing is left waiting
}

bool ends(Socket& socket) {
    return Reader(socket).rest().empty();
}

// Idle connections cannot fill the service: at the limit the one idle for longest is closed.
TEST(NoeqServer, AtTheLimitTheLongestIdleConnectionIsClosed) {
    Stepped stepped(1s, 3);
    std::vector<Socket> clients;
    for (int i = 0; i < 3; ++i) {
        clients.push_back(Socket::connect(stepped.server->local()));
        EXPECT_EQ(take(clients.back(), 1).size(), 1u);
    }
    EXPECT_EQ(take(clients[0], 1).size(), 1u) << "now the second is idle for longest";
    auto fourth = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(fourth, 1).size(), 1u);
    EXPECT_TRUE(ends(clients[1]));
    auto fifth = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(fifth, 1).size(), 1u);
    EXPECT_TRUE(ends(clients[2]));
    EXPECT_EQ(take(clients[0], 1).size(), 1u);
}

TEST(NoeqServer, HundredsOfSilentConnectionsDoNotKeepOthersOut) {
    Stepped stepped(1s, 50);
    std::vector<Socket> silent;
    for (int i = 0; i < 300; ++i) silent.push_back(Socket::connect(stepped.server->local()));
    auto client = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(client, 3).size(), 3u);
    for (int i = 0; i < 250; ++i) EXPECT_TRUE(ends(silent[static_cast<std::size_t>(i)])) << i;
}

// Asks for more than all buffers on the way hold, until the service takes no further request.
void ask_for_too_much(Socket& socket) {
    const std::string requests(4096, '\xff');
    while (eventually([&] { return socket.send_some(requests) > 0; }, 1s)) {
    }
}

// Clients that ask for much and take a little now and then are never idle.
TEST(NoeqServer, ThoseThatDoNotTakeTheirIdsDoNotKeepOthersOut) {
    Stepped stepped(1s, 3);
    stepped.runs = true;
    std::vector<Socket> slow;
    for (int i = 0; i < 3; ++i) {
        slow.push_back(Socket::connect(stepped.server->local()));
        EXPECT_EQ(take(slow.back(), 1).size(), 1u);
    }
    for (auto& socket : slow) ask_for_too_much(socket);
    auto fourth = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(fourth, 1).size(), 1u);
    auto fifth = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(fifth, 1).size(), 1u);
    EXPECT_TRUE(ends(fourth)) << "an idle one goes first";
    EXPECT_EQ(take(fifth, 1).size(), 1u);
}

// Each of these clients takes nothing, so the service still holds a part of its ids.
TEST(NoeqServer, ThoseThatAreSentAwayDoNotStayBehindTheLimit) {
    Stepped stepped(1s, 3);
    stepped.runs = true;
    std::vector<Socket> slow;
    for (int i = 0; i < 6; ++i) {
        slow.push_back(Socket::connect(stepped.server->local()));
        ask_for_too_much(slow.back());
    }
    auto newcomer = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(newcomer, 1).size(), 1u);
    EXPECT_TRUE(eventually([&] { return stepped.open() <= 3; })) << stepped.open();
    EXPECT_EQ(stepped.timed_out(), 0);
}

// The service does not accept all of them in one turn of its loop. In the next turn it sends
// clients of the first turn away, and reads their requests as well.
TEST(NoeqServer, ThoseThatAreSentAwayDoNotWaitForTheClock) {
    Stepped stepped(1h, 10, 1000);
    {
        auto first = Socket::connect(stepped.server->local());
        EXPECT_EQ(take(first, 1).size(), 1u);
    }
    stepped.now_us -= 5'000'000;
    std::promise<void> all_ask;
    stepped.server->loop().post([ready = all_ask.get_future().share()] { ready.wait(); });
    std::vector<Socket> clients;
    for (int i = 0; i < 300; ++i) {
        clients.push_back(Socket::connect(stepped.server->local()));
        EXPECT_EQ(clients.back().send("\1"), Socket::Status::ok);
    }
    all_ask.set_value();
    EXPECT_TRUE(
        eventually([&] { return stepped.value("ticketgate_id_service_accepted_total") == 301; }));
    EXPECT_TRUE(eventually([&] { return stepped.open() == 10; })) << stepped.open();
    ASSERT_TRUE(stepped.waits()) << "the others do";
}

// It is idle between its requests.
TEST(NoeqServer, OneThatIsSentAwayGoesThoughItAsks) {
    Stepped stepped(1s, 1);
    stepped.runs = true;
    auto first = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(first, 1).size(), 1u);
    std::atomic<bool> ended{false};
    std::thread asks([&] {
        std::string bytes;
        Reader reader(first);
        while (first.send("\1") == Socket::Status::ok && reader.exactly(8, bytes)) bytes.clear();
        ended = true;
    });
    auto second = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(second, 1).size(), 1u);
    EXPECT_TRUE(eventually([&] { return ended.load(); }));
    asks.join();
}

TEST(NoeqServer, EndsAtOnceThoughAClientTakesNothing) {
    Stepped stepped(1s, 3, 3, 60s);
    stepped.runs = true;
    auto slow = Socket::connect(stepped.server->local());
    ask_for_too_much(slow);
    stepped.server.reset();
    EXPECT_EQ(stepped.timed_out(), 0) << "it waited for the client's write_timeout";
}

TEST(NoeqServer, AClientThatTakesNothingHasOneTimeout) {
    Stepped stepped(1s, 3, 3, 200ms);
    stepped.runs = true;
    auto slow = Socket::connect(stepped.server->local());
    ask_for_too_much(slow);
    EXPECT_TRUE(eventually([&] { return stepped.open() == 0; }));
    EXPECT_EQ(stepped.timed_out(), 1);
}

// Bytes of an unfinished request do not reset a connection's idle time.
TEST(NoeqServer, ATricklingLoginDoesNotCountAsUse) {
    Stepped stepped(1s, 2);
    auto trickles = Socket::connect(stepped.server->local());
    auto asks = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(trickles, 1).size(), 1u);
    EXPECT_EQ(take(asks, 1).size(), 1u);
    ASSERT_EQ(trickles.send(std::string(1, '\0')), Socket::Status::ok);
    auto third = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(third, 1).size(), 1u);
    EXPECT_TRUE(ends(trickles));
    EXPECT_EQ(take(asks, 1).size(), 1u);
}

TEST(NoeqServer, AClientAtItsLimitReplacesItsOwn) {
    Stepped stepped(1s, 20, 2);
    auto first = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(first, 1).size(), 1u);
    auto second = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(second, 1).size(), 1u);
    auto third = Socket::connect(stepped.server->local());
    EXPECT_EQ(take(third, 1).size(), 1u);
    EXPECT_TRUE(ends(first));
    EXPECT_EQ(take(second, 1).size(), 1u);
}

// While all of a client's connections wait for ids, its next one is closed and they stay.
TEST(NoeqServer, ABusyConnectionKeepsItsPlace) {
    Stepped stepped(1h, 20, 1);
    auto busy = Socket::connect(stepped.server->local());
    const auto before = take(busy, 1);
    stepped.now_us -= 5'000'000;
    ASSERT_EQ(busy.send("\1"), Socket::Status::ok);
    ASSERT_TRUE(stepped.waits());
    auto more = Socket::connect(stepped.server->local());
    EXPECT_TRUE(ends(more));
    stepped.now_us += 5'000'000;
    std::string bytes;
    EXPECT_TRUE(Reader(busy).exactly(8, bytes));
    EXPECT_GT(numbers(bytes).front(), before.back());
}

// Twenty clients at once ask for more than a socket buffers, and read only afterwards.
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
