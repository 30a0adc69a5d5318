// Names of backends: another thread looks them up, so the loop never waits.
#include <boost/asio/executor_work_guard.hpp>
#include <thread>

#include "bench.hpp"
#include "upstream/resolved_name.hpp"

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

// ::1 may be tried first, where nothing listens.
bool sends(Bench& bench) {
    const auto exchange = bench.open();
    const auto sent = bench.send(*exchange);
    return sent && *sent == Step::done;
}

// A backend whose name has these addresses, all with one port. Only the last one accepts.
class Several {
 public:
    explicit Several(std::vector<std::string> addresses) : addresses_(std::move(addresses)) {
        bench.upstream = std::make_shared<HttpUpstream>(
            named("several.test", bench.door.at().port()), resolver_, 1,
            [this](net::Loop& loop, const net::Endpoint& to, int& error) {
                return connect(loop, to, error);
            });
    }

    // Tells how many addresses were passed over, or why none accepted.
    std::string send() {
        const auto exchange = bench.open();
        exchange->connect_within(200ms);
        const auto sent = bench.send(*exchange);
        return sent ? std::to_string(exchange->passed_over()) : exchange->fault();
    }

    Bench bench;
    std::string silent;  // this address takes no connection, and refuses none
    int silences = 1000;
    std::string fails;       // the TLS handshake with this one does
    bool untrusted = false;  // because of its certificate

 private:
    class Odd final : public net::Stream {
     public:
        Odd(bool fails, bool untrusted) : fails_(fails), untrusted_(untrusted) {}
        net::IoResult read_some(std::span<char>) override { return connected(); }
        net::IoResult write_some(std::span<const iovec>) override { return connected(); }
        net::IoResult connected() override {
            return {fails_ ? net::Io::failed : net::Io::blocked, 0, fails_ ? EPROTO : 0};
        }
        std::string fault() const override { return fails_ ? "the handshake failed" : ""; }
        bool untrusted() const override { return untrusted_; }
        void finish_writing() override {}
        void detach() override {}
        void attach(net::Loop&) override {}

     private:
        const bool fails_, untrusted_;
    };

    std::unique_ptr<net::Stream> connect(net::Loop& loop, const net::Endpoint& to, int& error) {
        if (to.ip() == fails) return std::make_unique<Odd>(true, untrusted);
        if (to.ip() != silent) return net::SocketStream::connect(loop, to, error);
        if (silences-- > 0) return std::make_unique<Odd>(false, false);
        return net::SocketStream::connect(loop, bench.door.at(), error);
    }

    const std::vector<std::string> addresses_;
    // A copy: a thread that looks a name up may outlive the resolver.
    net::Resolver resolver_{bench.control, [addresses = addresses_](const std::string&) {
                                net::Resolver::Found found;
                                for (const auto& one : addresses)
                                    found.endpoints.push_back(*net::Endpoint::from_ip(one, 0));
                                return found;
                            }};
    const Control control_{bench.control};
};

TEST(Resolve, LooksANameUpAndTriesEveryAddress) {
    const net::Door door;
    Bench bench(named("localhost", door.at().port()));
    const Control control(bench.control);
    EXPECT_TRUE(sends(bench));
    EXPECT_TRUE(sends(bench));
}

// Nothing of a request has gone to an address that refuses, and the next one serves from then on.
TEST(Resolve, OfSeveralAddressesTheOneThatAcceptsServes) {
    Several name({"127.0.0.2", "127.0.0.3", "127.0.0.1"});
    EXPECT_EQ(name.send(), "2");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(name.send(), "0") << i;
}

// Each failure starts a look-up, whose answer begins with the address that has just failed.
TEST(Resolve, AnotherLookUpKeepsTheAddressThatServes) {
    const auto at = [](const std::string& text) { return *net::Endpoint::from_ip(text, 80); };
    std::vector<net::Endpoint> told{at("127.0.0.2"), at("127.0.0.1")};
    net::Loop loop(0);
    boost::asio::io_context control;
    net::Resolver resolver(control, [&](const std::string&) {
        return net::Resolver::Found{{}, told};
    });
    const auto name = std::make_shared<ResolvedName>("several.test", 80, resolver);
    Ear ear;
    const auto present = [&] { return name->address(loop, ear)->text(); };
    // Its answer is known by the number of addresses.
    const auto answer = [&] {
        while (name->count() != told.size()) {
            control.restart();
            control.run_one_for(1ms);
            loop.run_once(1ms);
        }
    };
    EXPECT_EQ(name->address(loop, ear), nullptr);
    answer();
    EXPECT_EQ(present(), "127.0.0.2:80");
    name->failed(at("127.0.0.2"));
    name->failed(at("127.0.0.2"));  // of another request at the same time
    EXPECT_EQ(name->count(), 2u);
    told = {at("127.0.0.2"), at("127.0.0.3"), at("127.0.0.1")};
    EXPECT_EQ(present(), "127.0.0.1:80");
    answer();
    EXPECT_EQ(present(), "127.0.0.1:80");
    name->failed(at("127.0.0.3"));
    told = {at("127.0.0.2"), at("127.0.0.3")};
    EXPECT_EQ(present(), "127.0.0.1:80");
    answer();
    EXPECT_EQ(present(), "127.0.0.2:80") << "the one that served is gone";
}

TEST(Resolve, ASilentAddressHasItsShareOfTheTime) {
    Several name({"127.0.0.2", "127.0.0.1"});
    name.silent = "127.0.0.2";
    EXPECT_EQ(name.send(), "1");
    for (int i = 0; i < 3; ++i) EXPECT_EQ(name.send(), "0") << i;
}

// A request ends when each has refused it, and the next one tries all of them again.
TEST(Resolve, SeveralAddressesMayAllRefuse) {
    Several name({"127.0.0.2", "127.0.0.3"});
    EXPECT_EQ(name.send(), "Connection refused");
    EXPECT_EQ(name.send(), "Connection refused");
}

// A backlog that is full for a moment is as silent as a host that is gone.
TEST(Resolve, ASilentAddressHasTheRestOfTheTimeIfAllOthersFail) {
    Several name({"127.0.0.2", "127.0.0.3"});
    name.silent = "127.0.0.2";
    name.silences = 1;
    EXPECT_EQ(name.send(), "1");
}

// Nothing is sent before a handshake ends. A certificate that is not good is for the operator.
TEST(Resolve, OnlyAnUntrustedCertificateEndsARequestAtOneAddress) {
    Several name({"127.0.0.2", "127.0.0.1"});
    name.fails = "127.0.0.2";
    EXPECT_EQ(name.send(), "1");
    Several last({"127.0.0.3", "127.0.0.2"});
    last.fails = "127.0.0.2";
    EXPECT_EQ(last.send(), "the handshake failed");
    Several judged({"127.0.0.2", "127.0.0.1"});
    judged.fails = "127.0.0.2";
    judged.untrusted = true;
    EXPECT_EQ(judged.send(), "the handshake failed");
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
    EXPECT_TRUE(sends(bench));
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
