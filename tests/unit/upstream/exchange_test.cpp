// One request and one response: connecting, answering early, and the ends of a connection.
#include "bench.hpp"

namespace ticketgate {
namespace {

TEST(HttpExchange, SendsAndReads) {
    Bench bench;
    auto exchange = bench.open();
    EXPECT_FALSE(exchange->connected());
    EXPECT_EQ(*bench.send(*exchange), Step::done);
    EXPECT_TRUE(exchange->connected());
    const Peer backend = bench.door.accept();
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send(Bench::ok);
    const Answer answer = bench.read(*exchange);
    EXPECT_FALSE(answer.failure);
    EXPECT_EQ(answer.status, 200u);
    EXPECT_EQ(answer.reason, "OK");
    EXPECT_EQ(answer.body, "hi");
    EXPECT_TRUE(exchange->ended());
    std::string_view more;
    EXPECT_FALSE(exchange->read_buffered(more));
    EXPECT_EQ(more, "");
}

TEST(HttpExchange, AReadBlocksBeforeTheBackendAnswers) {
    Bench bench;
    auto exchange = bench.open();
    ASSERT_TRUE(bench.send(*exchange));
    const Peer backend = bench.door.accept();
    http::ResponseHead head;
    EXPECT_EQ(*exchange->read_head(false, head), Step::blocked);
    EXPECT_FALSE(exchange->answering());
}

TEST(HttpExchange, ARefusedConnectionIsRefused) {
    Bench bench;
    bench.door.close();
    auto exchange = bench.open();
    EXPECT_EQ(bench.send(*exchange).error(), errc::upstream_refused);
    EXPECT_FALSE(exchange->connected());
    EXPECT_FALSE(exchange->untouched());
    EXPECT_EQ(exchange->address(), bench.door.at().text());
    EXPECT_EQ(exchange->fault(), "Connection refused");
    EXPECT_NE(exchange->remedy().find("nothing listens on " + bench.door.at().text()),
              std::string::npos);
}

// A connection that this machine gives up in the midst of an exchange (ETIMEDOUT).
class GivenUp final : public net::Stream {
 public:
    explicit GivenUp(std::unique_ptr<net::Stream> below) : below_(std::move(below)) {
        readable_ = true;
    }
    net::IoResult read_some(std::span<char>) override { return {net::Io::failed, 0, ETIMEDOUT}; }
    net::IoResult write_some(std::span<const iovec> pieces) override {
        return below_->write_some(pieces);
    }
    net::IoResult connected() override { return below_->connected(); }
    bool given_up() const override { return true; }
    void finish_writing() override {}
    void detach() override { below_->detach(); }
    void attach(net::Loop& loop) override { below_->attach(loop); }

