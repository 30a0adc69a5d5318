// Sending a request to the backend: every byte once and in order, however little the backend takes.
#include <random>

#include "bench.hpp"

namespace ticketgate {
namespace {

const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\n";

// Decodes chunked coding (RFC 9112 7.1) with independent code; empty if invalid or incomplete.
std::optional<std::string> unchunked(std::string_view coded) {
    std::string body;
    for (;;) {
        const auto line = coded.find("\r\n");
        if (line == std::string_view::npos) return std::nullopt;
        const std::size_t size = std::stoul(std::string(coded.substr(0, line)), nullptr, 16);
        coded.remove_prefix(line + 2);
        if (coded.size() < size + 2 || coded.substr(size, 2) != "\r\n") return std::nullopt;
        body += coded.substr(0, size);
        coded.remove_prefix(size + 2);
        if (size != 0) continue;
        return coded.empty() ? std::optional(body) : std::nullopt;
    }
}

std::string receive_now(const Peer& peer, std::size_t most) {
    std::string bytes(most, 0);
    const auto n = ::recv(peer.descriptor(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    return bytes.substr(0, n < 0 ? 0 : static_cast<std::size_t>(n));
}

struct Sending {
    explicit Sending(bool chunked) : exchange(begin(chunked)), backend(bench.door.accept()) {}
    std::unique_ptr<Exchange> begin(bool chunked) {
        auto begun = bench.open();
        body.chunked = chunked;
        body.complete = false;
        EXPECT_EQ(*bench.send(*begun, head, body), Step::starved);
        return begun;
    }
    result<Step> step() { return exchange->send(head, body); }
    /// Sends until all is sent; the backend reads a little whenever sending blocks.
    void send_all(std::mt19937& random) {
        for (result<Step> sent = step(); *sent != Step::done; sent = step()) {
            ASSERT_EQ(*sent, Step::blocked);
            received += receive_now(backend, 1 + random() % 50'000);
            bench.loop.run_once(Duration{0});
        }
    }
    std::string all_received() {
        exchange.reset();  // closes
        for (std::string more; !(more = backend.receive()).empty();) received += more;
        return received;
    }

    Bench bench;
    Body body{bench.budget};
    std::unique_ptr<Exchange> exchange;
    Peer backend;
    std::string received;
};

std::string noise(std::size_t size, std::mt19937& random) {
    std::string bytes(size, 0);
    for (char& c : bytes) c = static_cast<char>(random());
    return bytes;
}

TEST(RequestBody, GoesOutWithItsHead) {
    Bench bench;
    Body body(bench.budget);
    ASSERT_FALSE(body.spool.append("body"));
    auto exchange = bench.open();
    ASSERT_EQ(*bench.send(*exchange, head, body), Step::done);
    const Peer backend = bench.door.accept();
    EXPECT_EQ(backend.receive(), head + "body");
    EXPECT_TRUE(body.spool.empty());
    EXPECT_EQ(*bench.send(*exchange, head, body), Step::done);  // done stays done
    exchange.reset();
    EXPECT_EQ(backend.receive(), "");
}

TEST(RequestBody, PartsGoOutAsTheyCome) {
    Sending s(false);
    EXPECT_EQ(s.backend.receive(), head);
    ASSERT_FALSE(s.body.spool.append("one"));
    EXPECT_EQ(*s.step(), Step::starved);
    EXPECT_EQ(s.backend.receive(), "one");
    ASSERT_FALSE(s.body.spool.append("two"));
    s.body.complete = true;
    EXPECT_EQ(*s.step(), Step::done);
    EXPECT_EQ(s.backend.receive(), "two");
}

TEST(RequestBody, ChunksGoOutAsTheyCome) {
    Sending s(true);
    EXPECT_EQ(s.backend.receive(), head);
    ASSERT_FALSE(s.body.spool.append("hello"));
    EXPECT_EQ(*s.step(), Step::starved);
    EXPECT_EQ(s.backend.receive(), "5\r\nhello\r\n");
    EXPECT_EQ(*s.step(), Step::starved);  // sends no empty chunk, which would end the body
    s.body.complete = true;
    EXPECT_EQ(*s.step(), Step::done);
    EXPECT_EQ(s.backend.receive(), "0\r\n\r\n");
    EXPECT_EQ(*s.step(), Step::done);
    EXPECT_EQ(s.all_received(), "");
}

TEST(RequestBody, AWholeChunkedBodyGoesOutAtOnce) {
    Bench bench;
    Body body(bench.budget);
    body.chunked = true;
    ASSERT_FALSE(body.spool.append("0123456789abcdefg"));
    auto exchange = bench.open();
    ASSERT_EQ(*bench.send(*exchange, head, body), Step::done);
    EXPECT_EQ(bench.door.accept().receive(), head + "11\r\n0123456789abcdefg\r\n0\r\n\r\n");
}

TEST(RequestBody, AnEmptyChunkedBodyIsOneLastChunk) {
    Bench bench;
    Body body(bench.budget);
    body.chunked = true;
    auto exchange = bench.open();
    ASSERT_EQ(*bench.send(*exchange, head, body), Step::done);
    EXPECT_EQ(bench.door.accept().receive(), head + "0\r\n\r\n");
}

TEST(RequestBody, ASlowBackendGetsEveryByte) {
    std::mt19937 random(1);
    Sending s(false);
    const std::string bytes = noise(20 << 20, random);
    ASSERT_FALSE(s.body.spool.append(bytes));
    s.body.complete = true;
    s.send_all(random);
    EXPECT_EQ(s.all_received(), head + bytes);
    EXPECT_EQ(s.bench.budget.memory() + s.bench.budget.disk(), 0u);
}

TEST(RequestBody, ASlowBackendGetsEveryChunk) {
    for (unsigned seed = 1; seed <= 5; ++seed) {
        std::mt19937 random(seed);
        Sending s(true);
        std::string bytes;
        while (bytes.size() < (8u << 20)) {
            const std::string part = noise(1 + random() % 300'000, random);
            ASSERT_FALSE(s.body.spool.append(part));
            bytes += part;
            const auto sent = s.step();
            ASSERT_TRUE(sent);
            s.received += receive_now(s.backend, random() % 200'000);
            s.bench.loop.run_once(Duration{0});
        }
        s.body.complete = true;
        s.send_all(random);
        const std::string all = s.all_received();
        ASSERT_EQ(all.substr(0, head.size()), head);
        const auto body = unchunked(std::string_view(all).substr(head.size()));
        ASSERT_TRUE(body.has_value()) << "seed " << seed;
        EXPECT_TRUE(*body == bytes) << "seed " << seed;
    }
}

TEST(RequestBody, ALargeHeadIsSentOnce) {
    std::mt19937 random(1);
    Bench bench;
    Body body(bench.budget);
    ASSERT_FALSE(body.spool.append("end"));
    const std::string large = "GET / HTTP/1.1\r\nX: " + std::string(8 << 20, 'x') + "\r\n\r\n";
    auto exchange = bench.open();
    result<Step> sent = Step::blocked;
    ASSERT_EQ(*exchange->send(large, body), Step::blocked);
    const Peer backend = bench.door.accept();
    std::string received;
    while (*(sent = exchange->send(large, body)) != Step::done) {
        received += receive_now(backend, 1 + random() % 100'000);
        bench.loop.run_once(Duration{0});
    }
    exchange.reset();
    for (std::string more; !(more = backend.receive()).empty();) received += more;
    EXPECT_TRUE(received == large + "end");
}

}  // namespace
}  // namespace ticketgate
