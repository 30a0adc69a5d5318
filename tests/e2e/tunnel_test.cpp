// CONTRACT 2.9: upgraded connections and event streams, and their slots.
#include "tunnels.hpp"

namespace ticketgate::test {
namespace {

TEST(Upgrade, PassesBothWaysAndEndsWithBothSides) {
    Backend backend;
    backend.on("/ws", echo);
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    const auto answer = upgraded(client);
    ASSERT_EQ(answer.status, 101);
    EXPECT_TRUE(same_word(answer.header("Upgrade"), "websocket"));
    EXPECT_TRUE(same_word(answer.header("Connection"), "upgrade"));
    EXPECT_TRUE(answer.fields.has("X-Request-Id"));
    const auto seen = backend.of("/ws").at(0);
    EXPECT_EQ(seen.header("Upgrade"), "websocket");
    EXPECT_TRUE(same_word(seen.header("Connection"), "upgrade"));
    client.send("abc");
    EXPECT_EQ(client.reader().take(3), "xxx");
    client.half_close();
    EXPECT_TRUE(client.ends());
    EXPECT_EQ(gateway.log(1).at(0).at("status"), 101);
    EXPECT_EQ(gateway.log(1).at(0).at("bytes"), 3);
}

TEST(Upgrade, ABackendThatEndsFirstStillGetsTheClientsBytes) {
    Backend backend;
    backend.on("/ws", [](Call& call) {
        call.send(switches);
        call.send("bye");
        call.finish_writing();
        for (std::string got; !(got = call.receive()).empty();) call.note(got);
        call.close();
    });
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    ASSERT_EQ(upgraded(client).status, 101);
    EXPECT_EQ(client.reader().take(3), "bye");
    EXPECT_EQ(client.reader().take(1), "") << "the end of the backend's half";
    client.send("last words");
    client.half_close();
    EXPECT_TRUE(client.ends());
    ASSERT_TRUE(backend.wait_for_end("/ws"));
    EXPECT_EQ(backend.of("/ws").at(0).noted, "last words");
}

TEST(Upgrade, CarriesMuchInBothDirectionsWithLittleMemory) {
    Backend backend;
    const std::string much = pattern(3'000'000);
    backend.on("/ws", [&](Call& call) {
        call.send(switches);
        std::size_t got = 0;
        while (got < much.size()) {
            const auto bytes = call.receive();
            if (bytes.empty()) break;
            got += bytes.size();
            call.send(bytes);
        }
        call.close();
    });
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    ASSERT_EQ(upgraded(client).status, 101);
    std::size_t sent = 0;
    std::string back;
    while (back.size() < much.size()) {
        if (sent < much.size()) sent += client.send_some(std::string_view(much).substr(sent));
        const auto bytes = client.reader().take_some();
        if (bytes.empty()) break;
        back += bytes;
    }
    EXPECT_TRUE(back == much);
}

TEST(Tunnel, ReleaseGivesTheSlotBackAtThe101) {
    Backend backend;
    backend.on("/ws", echo);
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    ASSERT_EQ(upgraded(client).status, 101);
    EXPECT_EQ(gateway.get("/next").status, 200);
    client.send("a");
    EXPECT_EQ(client.reader().take(1), "x") << "it goes on beside the line";
    EXPECT_EQ(gateway.metric("ticketgate_exclusion_violations_total{queue=\"q\"}"), 0);
}

TEST(Tunnel, HoldKeepsTheSlotToTheEnd) {
    Backend backend;
    backend.on("/ws", echo);
    Gateway gateway(one_queue(", tunnel: hold"), with(backend));
    Client client = gateway.client();
    ASSERT_EQ(upgraded(client).status, 101);
    auto next = stand_in_line(gateway, {"/next"});
    client.send("a");
    EXPECT_EQ(client.reader().take(1), "x");
    EXPECT_EQ(gateway.line("q").waiting, 1u);
    client.close();
    EXPECT_EQ(next[0].read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(Tunnel, BypassDoesNotQueueRequestsForATunnel) {
    Backend backend;
    backend.on("/ws", echo);
    Gateway gateway(one_queue(", tunnel: bypass"), with(backend));
    Client first = running(gateway, backend, "/first");
    Client client = gateway.client();
    EXPECT_EQ(upgraded(client).status, 101);
    EXPECT_EQ(gateway.get("/events", "Accept: text/event-stream\r\n").status, 200);
    auto posts = stand_in_line(gateway, {"/waits"});
    backend.release("/first");
    EXPECT_EQ(posts[0].read().status, 200);
}

TEST(Tunnel, BypassQueuesWhatNamesAnotherMethod) {
    Backend backend;
    Gateway gateway(one_queue(", tunnel: bypass, skip_methods: [GET]"), with(backend));
    backend.hold("/first");
    Client first = gateway.client();
    first.request("POST", "/first");
    ASSERT_TRUE(backend.wait_for("/first"));
    const std::string stream = "Accept: text/event-stream\r\n";
    Client query = gateway.client(), header = gateway.client();
    query.get("/query?_method=DELETE", stream);
    ASSERT_TRUE(gateway.wait_for_waiting("q", 1));
    header.get("/header", stream + "X-HTTP-Method-Override: DELETE\r\n");
    ASSERT_TRUE(gateway.wait_for_waiting("q", 2));
    EXPECT_EQ(gateway.get("/events", stream).status, 200);
    backend.release("/first");
    EXPECT_EQ(query.read().status, 200);
    EXPECT_EQ(header.read().status, 200);
}

TEST(Tunnel, ThatIsSilentForTooLongIsClosed) {
    Backend backend;
    backend.on("/ws", echo);
    Gateway gateway(one_queue(", tunnel_timeout: 50ms"), with(backend));
    Client client = gateway.client();
    ASSERT_EQ(upgraded(client).status, 101);
    EXPECT_TRUE(client.ends());
    EXPECT_TRUE(backend.wait_for_end("/ws"));
}

// Both sides have ended, and with them tunnel_timeout; some bytes are still for the client.
TEST(Tunnel, WhoseClientTakesNothingEndsAtWriteTimeout) {
    Backend backend;
    std::function<bool()> more;
    backend.on("/ws", [&](Call& call) {
        call.send(switches);
        while (!call.receive().empty()) continue;     // to the client's FIN
        const std::string piece = pattern(48 << 10);  // less than a tunnel keeps for its client
        while (more()) call.send(piece);
        call.close();
    });
    Gateway gateway(queued_and_free(", tunnel_timeout: 1h") + "clients: { write_timeout: 300ms }\n",
                    with(backend));
    more = [&gateway] {
        (void)gateway.get("/next");  // the loop has read what was sent before
        return gateway.metric(R"(ticketgate_spool_bytes{place="memory"})") == 0;
    };
    Client client = gateway.slow_reader();
    ASSERT_EQ(upgraded(client).status, 101);
    client.half_close();
    // Megabytes of the system's buffers are filled, with a look behind each piece.
    EXPECT_TRUE(eventually([&] { return backend.of("/ws")[0].end != 0; }, 5 * patience));
    EXPECT_TRUE(eventually([&] { return gateway.metric("ticketgate_connections") == 0; }));
}

TEST(Tunnel, WhoseClientIsResetEndsAtTheBackend) {
    for (const char* policy : {"release", "hold"}) {
        Backend backend;
        backend.on("/ws", echo);
        Gateway gateway(one_queue(std::string(", tunnel: ") + policy), with(backend));
        Client client = gateway.client();
        ASSERT_EQ(upgraded(client).status, 101);
        client.reset();
        EXPECT_TRUE(backend.wait_for_end("/ws")) << policy;
        EXPECT_EQ(gateway.get("/next").status, 200) << policy;
    }
}

TEST(Upgrade, IsForwardedOnlyForKnownProtocolsAndWithoutABody) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    const auto asked = [&](std::string_view target) {
        return !backend.of(target).at(0).header("Upgrade").empty();
    };
    gateway.get("/h2c", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n");
    EXPECT_FALSE(asked("/h2c"));
    gateway.get("/unnamed", "Upgrade: websocket\r\n");
    EXPECT_FALSE(asked("/unnamed"));
    gateway.get("/twice", "Connection: upgrade\r\nUpgrade: websocket\r\nUpgrade: h2c\r\n");
    EXPECT_FALSE(asked("/twice"));
    gateway.get("/choice", "Connection: upgrade\r\nUpgrade: h2c, WebSocket\r\n");
    EXPECT_EQ(backend.of("/choice").at(0).header("Upgrade"), "WebSocket");
    Client client = gateway.client();
    client.request("POST", "/body", asks, "x");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_FALSE(asked("/body"));
}

TEST(Upgrade, ThatWasNotAskedForIsABadAnswer) {
    Backend backend;
    backend.on("/x", [](Call& call) {
        call.send(switches);
        call.close();  // only this frees the slot: such an answer has no known end
    });
    Gateway gateway(one_queue(), with(backend));
    EXPECT_EQ(gateway.get("/x").status, 502);
    EXPECT_EQ(gateway.get("/x", "Connection: upgrade\r\nUpgrade: h2c\r\n").status, 502);
}

TEST(Upgrade, ThatTheBackendIgnoresIsAnOrdinaryRequest) {
    Backend backend;
    Gateway gateway(one_queue(), with(backend));
    Client client = gateway.client();
    client.get("/plain", asks);
    EXPECT_EQ(client.read().body, "/plain");
    client.get("/again");
    EXPECT_EQ(client.read().status, 200);
}

// ── event streams ──

// One event, then another when the test releases `more`.
void events(Call& call) {
    call.send(stream_head + chunk("data: 1\n\n"));
    call.wait_for("more");
    call.send(chunk("data: 2\n\n"));
    call.finish(chunk(""));
}

TEST(EventStream, GivesTheSlotBackAtItsFirstByteAndArrivesAsItIsWritten) {
    Backend backend;
    backend.on("/events", events);
    Gateway gateway(one_queue(), with(backend));
    Client client = watch_events(gateway);
    EXPECT_EQ(gateway.get("/next").status, 200);
    backend.release("more");
    EXPECT_EQ(next_event(client), "data: 2\n\n");
    EXPECT_EQ(next_event(client), "");
    EXPECT_EQ(gateway.metric("ticketgate_exclusion_violations_total{queue=\"q\"}"), 0);
}

TEST(EventStream, WithHoldKeepsTheSlot) {
    Backend backend;
    backend.on("/events", events);
    Gateway gateway(one_queue(", tunnel: hold"), with(backend));
    Client client = watch_events(gateway);
    auto next = stand_in_line(gateway, {"/next"});
    backend.release("more");
    EXPECT_EQ(next_event(client), "data: 2\n\n");
    EXPECT_EQ(next[0].read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(EventStream, WithHoldKeepsTheSlotToItsEndAlsoWithoutItsClient) {
    Backend backend;
    backend.on("/events", events);
    Gateway gateway(one_queue(", tunnel: hold, tunnel_timeout: 300ms"), with(backend));
    Client client = watch_events(gateway);
    client.reset();
    auto next = stand_in_line(gateway, {"/next"});
    ASSERT_TRUE(eventually([&] { return silences(gateway) == 1; })) << "tunnel_timeout has passed";
    EXPECT_EQ(gateway.line("q").waiting, 1u) << "beyond tunnel_timeout";
    backend.release("more");
    EXPECT_EQ(next[0].read().status, 200);
    EXPECT_EQ(backend.most_in_flight(), 1);
}

TEST(EventStream, MayPauseForLongerThanResponseTimeout) {
    Backend backend;
    backend.on("/events", events);
    // One timeout for both requests, long enough for the first event.
    Gateway gateway(R"(
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app }
routes:
  - { prefix: /, queue: q }
  - { prefix: /events, response_timeout: 5s }
  - { prefix: /silent, response_timeout: 5s }
)",
                    with(backend));
    Client client = watch_events(gateway);
    EXPECT_EQ(gateway.get("/next").status, 200);
    Client silent = gateway.client();  // its timeout proves that the pause was long enough
    backend.hold("/silent");
    silent.get("/silent");
    EXPECT_EQ(silent.read().status, 504);
    backend.release("/silent");
    backend.release("more");
    EXPECT_EQ(next_event(client), "data: 2\n\n");
}

TEST(EventStream, EndsWhenItsClientLeaves) {
    Backend backend;
    backend.on("/events", one_event);
    Gateway gateway(one_queue(), with(backend));
    Client client = watch_events(gateway);
    client.reset();
    EXPECT_TRUE(backend.wait_for_end("/events"));
}

}  // namespace
}  // namespace ticketgate::test
