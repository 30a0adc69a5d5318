// CONTRACT 10: which request made a call that names none is known only if the others have ended.
// Also requests without a queue are followed to their ends, whatever their clients do.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

const std::string knows_inside = "clients: { inside: [127.0.0.1] }\n";
const std::string any_passes = R"(
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app, inside_calls: pass_any }
routes: [{ prefix: /, queue: q, routes: [{ prefix: /free, queue: off }] }]
)";

struct InsideEnds : testing::Test {
    explicit InsideEnds(const std::string& clients = knows_inside)
        : gateway(clients + any_passes, with(backend)) {}

    /// A call that names nobody runs within the slot of the only request in flight.
    void expect_calls_to_pass() {
        backend.hold("/page");
        Client caller = gateway.client();
        caller.get("/page", "Via: 1.1 front\r\n");
        ASSERT_TRUE(backend.wait_for("/page"));
        EXPECT_EQ(gateway.get("/call").status, 200);
        backend.release("/page");
        EXPECT_EQ(caller.read().status, 200);
    }

    /// Another request may have made it.
    void expect_calls_to_wait() {
        backend.hold("/page");
        Client stranger = gateway.client(), call = gateway.client();
        stranger.get("/page", "Via: 1.1 front\r\n");
        ASSERT_TRUE(backend.wait_for("/page"));
        call.get("/call");
        EXPECT_TRUE(gateway.wait_for_waiting("q", 1));
        backend.release("/page");
        EXPECT_EQ(stranger.read().status, 200);
        EXPECT_EQ(call.read().status, 200);
        EXPECT_EQ(backend.most_in_flight("/page"), 1);
        EXPECT_GT(backend.of("/call").at(0).start, backend.of("/page").at(0).end);
    }

    Backend backend;
    Gateway gateway;
};

TEST_F(InsideEnds, OfARequestWhoseClientHasLeftIsSeen) {
    backend.on("/free", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + std::string(100000, 'a'));
        call.wait_for("the client has left");
        call.finish(std::string(200000, 'b'));
    });
    Client visitor = gateway.client();
    visitor.get("/free");
    EXPECT_EQ(visitor.read_to_head().status, 200);
    visitor.reset();
    ASSERT_TRUE(eventually([&] { return gateway.connections() == 0; }));
    backend.release("the client has left");
    ASSERT_EQ(gateway.log(1).size(), 1u) << "written when the exchange has ended, too";
    expect_calls_to_pass();
}

TEST_F(InsideEnds, OfAnAnswerWithoutABodyIsSeen) {
    backend.on("/free", [](Call& call) {
        call.send("HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\n\r\n");
        while (!call.receive().empty()) {
        }
        call.close();
    });
    EXPECT_EQ(gateway.get("/free").status, 304);
    ASSERT_EQ(gateway.log(1).size(), 1u) << "written when the exchange has ended, too";
    expect_calls_to_pass();
}

// Nobody reads such a stream any more, so its script may run for ever.
TEST_F(InsideEnds, OfAStreamWhoseClientHasLeftIsNotSeen) {
    backend.on("/free", [](Call& stream) {
        stream.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n1");
        stream.wait_for("the end of the script");
        stream.close();
    });
    Client visitor = gateway.client();
    visitor.get("/free");
    EXPECT_EQ(visitor.read_to_head().status, 200);
    visitor.reset();
    ASSERT_EQ(gateway.log(1).size(), 1u) << "written when the exchange has ended, too";
    expect_calls_to_wait();
    backend.release("the end of the script");
}

// clients.inside comes with a reload.
struct InsideEndsByReload : InsideEnds {
    InsideEndsByReload() : InsideEnds("") {
        backend.on("/free", [](Call& call) {
            call.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nab");
            call.wait_for("the end of the script");
            call.finish("cd");
        });
        visitor.get("/free");
        EXPECT_EQ(visitor.read_to_head().status, 200);
    }
    ~InsideEndsByReload() override { backend.release("the end of the script"); }
    void reload() { ASSERT_TRUE(gateway.reload(knows_inside + any_passes)); }
    void leave() {
        visitor.reset();
        ASSERT_TRUE(eventually([&] { return gateway.connections() == 0; }));
    }
    Client visitor = gateway.client();
};

TEST_F(InsideEndsByReload, OfARequestThatWasLeftBeforeItIsNotSeen) {
    leave();
    ASSERT_EQ(gateway.log(1).size(), 1u) << "written when the exchange has ended, too";
    reload();
    expect_calls_to_wait();
}

TEST_F(InsideEndsByReload, OfARequestThatBeganBeforeItIsSeen) {
    reload();
    leave();
    backend.release("the end of the script");
    ASSERT_EQ(gateway.log(1).size(), 1u) << "written when the exchange has ended, too";
    expect_calls_to_pass();
}

// A script that works on behind its answer may have made a call without an id.
TEST(InsideProved, ACallWithoutAnIdWaits) {
    Backend backend;
    Gateway gateway("clients: { inside: [127.0.0.1] }\n" + one_queue(", inside_calls: pass"),
                    with(backend));
    Client caller = running(gateway, backend, "/page");
    Client call = gateway.client();
    call.get("/call");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    const std::string id = backend.of("/page").at(0).header("X-Request-Id");
    EXPECT_EQ(gateway.get("/named", "X-Request-Id: " + id + "\r\n").status, 200);
    EXPECT_EQ(backend.count("/call"), 0u);
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    EXPECT_EQ(call.read().status, 200);
    EXPECT_EQ(backend.order(), (std::vector<std::string>{"/page", "/named", "/call"}));
}

// The setting is that of the call; its caller's route needs none.
TEST(InsideCalls, ThatNameNobodyPassWhateverTheRouteOfTheirCallerSays) {
    Backend backend;
    Gateway gateway(R"(
clients: { inside: [127.0.0.1] }
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app, queue: q }
routes:
  - { prefix: /, inside_calls: pass_any }
  - { prefix: /wait, inside_calls: wait }
  - { prefix: /accept, inside_calls: accept }
  - { prefix: /refuse, inside_calls: refuse }
)",
                    with(backend));
    for (const std::string caller : {"/wait", "/accept", "/refuse"}) {
        backend.hold(caller);
        Client page = gateway.client();
        page.get(caller, "Via: 1.1 front\r\n");
        ASSERT_TRUE(backend.wait_for(caller));
        EXPECT_EQ(gateway.get("/call").status, 200) << caller;
        backend.release(caller);
        EXPECT_EQ(page.read().status, 200) << caller;
    }
}

}  // namespace
}  // namespace ticketgate::test
