// Limits for one client: its connections, its upload rate, and the PROXY protocol.
#include "support/proxy_header.hpp"
#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

using namespace std::string_literals;

std::string free_route(const std::string& clients, const std::string& settings = {}) {
    return "clients: {" + clients + "}\nupstreams: { app: { url: \"${BACKEND}\" } }\n" +
           "defaults: { upstream: app" + settings + " }\nroutes: [{ prefix: / }]\n";
}

// ── connections of one client ──

TEST(ConnectionsPerClient, OneMoreGets429AtOnceAndIsClosed) {
    Backend backend;
    Gateway gateway(free_route("max_connections_per_client: 2"), with(backend));
    Client first = gateway.client(), second = gateway.client();
    first.get("/1");
    second.get("/2");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(second.read().status, 200);

    Client third = gateway.client();  // sends no request
    const auto refused = third.read();
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.header("Retry-After"), "1");
    EXPECT_EQ(refused.header("Connection"), "close");
    EXPECT_TRUE(third.ends());
    const auto line = gateway.log(3).back();
    EXPECT_EQ(line.at("status").as_int64(), 429);
    EXPECT_EQ(line.at("client_ip").as_string(), "127.0.0.1");

    first.get("/again");
    EXPECT_EQ(first.read().status, 200) << "those that were there go on";
    EXPECT_EQ(backend.all().size(), 3u);
}

// The refused request is never read and may be a HEAD.
TEST(ConnectionsPerClient, A429HasNoBody) {
    Backend backend;
    Gateway gateway(free_route("max_connections_per_client: 1"), with(backend));
    Client first = gateway.client();
    first.get("/1");
    EXPECT_EQ(first.read().status, 200);
    Client second = gateway.client();
    second.request("HEAD", "/2");
    const auto refused = second.read_to_head();
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.header("Content-Length"), "0");
}

TEST(ConnectionsPerClient, AnEndMakesRoomForAnother) {
    Backend backend;
    Gateway gateway(free_route("max_connections_per_client: 1"), with(backend));
    for (int i = 0; i < 20; ++i) {
        Client client = gateway.client();
        client.get("/", "Connection: close\r\n");
        EXPECT_EQ(client.read().status, 200) << i;
        EXPECT_TRUE(client.ends());
        // The client may see the end before the gateway has counted it.
        EXPECT_TRUE(eventually([&] { return gateway.metric("ticketgate_connections") == 0; }));
    }
}

// A refused client that sends no ClientHello must not hold a place of max_connections.
TEST(ConnectionsPerClient, OneMoreWithTlsIsClosedBeforeItsHandshake) {
    House house(free_route("max_connections_per_client: 1, head_timeout: 1h, write_timeout: 1h"));
    Client first = house.gateway.client();
    first.get("/1");
    EXPECT_EQ(first.read().status, 200);
    std::vector<Client> silent;
    for (int i = 0; i < 20; ++i) {
        silent.emplace_back(house.gateway.address());
        EXPECT_TRUE(silent.back().ends()) << i;
    }
    EXPECT_EQ(house.gateway.metric("ticketgate_connections_refused_total"), 20);
    EXPECT_TRUE(eventually([&] { return house.gateway.metric("ticketgate_connections") == 1; }));
    Client hopeful(house.gateway.address());
    EXPECT_FALSE(hopeful.socket().secure(house.trust.client()));
    first.get("/again");
    EXPECT_EQ(first.read().status, 200) << "those that were there go on";
}

TEST(ConnectionsPerClient, ARefusedClientCannotStayBySending) {
    Backend backend;
    Gateway gateway(free_route("max_connections_per_client: 1, linger_time: 1h"), with(backend));
    Client first = gateway.client();
    first.get("/1");
    EXPECT_EQ(first.read().status, 200);
    Client second = gateway.client();
    second.get("/2");
    EXPECT_EQ(second.read().status, 429);
    EXPECT_TRUE(eventually([&] {
        (void)second.send("x");
        return gateway.metric("ticketgate_connections") == 1;
    }));
}

TEST(ConnectionsPerClient, ATrustedProxyStandsForMany) {
    Backend backend;
    Gateway gateway(free_route("max_connections_per_client: 1, trusted_proxies: [127.0.0.0/8]"),
                    with(backend));
    std::vector<Client> clients;
    for (int i = 0; i < 5; ++i) {
        clients.push_back(gateway.client());
        clients.back().get("/");
        EXPECT_EQ(clients.back().read().status, 200);
    }
}

TEST(ConnectionsPerClient, AReloadChangesTheLimitForNewConnections) {
    Backend backend;
    Gateway gateway(free_route(""), with(backend));
    Client first = gateway.client();
    first.get("/");
    EXPECT_EQ(first.read().status, 200);
    ASSERT_TRUE(gateway.reload(free_route("max_connections_per_client: 1")));
    EXPECT_EQ(gateway.client().read().status, 429) << "those of before count";
    first.get("/");
    EXPECT_EQ(first.read().status, 200);
}

