// CONTRACT 10: a backend that calls its own site while it holds the slot. Backend and strangers
// share an address here; a stranger's request names a proxy that passes it on.
#include <future>

#include "support/configs.hpp"
#include "support/proxy_header.hpp"

namespace ticketgate::test {
namespace {

const std::string config = R"(
clients: { inside: [127.0.0.1] }
queues: { q: { max_inside: 2 } }
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app }
routes:
  - prefix: /
    queue: q
    inside_calls: pass_any
    routes:
      - { prefix: /cron, inside_calls: wait }
      - { prefix: /later, inside_calls: accept }
      - { prefix: /never, inside_calls: refuse }
      - { prefix: /free, queue: off }
)";

struct Inside : testing::Test {
    Inside() : gateway(config, with(backend)) {}

    /// A stranger's request that runs until backend.release(path).
    Client page(const std::string& path) {
        backend.hold(path);
        Client client = gateway.client();
        client.get(path, "Via: 1.1 front\r\n");
        EXPECT_TRUE(backend.wait_for(path));
        return client;
    }
    Client stranger(const std::string& path, std::string_view lines = {}) {
        const auto waiting = gateway.line("q").waiting;
        Client client = gateway.client();
        client.get(path, "Via: 1.1 front\r\n" + std::string(lines));
        EXPECT_TRUE(gateway.wait_for_waiting("q", waiting + 1));
        return client;
    }
    std::string id_of(const std::string& path) {
        return "X-Request-Id: " + backend.of(path).at(0).header("X-Request-Id") + "\r\n";
    }
    double calls(const std::string& how) const {
        return gateway.metric("ticketgate_queue_inside_calls_total{how=\"" + how +
                              "\",queue=\"q\"}");
    }
    /// The line of the access log of this target.
    boost::json::object logged(std::string_view target, std::size_t lines) const {
        for (auto& line : gateway.log(lines))
            if (line.at("path").as_string() == target) return line;
        ADD_FAILURE() << "no line of " << target;
        return {};
    }

    Backend backend;
    Gateway gateway;
};

TEST_F(Inside, ACallRunsWithinTheSlotOfTheRequestThatItNames) {
    Client caller = page("/page");
    Client waits = stranger("/next");
    EXPECT_EQ(gateway.get("/call", id_of("/page")).status, 200) << "while its caller runs";
    EXPECT_EQ(backend.count("/next"), 0u);
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    EXPECT_EQ(waits.read().status, 200);
    EXPECT_EQ(backend.order(), (std::vector<std::string>{"/page", "/call", "/next"}));
    EXPECT_GT(backend.of("/next").at(0).start, backend.of("/page").at(0).end);
    EXPECT_EQ(logged("/call", 3).at("inside_of"), 1);
    EXPECT_EQ(logged("/next", 3).if_contains("inside_of"), nullptr);
    EXPECT_EQ(calls("pass"), 1);
}

TEST_F(Inside, ACallWithoutAnIdRunsWithinTheOnlyRequestInFlight) {
    Client caller = page("/page");
    Client waits = stranger("/next");
    EXPECT_EQ(gateway.get("/call").status, 200);
    EXPECT_EQ(backend.count("/next"), 0u);
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    EXPECT_EQ(waits.read().status, 200);
}

// However soon it comes: the request of its caller was not sent before it was known that no client
// had connected yet.
TEST_F(Inside, ACallWithoutAnIdPassesAsTheFirstThingThatItsCallerDoes) {
    constexpr int times = 60;
    backend.on("/page", [this](Call& call) {
        Client inside = gateway.client();
        inside.get("/call");
        call.respond(200, std::to_string(inside.read().status));
    });
    for (int i = 0; i < times; ++i)
        ASSERT_EQ(gateway.get("/page", "Via: 1.1 front\r\n").body, "200");
    EXPECT_EQ(calls("pass"), times);
}