 private:
    const std::unique_ptr<net::Stream> below_;
};

// CONTRACT 2.13: the backend has not ended it, and may run the request.
TEST(HttpExchange, AConnectionThatThisMachineGivesUpIsNoEndOfTheBackendsWork) {
    Bench bench;
    UpstreamSettings settings;
    settings.host = "127.0.0.1";
    settings.port = bench.door.at().port();
    bench.upstream = std::make_shared<HttpUpstream>(
        settings, bench.resolver, 1,
        [](net::Loop& loop, const net::Endpoint& to, int& error) -> std::unique_ptr<net::Stream> {
            return std::make_unique<GivenUp>(net::SocketStream::connect(loop, to, error));
        });
    auto exchange = bench.open();
    Body none(bench.budget);
    while (*exchange->send(Bench::get, none) != Step::done) bench.loop.run_once(1s);
    http::ResponseHead head;
    EXPECT_EQ(exchange->read_head(false, head).error(), errc::upstream_lost);
    EXPECT_FALSE(exchange->settled());
    EXPECT_FALSE(exchange->untouched());
    EXPECT_EQ(exchange->outlast(false, head), Step::blocked);
    EXPECT_FALSE(exchange->settled());
}

TEST(HttpExchange, AMissingUnixSocketIsRefused) {
    Bench bench(with<std::string>(&UpstreamSettings::unix_path,
                                  testing::TempDir() + "ticketgate-no-backend.sock"));
    auto exchange = bench.open();
    EXPECT_EQ(bench.send(*exchange).error(), errc::upstream_refused);
}

TEST(HttpExchange, GoesOverAUnixSocket) {
    const std::string path =
        testing::TempDir() + "ticketgate-backend-" + std::to_string(::getpid());
    const auto at = *net::Endpoint::from_unix(path);
    const Peer listener(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(listener.descriptor(), at.address(), at.size()), 0);
    ASSERT_EQ(::listen(listener.descriptor(), 4), 0);
    Bench bench(with<std::string>(&UpstreamSettings::unix_path, path));
    auto exchange = bench.open();
    ASSERT_TRUE(bench.send(*exchange));
    const Peer backend(::accept(listener.descriptor(), nullptr, nullptr));
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send(Bench::ok);
    EXPECT_EQ(bench.read(*exchange).body, "hi");
    bench.finish(std::move(exchange));
    EXPECT_TRUE(bench.has_idle());
    ::unlink(path.c_str());
}

struct Break {
    const char* name;
    const char* sent;  // before the backend closes
    errc failure;
};

constexpr Break breaks[] = {
    {"before its response", "", errc::upstream_broke},
    {"within its head", "HTTP/1.1 200 OK\r\nContent-Le", errc::upstream_broke},
    {"after an interim response", "HTTP/1.1 100 Continue\r\n\r\n", errc::upstream_broke},
    {"before its body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", errc::upstream_broke},
    {"within its body", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", errc::upstream_broke},
    {"within a chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
     errc::upstream_broke},
    {"before the last chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
     errc::upstream_broke},
    {"after something that is not HTTP", "SSH-2.0-OpenSSH\r\n\r\n", errc::upstream_bad_response},
    {"after a broken chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
     errc::upstream_bad_response},
    {"after two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
     errc::upstream_bad_response},
};

TEST(HttpExchange, AnIncompleteResponseIsAFailure) {
    for (const Break& one : breaks) {
        Bench bench;
        auto exchange = bench.open();
        ASSERT_TRUE(bench.send(*exchange));
        Peer backend = bench.door.accept();
        EXPECT_EQ(backend.receive(), Bench::get);
        backend.send(one.sent);
        backend.close();
        EXPECT_EQ(bench.read(*exchange).failure, one.failure) << one.name;
        EXPECT_FALSE(exchange->untouched()) << one.name;  // a new connection
        bench.finish(std::move(exchange));
        EXPECT_FALSE(bench.has_idle()) << one.name;
    }
}

// As after an exception. A server of WebSockets closes when its client does.
TEST(HttpExchange, ATunnelThatIsLeftInTheMidstEndsWithAFin) {
    Bench bench;
    auto [exchange, backend] = bench.run();
    backend.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
    http::ResponseHead head;
    ASSERT_TRUE(bench.read_head(*exchange, head));
    exchange->upgrade();
    EXPECT_EQ(exchange->outlast(false, head), Step::blocked);
    EXPECT_EQ(backend.receive(), "");  // a FIN
    EXPECT_FALSE(exchange->settled());
}

TEST(HttpExchange, AHeadAboveItsLimitIsRefused) {
    const http::HeadLimits limits{.max_head = 1000, .max_uri = 0, .max_headers = 200};
    Bench bench(with(&UpstreamSettings::head_limits, limits));
    auto exchange = bench.open();
    ASSERT_TRUE(bench.send(*exchange));
    const Peer backend = bench.door.accept();
    backend.send("HTTP/1.1 200 OK\r\nX: " + std::string(2000, 'x') + "\r\n\r\n");
    EXPECT_EQ(bench.read(*exchange).failure, errc::upstream_bad_response);
}

TEST(HttpExchange, ADroppedExchangeClosesItsConnection) {
    Bench bench;
    auto [exchange, backend] = bench.run();
    exchange.reset();
    EXPECT_TRUE(closed(bench, backend));
}

// ── answering before the request is whole ──

struct Upload {
    std::unique_ptr<Exchange> begin() {
        auto begun = bench.open();
        body.complete = false;
        EXPECT_FALSE(body.spool.append("first"));
        EXPECT_EQ(*bench.send(*begun, head, body), Step::starved);
        return begun;
    }
    const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n";
    Bench bench;
    Body body{bench.budget};
    std::unique_ptr<Exchange> exchange = begin();
    Peer backend = bench.door.accept();
};

const std::string early = "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno";

TEST(HttpExchange, AnEarlyAnswerIsSeenWhileTheBodyIsStillToCome) {
    Upload up;
    EXPECT_FALSE(up.exchange->answering());
    up.backend.send(early);
    ASSERT_TRUE(run_until(up.bench.loop, [&] { return up.exchange->answering(); }));
    const Answer answer = up.bench.read(*up.exchange);
    EXPECT_EQ(answer.status, 413u);
    EXPECT_EQ(answer.body, "no");
    up.bench.finish(std::move(up.exchange));
    EXPECT_FALSE(up.bench.has_idle());  // only half a request was sent
}

TEST(HttpExchange, AnEarlyAnswerSurvivesTheBrokenPipe) {
    Upload up;
    up.backend.send(early);
    ASSERT_TRUE(run_until(up.bench.loop, [&] { return up.exchange->answering(); }));
    up.backend.close();  // with bytes unread: a reset
    const std::string much(1 << 20, 'x');
    result<Step> sent = Step::starved;
    for (int i = 0; i < 20 && sent; ++i) {
        ASSERT_FALSE(up.body.spool.append(much));
        sent = up.bench.send(*up.exchange, up.head, up.body);
    }
    ASSERT_FALSE(sent);
    EXPECT_EQ(sent.error(), errc::upstream_broke);
    const Answer answer = up.bench.read(*up.exchange);
    EXPECT_EQ(answer.status, 413u);
    EXPECT_EQ(answer.body, "no");
}

// ── requests that provably were not processed (CONTRACT 2.7) ──

TEST(Untouched, IsAnOldConnectionThatTheBackendHadClosed) {
    Bench bench;
    Peer backend = bench.exchange_once(Bench::ok);
    auto exchange = bench.open();
    ASSERT_TRUE(exchange->connected());
    EXPECT_TRUE(exchange->untouched());
    backend.close();  // before the request, and not seen yet
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_EQ(bench.read(*exchange).failure, errc::upstream_broke);
    EXPECT_TRUE(exchange->untouched());
}

// It may have run, and its worker may have died.
TEST(Untouched, EndsWhenTheBackendsSystemTakesTheRequest) {
    Bench bench;
    Peer backend = bench.exchange_once(Bench::ok);
    auto exchange = bench.open();
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.close();
    EXPECT_EQ(bench.read(*exchange).failure, errc::upstream_broke);
    EXPECT_FALSE(exchange->untouched());
}

// As of a worker that dies with the rest of its request unread.
TEST(Untouched, IsNotProvenByAReset) {
    Bench bench;
    Peer backend = bench.exchange_once(Bench::ok);
    auto exchange = bench.open();
    ASSERT_TRUE(bench.send(*exchange));
    backend.reset();
    EXPECT_EQ(bench.read(*exchange).failure, errc::upstream_broke);
    EXPECT_FALSE(exchange->untouched());
}

TEST(Untouched, EndsWithTheFirstByte) {
    Bench bench;
    Peer backend = bench.exchange_once(Bench::ok);
    auto exchange = bench.open();
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_EQ(backend.receive(), Bench::get);
    backend.send("H");
    backend.close();
    EXPECT_EQ(bench.read(*exchange).failure, errc::upstream_broke);
    EXPECT_FALSE(exchange->untouched());
}

TEST(Untouched, IsNeverANewConnection) {
    Bench bench;
    auto exchange = bench.open();
    EXPECT_FALSE(exchange->untouched());
    ASSERT_TRUE(bench.send(*exchange));
    EXPECT_FALSE(exchange->untouched());
}

}  // namespace
}  // namespace ticketgate
