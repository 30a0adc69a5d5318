// The ends of tunnels, streams and silent backends that one side has left: nothing may keep their
// connections, or the slot.
#include "tunnels.hpp"

namespace ticketgate::test {
namespace {

void release_first(const Gateway& gateway) {
    Client client(gateway.admin_address());
    client.send(
        "POST /api/v1/queues/q/release?number=1 HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        "Content-Length: 0\r\n\r\n");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_TRUE(gateway.wait_for_in_flight("q", 0));
}

// Nothing tells so again when the tunnel has begun.
TEST(Tunnel, WhoseClientIsResetBeforeItBeginsEndsAtTheBackend) {
    for (const char* policy : {"release", "hold"}) {
        Backend backend;
        backend.on("/ws", [](Call& call) {
            call.wait_for("switches");
            echo(call);
        });
        Gateway gateway(one_queue(std::string(", tunnel: ") + policy), with(backend));
        Client client = gateway.client();
        client.get("/ws", asks);
        ASSERT_TRUE(backend.wait_for("/ws", 1));
        client.reset();
        ASSERT_TRUE(eventually([&] { return orphans(gateway) == 1; }));
        backend.release("switches");
        EXPECT_TRUE(backend.wait_for_end("/ws")) << policy;
        EXPECT_EQ(gateway.get("/next").status, 200) << policy;
    }
}

TEST(Tunnel, WhoseClientWasAnsweredBeforeItBeginsEndsAtTheBackend) {
    for (const char* policy : {"release", "hold"}) {
        Backend backend;
        backend.on("/ws", [](Call& call) {
            call.wait_for("switches");
            echo(call);
        });
        Gateway gateway(one_queue(std::string(", response_timeout: 50ms, tunnel: ") + policy),
                        with(backend));
        Client client = gateway.client();
        client.get("/ws", asks);
        EXPECT_EQ(client.read().status, 504);
        backend.release("switches");
        EXPECT_TRUE(backend.wait_for_end("/ws")) << policy;
        EXPECT_TRUE(eventually([&] { return gateway.get("/next").status == 200; })) << policy;
    }
}

void say_bye(Call& call) {
    call.send(switches);
    call.send("bye");
    call.close();
}

TEST(Tunnel, ItsSlotIsFreeWhenItsBackendHasEndedThoughItsClientStays) {
    Backend backend;
    backend.on("/ws", say_bye);
    Gateway gateway(one_queue(", tunnel: hold"), with(backend));
    Client client = gateway.client();
    ASSERT_EQ(upgraded(client).status, 101);
    EXPECT_EQ(client.reader().take(3), "bye");
    EXPECT_EQ(gateway.get("/next").status, 200);
    EXPECT_EQ(gateway.metric("ticketgate_exclusion_violations_total{queue=\"q\"}"), 0);
}

TEST(Tunnel, WhoseBackendHasEndedKeepsASilentClientNoLongerThanResponseTimeout) {
    for (const char* policy : {"release", "hold"}) {
        Backend backend;
        backend.on("/ws", say_bye);
        Gateway gateway(
            one_queue_but("/ws", std::string(", response_timeout: 5s, tunnel: ") + policy),
            with(backend));
        Client client = gateway.client();
        ASSERT_EQ(upgraded(client).status, 101);
        EXPECT_EQ(client.reader().take(3), "bye");
        EXPECT_TRUE(eventually([&] { return gateway.metric("ticketgate_connections") == 0; }));
        EXPECT_EQ(silences(gateway), 0) << "the client's silence";
    }
}

TEST(EventStream, ThatLostItsSlotEndsWhenItsClientLeaves) {
    Backend backend;
    backend.on("/events", one_event);
    Gateway gateway(one_queue(", tunnel: hold"), with(backend));
    Client client = watch_events(gateway);
    release_first(gateway);
    client.reset();
    EXPECT_TRUE(backend.wait_for_end("/events"));
}

TEST(EventStream, WhoseClientLeavesBeforeItsFirstEventEnds) {
    Backend backend;
    backend.on("/events", [](Call& call) {
        call.wait_for("begins");
        one_event(call);
    });
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    client.get("/events", "Accept: text/event-stream\r\n");
    ASSERT_TRUE(backend.wait_for("/events", 1));
    client.reset();
    ASSERT_TRUE(eventually([&] { return orphans(gateway) == 1; }));
    backend.release("begins");
    EXPECT_TRUE(backend.wait_for_end("/events"));
}

// False: the answer was silent for longer than response_timeout, as the machine stood still.
bool ends_after_response_timeout(bool leaves_first) {
    Backend backend;
    backend.on("/endless", [](Call& call) {
        call.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        for (;;) call.send(chunk(pattern(10'000)));  // until the proxy closes
    });
    Gateway gateway(one_queue_but("/endless", ", response_timeout: 1s"), with(backend));
    Client client = gateway.client();
    client.get("/endless");
    const int status = client.read_to_head().status;
    if (status == 504) return false;
    EXPECT_EQ(status, 200);
    if (leaves_first) {
        client.reset();
        EXPECT_TRUE(eventually([&] { return orphans(gateway) == 1 || silences(gateway) == 1; }));
    }
    if (silences(gateway) == 1) return false;
    release_first(gateway);
    if (!leaves_first) client.reset();
    EXPECT_TRUE(backend.wait_for_end("/endless")) << leaves_first;
    EXPECT_TRUE(eventually([&] { return gateway.metric("ticketgate_connections") == 0; }));
    return true;
}

// Neither a client nor the line waits for it, so what it writes begins no new time.
TEST(EndlessAnswer, ThatLostItsSlotEndsAfterResponseTimeoutWhenItsClientHasLeft) {
    for (const bool leaves_first : {true, false})
        EXPECT_TRUE(eventually([&] { return ends_after_response_timeout(leaves_first); }));
}

// Nothing is left that its connection could guard.
TEST(SilentBackend, WhoseSlotIsReleasedKeepsNoConnection) {
    Backend backend;
    backend.on("/hangs", [](Call& call) {
        (void)call.receive();  // until the proxy closes
        call.close();
    });
    Gateway gateway(one_queue_but("/hangs", ", response_timeout: 200ms"), with(backend));
    EXPECT_EQ(gateway.get("/hangs").status, 504);
    EXPECT_EQ(gateway.line("q").in_flight, 1u);
    release_first(gateway);
    EXPECT_TRUE(backend.wait_for_end("/hangs"));
}

}  // namespace
}  // namespace ticketgate::test