// The script of an event stream that has given its slot back, and ended since.
TEST_F(Inside, ACallOfAStreamThatHasEndedDoesNotRunBesideAStranger) {
    std::promise<Client> made;
    backend.on("/events", [&](Call& stream) {
        stream.send(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 2\r\n\r\n1");
        stream.wait_for("stranger runs");
        made.set_value(gateway.client());
        stream.finish("2");
    });
    Client stream = gateway.client();
    stream.get("/events", "Via: 1.1 front\r\n");
    EXPECT_EQ(stream.read_to_head().status, 200);
    Client runs = page("/stranger");
    backend.release("stranger runs");
    Client call = made.get_future().get();
    EXPECT_EQ(logged("/events", 1).at("outcome").as_string(), "admitted");
    call.get("/call");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    backend.release("/stranger");
    EXPECT_EQ(runs.read().status, 200);
    EXPECT_EQ(call.read().status, 200);
    EXPECT_GT(backend.of("/call").at(0).start, backend.of("/stranger").at(0).end);
    EXPECT_EQ(calls("pass"), 0);
}

// A request that is not queued may have made it, even one that has ended since.
TEST_F(Inside, ACallWithoutAnIdWaitsIfAnotherRequestMayHaveMadeIt) {
    Client unqueued = page("/free"), caller = page("/page");
    Client call = gateway.client();
    call.get("/call");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_EQ(calls("wait"), 1);
    backend.release("/free");
    EXPECT_EQ(unqueued.read().status, 200);
    EXPECT_EQ(backend.count("/call"), 0u);
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    EXPECT_EQ(call.read().status, 200);
    EXPECT_GT(backend.of("/call").at(0).start, backend.of("/page").at(0).end);
    EXPECT_EQ(calls("pass"), 0);
}

TEST_F(Inside, TheSlotStaysHeldUntilACallIsOver) {
    Client caller = page("/page");
    Client waits = stranger("/next");
    backend.hold("/call");
    Client call = gateway.client();
    call.get("/call", id_of("/page"));
    ASSERT_TRUE(backend.wait_for("/call"));
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    ASSERT_TRUE(backend.wait_for_end("/page"));
    EXPECT_EQ(gateway.metric("ticketgate_queue_inside{queue=\"q\"}"), 1);
    EXPECT_EQ(gateway.line("q").waiting, 1u);
    backend.release("/call");
    EXPECT_EQ(call.read().status, 200);
    EXPECT_EQ(waits.read().status, 200);
    EXPECT_GT(backend.of("/next").at(0).start, backend.of("/call").at(0).end);
}

TEST_F(Inside, CallsOfOneRequestRunOneAfterTheOther) {
    Client caller = page("/page");
    const std::string id = id_of("/page");
    backend.hold("/first");
    Client first = gateway.client(), second = gateway.client();
    first.get("/first", id);
    ASSERT_TRUE(backend.wait_for("/first"));
    second.get("/second", id);
    while (gateway.metric("ticketgate_queue_inside{queue=\"q\"}") != 2) std::this_thread::yield();
    EXPECT_EQ(gateway.get("/third", id).status, 508) << "max_inside";
    EXPECT_EQ(backend.count("/second"), 0u);
    backend.release("/first");
    EXPECT_EQ(second.read().status, 200);
    EXPECT_GT(backend.of("/second").at(0).start, backend.of("/first").at(0).end);
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
}

TEST_F(Inside, ACallMayCallInTurn) {
    Client caller = page("/page");
    backend.hold("/child");
    Client child = gateway.client();
    child.get("/child", id_of("/page"));
    ASSERT_TRUE(backend.wait_for("/child"));
    EXPECT_EQ(gateway.get("/grandchild", id_of("/child")).status, 200);
    for (const auto* path : {"/child", "/page"}) backend.release(path);
    EXPECT_EQ(child.read().status, 200);
    EXPECT_EQ(caller.read().status, 200);
}

// A job such as WordPress' cron: its caller leaves at once, and it must run all the same.
TEST_F(Inside, ACallWhoseCallerLeavesKeepsItsPlace) {
    Client caller = page("/page");
    for (const bool reset : {false, true}) {
        const std::string path = reset ? "/cron/reset" : "/cron/closed";
        Client call = gateway.client();
        call.get(path);
        ASSERT_TRUE(gateway.wait_for_waiting("q", reset ? 2 : 1));
        reset ? call.reset() : call.close();
    }
    Client last = stranger("/last");
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    EXPECT_EQ(last.read().status, 200);
    EXPECT_EQ(backend.order(),
              (std::vector<std::string>{"/page", "/cron/closed", "/cron/reset", "/last"}));
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_EQ(calls("wait"), 2);
}

// Its caller goes on while it waits in its place; the connection ends, for clients that read to the
// end.
TEST_F(Inside, AnAcceptedCallGets202AtOnceAndRunsOnceInItsTurn) {
    Client caller = page("/page");
    Client first = stranger("/first");
    Client call = gateway.client();
    call.request("POST", "/later", {}, "job");
    const Response answer = call.read();
    EXPECT_EQ(answer.status, 202);
    EXPECT_EQ(answer.body, "");
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(call.ends());
    EXPECT_EQ(calls("accept"), 1);
    Client last = stranger("/last");
    EXPECT_EQ(backend.count("/later"), 0u);
    backend.release("/page");
    for (Client* client : {&caller, &first, &last}) EXPECT_EQ(client->read().status, 200);
    EXPECT_EQ(backend.order(), (std::vector<std::string>{"/page", "/first", "/later", "/last"}));
    EXPECT_EQ(backend.of("/later").at(0).body, "job");
    EXPECT_EQ(backend.of("/later").at(0).header("X-Request-Id"), answer.header("X-Request-Id"));
    EXPECT_EQ(backend.most_in_flight(), 1);
    const auto line = logged("/later", 4);
    EXPECT_EQ(line.at("status"), 202);
    EXPECT_EQ(line.at("outcome").as_string(), "admitted");
    EXPECT_EQ(calls("wait"), 0);
}

TEST_F(Inside, AnAcceptedCallHoldsItsSlotToTheEndOfItsWork) {
    Client caller = page("/page");
    backend.hold("/later");
    Client call = gateway.client();
    call.get("/later");
    EXPECT_EQ(call.read().status, 202);
    call.close();
    Client last = stranger("/last");
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    ASSERT_TRUE(backend.wait_for("/later"));
    EXPECT_EQ(gateway.line("q").waiting, 1u);
    backend.release("/later");
    EXPECT_EQ(last.read().status, 200);
    EXPECT_GT(backend.of("/last").at(0).start, backend.of("/later").at(0).end);
}

TEST_F(Inside, ACallIsAcceptedOnlyIfItWouldWait) {
    EXPECT_EQ(gateway.get("/later").status, 200) << "its own answer: the slot is free";
    EXPECT_EQ(calls("accept"), 0);
    Client caller = page("/page");
    Client call = gateway.client();
    call.send("POST /later HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\na");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    EXPECT_EQ(calls("accept"), 0) << "it is not whole";
    call.send("b");
    EXPECT_EQ(call.read().status, 202);
    Client other = stranger("/later/stranger");
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    EXPECT_EQ(other.read().body, "/later/stranger") << "the answer of the backend";
    EXPECT_EQ(calls("accept"), 1);
}

// Its 202 cannot be taken back; the log tells.
TEST(InsideAccepted, ACallThatWaitsForTooLongIsLoggedAsATimeout) {
    Backend backend;
    Gateway gateway(R"(
clients: { inside: [127.0.0.1] }
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app, queue: q }
routes:
  - { prefix: / }
  - { prefix: /later, inside_calls: accept, wait_timeout: 50ms }
)",
                    with(backend));
    backend.hold("/page");
    Client caller = gateway.client();
    caller.get("/page", "Via: 1.1 front\r\n");
    ASSERT_TRUE(backend.wait_for("/page"));
    Client call = gateway.client();
    call.get("/later");
    EXPECT_EQ(call.read().status, 202);
    EXPECT_TRUE(call.ends());
    EXPECT_EQ(gateway.log(1).at(0).at("outcome").as_string(), "timeout");
    EXPECT_EQ(gateway.log(1).at(0).at("status"), 202);
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    EXPECT_EQ(backend.count("/later"), 0u);
}

