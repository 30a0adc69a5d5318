// Names of backends: another thread looks them up, so the loop never waits.
#include <boost/asio/executor_work_guard.hpp>
#include <thread>

#include "bench.hpp"

namespace ticketgate {
namespace {

UpstreamSettings named(std::string host, std::uint16_t port) {
    auto settings = with(&UpstreamSettings::host, std::move(host));
    settings.port = port;
    return settings;
}

// The control thread, like App's.
struct Control {
    explicit Control(boost::asio::io_context& io)
        : guard(io.get_executor()), thread([&io] { io.run(); }) {}
    ~Control() {
        guard.reset();
        thread.join();
    }
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard;
    std::thread thread;
};

// ::1 may be tried first, where nothing listens; after a failed address comes the next.
bool send_to_any_address(Bench& bench) {
    for (int i = 0; i < 4; ++i) {
        const auto exchange = bench.open();
        const auto sent = bench.send(*exchange);
        if (sent) return *sent == Step::done;
        EXPECT_EQ(sent.error(), errc::upstream_refused);
    }
    return false;
}

TEST(Resolve, LooksANameUpAndTriesEveryAddress) {
    const net::Door door;
    Bench bench(named("localhost", door.at().port()));
    const Control control(bench.control);
    EXPECT_TRUE(send_to_any_address(bench));
    EXPECT_TRUE(send_to_any_address(bench));
}

TEST(Resolve, SeveralRequestsMayAskAtOnce) {
    const net::Door door;
    Bench bench(named("localhost", door.at().port()));
    const auto a = bench.open(), b = bench.open();
    auto gone = bench.open();
    Body none(bench.budget);
    for (auto* exchange : {a.get(), b.get(), gone.get()})
        EXPECT_EQ(*exchange->send(Bench::get, none), Step::blocked);
    gone.reset();  // the client left
    const int before = bench.ear.heard;
    const Control control(bench.control);
    EXPECT_TRUE(run_until(bench.loop, [&] { return bench.ear.heard >= before + 2; }));
    EXPECT_TRUE(send_to_any_address(bench));
}

TEST(Resolve, AnInvalidNameIsRefused) {
    Bench bench(named(std::string(64, 'x'), 80));  // a label has at most 63 (RFC 1035 2.3.4)
    const Control control(bench.control);
    for (int i = 0; i < 2; ++i) {
        const auto exchange = bench.open();
        const auto sent = bench.send(*exchange);
        ASSERT_FALSE(sent);
        EXPECT_EQ(sent.error(), errc::upstream_refused);
        const std::string name(64, 'x');
        EXPECT_EQ(exchange->address(), name + ":80");
        EXPECT_EQ(exchange->fault().find("the name " + name + " cannot be resolved: "), 0u);
        EXPECT_EQ(exchange->fault().find("no answer yet"), std::string::npos);
        EXPECT_NE(exchange->remedy().find("`getent hosts " + name + "`"), std::string::npos);
    }
}

TEST(Resolve, ALookupMayEndAfterItsUpstream) {
    Bench bench(named("localhost", 1));
    const std::weak_ptr<PooledUpstream> upstream = bench.upstream;
    Body none(bench.budget);
    {
        const auto exchange = bench.open();
        EXPECT_EQ(*exchange->send(Bench::get, none), Step::blocked);
    }
    bench.upstream.reset();
    EXPECT_TRUE(upstream.expired());
    bench.control.run();  // to the answer
    catch_up(bench.loop);
}

}  // namespace
}  // namespace ticketgate