// ── the rate of an upload ──

// Sends one byte at a time, with pauses, until an answer arrives.
Response trickle(Client& client) {
    (void)eventually([&] {
        (void)client.send("x");  // the gateway may have closed already
        return client.hears(20ms);
    });
    return client.read();
}

class BodyRate : public testing::TestWithParam<const char*> {};

TEST_P(BodyRate, ATrickleGets408) {
    Backend backend;
    Gateway gateway(queued_and_free(", body_timeout: 500ms, body_min_rate: 10KiB"), with(backend));
    Client client = gateway.client();
    client.send("POST " + std::string(GetParam()) +
                " HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    EXPECT_EQ(trickle(client).status, 408);
    EXPECT_TRUE(client.ends());
    EXPECT_EQ(gateway.get("/after").status, 200);
}

TEST_P(BodyRate, ZeroLetsItGoOn) {
    Backend backend;
    Gateway gateway(queued_and_free(", body_timeout: 1h, body_min_rate: 0"), with(backend));
    Client client = gateway.client();
    client.send("POST " + std::string(GetParam()) +
                " HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n");
    EXPECT_EQ(trickle(client).status, 200);
}

INSTANTIATE_TEST_SUITE_P(Of, BodyRate, both_kinds, kind);

// Time in which the backend reads nothing delays the upload but is not counted against the client.
TEST(BodyRate, TimeInWhichTheBackendTakesNothingDoesNotCount) {
    Backend backend;
    backend.on_head("/slow", [](Call& call) {
        call.wait_for("go");
        call.read_body();
        call.respond(200, std::to_string(call.seen().body.size()));
    });
    // The grace period tolerates a sender that a busy machine stops for a while.
    Gateway gateway(free_route("", ", body_timeout: 5s, body_min_rate: 1KiB"), with(backend));
    const std::string body(16 << 20, 'x');
    Client client = gateway.client();
    std::thread sender([&] { client.request("POST", "/slow", {}, body); });
    ASSERT_TRUE(backend.wait_for("/slow"));
    Client other = gateway.client();
    other.request("POST", "/never", "X: y\r\n", "");
    EXPECT_EQ(other.read().status, 200);
    // Waits longer than the whole grace period: another upload falls silent and is judged by the
    // same setting.
    Client silent = gateway.client();
    silent.send("POST /silent HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nx");
    EXPECT_EQ(silent.read().status, 408);
    backend.release("go");
    sender.join();  // the rest may take longer than a read waits
    const auto response = client.read();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, std::to_string(body.size()));
}

// ── the PROXY protocol ──

std::string behind_proxy(const std::string& clients = {}) {
    return "listen: [{ address: \"127.0.0.1:0\", proxy_protocol: true }]\n" + free_route(clients);
}

TEST(ProxyProtocol, TheHeaderNamesTheClient) {
    Backend backend;
    Gateway gateway(behind_proxy(), with(backend));
    Client client = gateway.client();
    client.send(
        "PROXY TCP4 203.0.113.9 10.0.0.1 40000 443\r\nGET /who HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.read().status, 200);
    client.get("/again", "X-Forwarded-For: 1.2.3.4\r\n");
    EXPECT_EQ(client.read().status, 200);
    for (const auto& seen : backend.all()) {
        EXPECT_EQ(seen.header("X-Forwarded-For"), "203.0.113.9");
        EXPECT_EQ(seen.header("X-Forwarded-Port"), "443");
        EXPECT_EQ(seen.header("X-Forwarded-Proto"), "http");
    }
    EXPECT_EQ(gateway.log(1).at(0).at("client_ip").as_string(), "203.0.113.9");
}

TEST(ProxyProtocol, VersionTwoInPiecesAndWithTls) {
    Backend backend;
    Gateway gateway(behind_proxy(), with(backend));
    const std::string header =
        "\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x14\xcb\x00\x71\x09\x0a\x00\x00\x01\x9c\x40\x01\xbb"
        "\x20\x00\x05\x01\x00\x00\x00\x00"s;
    Client client = gateway.client();
    for (const char c : header) client.send(std::string(1, c));
    client.get("/who");
    EXPECT_EQ(client.read().status, 200);
    const auto seen = backend.all().at(0);
    EXPECT_EQ(seen.header("X-Forwarded-For"), "203.0.113.9");
    EXPECT_EQ(seen.header("X-Forwarded-Proto"), "https");
}

TEST(ProxyProtocol, ASenderThatSpeaksForItselfKeepsItsAddress) {
    Backend backend;
    Gateway gateway(behind_proxy(), with(backend));
    Client client = gateway.client();
    client.send("PROXY UNKNOWN\r\n");
    client.get("/who");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend.all().at(0).header("X-Forwarded-For"), "127.0.0.1");
}