TEST_F(Inside, ARefusedCallGets508AtOnce) {
    Client caller = page("/page");
    EXPECT_EQ(gateway.get("/never", id_of("/page")).status, 508);
    EXPECT_EQ(gateway.log(1).back().at("outcome").as_string(), "refused");
    EXPECT_EQ(calls("refuse"), 1);
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    EXPECT_EQ(gateway.get("/never").status, 200) << "nothing is in flight: it cannot block itself";
}

// It waits for its own upload only.
TEST_F(Inside, ACallThatFindsAFreeSlotIsNoWaitingCall) {
    Client call = gateway.client();
    call.send("POST /cron HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    call.send("ab");
    EXPECT_EQ(call.read().status, 200);
    EXPECT_EQ(calls("wait"), 0);
}

// Each header tells that a proxy passes a client on. A stranger may know the id of a request.
TEST_F(Inside, NoStrangerPasses) {
    Client caller = page("/page");
    const std::string id = id_of("/page");
    std::vector<Client> strangers;
    for (const char* line :
         {"Via: 1.1 x\r\n", "X-Forwarded-For: 127.0.0.1\r\n", "Forwarded: for=x\r\n",
          "X_Forwarded_For: 127.0.0.1\r\n", "X-Real-IP: 127.0.0.1\r\n"}) {
        strangers.push_back(gateway.client());
        strangers.back().get("/stranger", line + id);
        ASSERT_TRUE(gateway.wait_for_waiting("q", static_cast<std::uint32_t>(strangers.size())));
    }
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    for (auto& client : strangers) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
    EXPECT_EQ(calls("pass"), 0);
}

// A PROXY header without an address: the client may be anybody. A name of the config's own.
TEST(InsideBehindProxies, WhatAProxyPassesOnIsNoCall) {
    Backend backend;
    Gateway gateway(R"(
listen:
  - { address: "127.0.0.1:0", proxy_protocol: true }
  - { address: "127.0.0.1:0" }
clients: { inside: [127.0.0.1], address_headers: [default, X-Our-Client] }
upstreams: { app: { url: "${BACKEND}" } }
routes: [{ prefix: /, upstream: app, queue: q, inside_calls: pass_any }]
)",
                    with(backend));
    backend.hold("/page");
    Client page(gateway.address(1));
    page.get("/page", "Via: 1.1 front\r\n");
    ASSERT_TRUE(backend.wait_for("/page"));
    const std::string head = "GET /x HTTP/1.1\r\nHost: a\r\nX-Request-Id: " +
                             backend.of("/page").at(0).header("X-Request-Id") + "\r\n";
    const std::string local = proxy_v2('\x20', '\0', "");
    std::vector<Client> strangers;
    for (const std::string& first : {std::string("PROXY UNKNOWN\r\n"), local}) {
        strangers.emplace_back(gateway.address(0));
        strangers.back().send(first + head + "\r\n");
        ASSERT_TRUE(gateway.wait_for_waiting("q", static_cast<std::uint32_t>(strangers.size())));
    }
    strangers.emplace_back(gateway.address(1));
    strangers.back().send(head + "X-Our-Client: 9.9.9.9\r\n\r\n");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 3));
    backend.release("/page");
    EXPECT_EQ(page.read().status, 200);
    for (auto& client : strangers) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

