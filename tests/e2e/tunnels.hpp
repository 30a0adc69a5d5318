// Upgraded connections and event streams of the tests.
#pragma once

#include "support/configs.hpp"

namespace ticketgate::test {

inline const std::string asks = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
inline const std::string switches =
    "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";

// /ws answers an upgrade and sends one `x` for each byte it receives. It ends when the client does.
inline void echo(Call& call) {
    call.send(switches);
    for (std::string got; !(got = call.receive()).empty();) call.send(std::string(got.size(), 'x'));
    call.close();
}

// Reads only the head of the 101: the bytes after it have no HTTP framing.
inline Response upgraded(Client& client, std::string_view target = "/ws") {
    client.get(target, asks);
    return client.read_to_head();
}

inline const std::string stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

// Sends one event, and ends when the proxy closes.
inline void one_event(Call& call) {
    call.send(stream_head);
    call.send(chunk("data: 1\n\n"));
    (void)call.receive();
    call.close();
}

inline std::string next_event(Client& client) {
    std::string event;
    bool last = false;
    EXPECT_EQ(read_chunk(client.reader(), event, last), "");
    return event;
}

// Returns a client that has read the first event.
inline Client watch_events(const Gateway& gateway) {
    Client client = gateway.client();
    client.get("/events");
    EXPECT_EQ(client.read_to_head().status, 200);
    EXPECT_EQ(next_event(client), "data: 1\n\n");
    return client;
}

}  // namespace ticketgate::test