// A client whose address its proxy does not know, or on a socket without one, is not the proxy.
TEST(ProxyProtocol, AClientWithoutAnAddressIsNotTrustedAsItsProxy) {
    const std::string inet = "\xcb\x00\x71\x09\x0a\x00\x00\x01\x9c\x40\x01\xbb"s;
    const std::string paths(216, '\0');
    const std::vector<std::pair<std::string, bool>> headers{
        {"PROXY UNKNOWN\r\n", false},
        {"PROXY UNKNOWN ::1 ::1 1 2\r\n", false},
        {proxy_v2('\x21', '\x00', ""), false},
        {proxy_v2('\x21', '\x12', inet), false},
        {proxy_v2('\x21', '\x31', paths), false},
        {proxy_v2('\x21', '\x32', paths), false},
        {proxy_v2('\x20', '\x00', ""), true},
        {proxy_v2('\x20', '\x11', inet), true}};
    Backend backend;
    Gateway gateway(behind_proxy("trusted_proxies: [127.0.0.0/8]") +
                        "ids: { request_id: { policy: preserve_or_generate } }\n",
                    with(backend));
    for (const auto& [header, itself] : headers) {
        Client client = gateway.client();
        client.send(header);
        client.get("/who",
                   "X-Forwarded-For: 1.2.3.4\r\nX-Request-Id: " + std::string(20, 'k') + "\r\n");
        EXPECT_EQ(client.read().status, 200);
        const Seen seen = backend.all().back();
        EXPECT_EQ(seen.header("X-Forwarded-For"), itself ? "1.2.3.4, 127.0.0.1" : "127.0.0.1");
        EXPECT_EQ(seen.header("X-Request-Id") == std::string(20, 'k'), itself);
    }
}

TEST(ProxyProtocol, LimitsApplyToClientsWithoutAnAddressToo) {
    Backend backend;
    Gateway gateway(behind_proxy("max_connections_per_client: 1, trusted_proxies: [127.0.0.0/8]"),
                    with(backend));
    const auto with_header = [&](const std::string& header) {
        Client client = gateway.client();
        client.send(header);
        client.get("/");
        return client;
    };
    Client first = with_header("PROXY UNKNOWN\r\n");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(with_header("PROXY UNKNOWN\r\n").read().status, 429);
    EXPECT_EQ(with_header("PROXY TCP4 203.0.113.9 10.0.0.1 4 5\r\n").read().status, 200);
}

TEST(ProxyProtocol, WithoutAHeaderNothingIsServed) {
    Backend backend;
    Gateway gateway(behind_proxy(), with(backend));
    Client client = gateway.client();
    client.get("/");
    EXPECT_TRUE(client.ends());
    EXPECT_EQ(backend.all().size(), 0u);
}

TEST(ProxyProtocol, AMissingHeaderEndsTheConnectionInTime) {
    Backend backend;
    Gateway gateway(behind_proxy("head_timeout: 100ms"), with(backend));
    Client client = gateway.client();
    client.send("PROXY TCP4 ");
    EXPECT_TRUE(client.ends());
}

TEST(ProxyProtocol, IsNotSpokenOnOtherListeners) {
    Backend backend;
    Gateway gateway(free_route(""), with(backend));
    Client client = gateway.client();
    client.send("PROXY TCP4 203.0.113.9 10.0.0.1 40000 443\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(client.read().status, 400);
    EXPECT_EQ(backend.all().size(), 0u);
}

TEST(ProxyProtocol, LimitsCountTheNamedClient) {
    Backend backend;
    Gateway gateway(behind_proxy("max_connections_per_client: 1"), with(backend));
    const auto from = [&](const std::string& ip) {
        Client client = gateway.client();
        client.send("PROXY TCP4 " + ip + " 10.0.0.1 40000 443\r\n");
        client.get("/");
        return client;
    };
    Client first = from("203.0.113.9");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(from("203.0.113.9").read().status, 429);
    EXPECT_EQ(from("203.0.113.10").read().status, 200);
}

TEST(ProxyProtocol, StopDoesNotWaitForAHeader) {
    Backend backend;
    Gateway gateway(behind_proxy("head_timeout: 1h"), with(backend));
    Client client = gateway.client();
    client.send("PROXY ");
    ASSERT_TRUE(
        eventually([&] { return gateway.metric("ticketgate_connections_accepted_total") == 1; }));
    gateway.stop();
    EXPECT_TRUE(gateway.ended());
    EXPECT_TRUE(client.ends());
}

}  // namespace
}  // namespace ticketgate::test