// The same without clients.inside: no id, guessed or known, opens the line.
TEST(InsideOff, NoAddressIsInsideByItself) {
    Backend backend;
    Gateway gateway(one_queue(", inside_calls: pass_any"), with(backend));
    Client caller = running(gateway, backend, "/page");
    Client call = gateway.client();
    call.get("/call", "X-Request-Id: " + backend.of("/page").at(0).header("X-Request-Id") + "\r\n");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    backend.release("/page");
    EXPECT_EQ(caller.read().status, 200);
    EXPECT_EQ(call.read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(InsideOff, AReleaseOfTheCallerEndsItsWaitingCalls) {
    Backend backend;
    Gateway gateway(config, with(backend));
    backend.hold("/page");
    Client caller = gateway.client();
    caller.get("/page", "Via: 1.1 front\r\n");
    ASSERT_TRUE(backend.wait_for("/page"));
    const std::string id =
        "X-Request-Id: " + backend.of("/page").at(0).header("X-Request-Id") + "\r\n";
    backend.hold("/first");
    Client first = gateway.client(), second = gateway.client();
    first.get("/first", id);
    ASSERT_TRUE(backend.wait_for("/first"));
    second.get("/second", id);
    while (gateway.metric("ticketgate_queue_inside{queue=\"q\"}") != 2) std::this_thread::yield();
    Client admin(gateway.admin_address());
    admin.send(
        "POST /api/v1/queues/q/release?number=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Content-Length: 0\r\n\r\n");
    EXPECT_EQ(admin.read().status, 200);
    EXPECT_EQ(second.read().status, 503);
    EXPECT_EQ(backend.count("/second"), 0u);
    for (const auto* path : {"/first", "/page"}) backend.release(path);
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(caller.read().status, 200);
}

}  // namespace
}  // namespace ticketgate::test
