// The lines that are added to heads, byte for byte.
#include "proxy/stamp.hpp"

#include "configs.hpp"
#include "http/parser.hpp"

namespace ticketgate {
namespace {

struct Stamp : testing::Test {
    Stamp() {
        record.received = WallTime{1700000000123456};
        record.request_id = *ids::Id::from("rid");
        record.unique_id = *ids::Id::from("uid");
    }
    std::string request(const std::string& head_text, const Peer& peer) const {
        const http::RequestHead head = parsed(head_text);
        std::string lines;
        stamp_request(head, served.snapshot->config.ids, peer, record, "backend:81", lines);
        return lines;
    }
    std::string ip(const std::string& head_text, const Peer& peer) const {
        return client_ip(parsed(head_text), peer);
    }
    static http::RequestHead parsed(const std::string& text) {
        http::RequestHead head;
        const auto progress = http::parse_request(text, http::HeadLimits(), head);
        EXPECT_TRUE(progress && *progress == http::Progress::done) << text;
        return head;
    }

    Served served{"routes: [{prefix: /, upstream: app}]\n"};
    Record record;
    const Peer stranger{"192.0.2.7", false, 8080}, proxy{"10.0.0.1", true, 8080};
};

const std::string ids_of_request =
    "X-Request-Id: rid\r\nUNIQUE_ID: uid\r\nUnique-Id: uid\r\n"
    "X-Request-Start: t=1700000000123456\r\n";

TEST_F(Stamp, HeadersOfAStrangersRequest) {
    EXPECT_EQ(request("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", stranger),
              ids_of_request +
                  "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"
                  "X-Forwarded-Host: example.org\r\nX-Forwarded-Port: 80\r\n"
                  "Via: 1.1 ticketgate\r\n");
}

// A container maps another port to ours, and a proxy in front ends TLS: the backend makes URLs.
TEST_F(Stamp, ThePortIsTheClients) {
    struct Case {
        const char* host;
        const char* fields;
        Peer peer;
        const char* port;
    };
    Peer told = stranger, over_tls = stranger;
    told.proxied_port = true;
    over_tls.proxied_tls = true;
    const Peer on_a_unix_socket{.ip = std::string(net::unix_peer)};
    const Case cases[] = {
        {"h", "", stranger, "80"},
        {"h:81", "", stranger, "81"},
        {"h", "", over_tls, "443"},
        {"h", "", told, "8080"},
        {"[::1]:81", "", stranger, "81"},
        {"h", "X-Forwarded-Proto: https\r\n", stranger, "80"},
        {"h", "X-Forwarded-Proto: https\r\n", proxy, "443"},
        {"h:81", "X-Forwarded-Proto: https\r\n", proxy, "81"},
        {"h", "X-Forwarded-Port: 82\r\n", stranger, "80"},
        {"", "", stranger, "8080"},
        {"h:81", "", on_a_unix_socket, "81"},
        {"h", "", on_a_unix_socket, "80"},
        {"", "", on_a_unix_socket, "80"},
    };
    for (const Case& c : cases) {
        const std::string text =
            "GET / HTTP/1.1\r\nHost: " + std::string(c.host) + "\r\n" + c.fields + "\r\n";
        EXPECT_NE(request(text, c.peer).find("X-Forwarded-Port: " + std::string(c.port) + "\r\n"),
                  std::string::npos)
            << text << request(text, c.peer);
    }
}

const std::string forwarded =
    "GET / HTTP/1.1\r\nHost: example.org\r\nX-Forwarded-For: 203.0.113.9\r\n"
    "X-Forwarded-Proto: https\r\nX-Forwarded-For: 198.51.100.2, 10.9.9.9\r\n"
    "X-Forwarded-Host: public.example\r\nX-Forwarded-Port: 443\r\n\r\n";

TEST_F(Stamp, ForwardedHeadersOfAStrangerAreDropped) {
    EXPECT_EQ(request(forwarded, stranger),
              request("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", stranger));
    EXPECT_EQ(ip(forwarded, stranger), "192.0.2.7");
}

TEST_F(Stamp, TheClientsAddressIsValidOrThatOfTheProxy) {
    const auto told = [&](const std::string& last) {
        return ip(
            "GET / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 198.51.100.2, " + last + "\r\n\r\n",
            proxy);
    };
    EXPECT_EQ(told("203.0.113.9:4711"), "203.0.113.9");
    EXPECT_EQ(told("[2001:db8::1]:443"), "2001:db8::1");
    EXPECT_EQ(told("[2001:db8::1]"), "2001:db8::1");
    EXPECT_EQ(told("2001:DB8:0::1"), "2001:db8::1");
    for (const char* text : {"unknown", "_hidden", "<script>", "1.2.3", "a b", "::1]:3"})
        EXPECT_EQ(told(text), proxy.ip) << text;
}

TEST_F(Stamp, ATrustedProxysChainIsExtended) {
    EXPECT_EQ(request(forwarded, proxy),
              ids_of_request +
                  "X-Forwarded-For: 203.0.113.9, 198.51.100.2, 10.9.9.9, 10.0.0.1\r\n"
                  "Via: 1.1 ticketgate\r\n");
}

TEST_F(Stamp, HeadersThatATrustedProxyLeftOutAreAdded) {
    EXPECT_EQ(request("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-Proto: https\r\n"
                      "X-Forwarded-For:\r\n\r\n",
                      proxy),
              ids_of_request +
                  "X-Forwarded-For: 10.0.0.1\r\nX-Forwarded-Host: h\r\n"
                  "X-Forwarded-Port: 443\r\nVia: 1.1 ticketgate\r\n");
}

TEST_F(Stamp, HeadersOfAnOldRequestWithoutHost) {
    EXPECT_EQ(request("GET / HTTP/1.0\r\n\r\n", stranger),
              ids_of_request +
                  "X-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: http\r\n"
                  "X-Forwarded-Port: 8080\r\nHost: backend:81\r\nVia: 1.0 ticketgate\r\n");
}

TEST_F(Stamp, APeerOnAUnixSocketHasNoAddressAndTheHostsPort) {
    const std::string plain = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
    const std::string without = ids_of_request +
                                "X-Forwarded-Proto: http\r\nX-Forwarded-Host: h\r\n"
                                "X-Forwarded-Port: 80\r\nVia: 1.1 ticketgate\r\n";
    EXPECT_EQ(request(plain, {"unix", false, 0}), without);
    EXPECT_EQ(request(plain, {"unix", true, 0}), without);
    EXPECT_EQ(request(forwarded, {"unix", false, 0}).find("X-Forwarded-For"), std::string::npos);
    EXPECT_EQ(
        request(forwarded, {"unix", true, 0}),
        ids_of_request +
            "X-Forwarded-For: 203.0.113.9, 198.51.100.2, 10.9.9.9\r\nVia: 1.1 ticketgate\r\n");
    EXPECT_EQ(ip(forwarded, {"unix", true, 0}), "10.9.9.9");
    EXPECT_EQ(ip(forwarded, {"unix", false, 0}), "unix");
}

TEST_F(Stamp, IdHeadersHaveTheNamesOfTheConfig) {
    const Served renamed(
        "ids: {request_id: {header: X-Rid}, unique_id: {headers: [One, Two]}}\n"
        "routes: [{prefix: /, upstream: app}]\n");
    std::string lines;
    stamp_response(renamed.snapshot->config.ids, record, false, 11, lines);
    EXPECT_EQ(lines, "X-Rid: rid\r\nOne: uid\r\nTwo: uid\r\nVia: 1.1 ticketgate\r\n");
}

TEST_F(Stamp, ViaOfAResponseSaysInWhichVersionItCame) {
    std::string lines;
    stamp_response(served.snapshot->config.ids, record, false, 10, lines);
    EXPECT_TRUE(lines.ends_with("Via: 1.0 ticketgate\r\n")) << lines;
}

const std::string ids_of_response =
    "X-Request-Id: rid\r\nUNIQUE_ID: uid\r\nUnique-Id: uid\r\nVia: 1.1 ticketgate\r\n";

TEST_F(Stamp, HeadersOfAQueuedResponse) {
    record.queue = "app";
    record.queue_wait = 12'034'999ns;
    record.upstream = 1'500ms;
    std::string lines;
    stamp_response(served.snapshot->config.ids, record, true, 11, lines);
    EXPECT_EQ(lines,
              ids_of_response + "Server-Timing: queue;dur=12.034, upstream;dur=1500.000\r\n");
}

TEST_F(Stamp, HeadersOfAResponseWithoutAQueue) {
    record.upstream = 5us;
    std::string lines = "kept\r\n";
    stamp_response(served.snapshot->config.ids, record, true, 11, lines);
    EXPECT_EQ(lines, "kept\r\n" + ids_of_response + "Server-Timing: upstream;dur=0.005\r\n");
}

TEST_F(Stamp, AnswersWithoutABackendHaveNoTimeOfOne) {
    std::string lines;
    stamp_response(served.snapshot->config.ids, record, true, 11, lines);
    EXPECT_EQ(lines, ids_of_response);
    record.queue = "app";
    lines.clear();
    stamp_response(served.snapshot->config.ids, record, true, 11, lines);
    EXPECT_EQ(lines, ids_of_response + "Server-Timing: queue;dur=0.000\r\n");
    record.upstream_status = 200;  // in less than the clock shows
    lines.clear();
    stamp_response(served.snapshot->config.ids, record, true, 11, lines);
    EXPECT_EQ(lines, ids_of_response + "Server-Timing: queue;dur=0.000, upstream;dur=0.000\r\n");
}

TEST_F(Stamp, ServerTimingMayBeOff) {
    std::string lines;
    stamp_response(served.snapshot->config.ids, record, false, 11, lines);
    EXPECT_EQ(lines, ids_of_response);
}

TEST_F(Stamp, TheClientIsTheLastAddressOfXForwardedFor) {
    EXPECT_EQ(ip(forwarded, proxy), "10.9.9.9");
    EXPECT_EQ(ip("GET / HTTP/1.1\r\nHost: h\r\n\r\n", proxy), "10.0.0.1");
    EXPECT_EQ(ip("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 1.2.3.4\r\n\r\n", proxy),
              "1.2.3.4");
}

TEST_F(Stamp, OnlyAPossibleTunnelBypassesTheQueue) {
    const std::string upgrade =
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n";
    const std::string events = "GET / HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n";
    config::Settings settings;
    settings.tunnel = config::Tunnel::bypass;
    EXPECT_TRUE(bypasses(parsed(upgrade), settings, true));
    EXPECT_FALSE(bypasses(parsed(upgrade), settings, false)) << "a CGI backend has no upgrades";
    EXPECT_TRUE(bypasses(parsed(events), settings, false));
    settings.tunnel = config::Tunnel::release;
    EXPECT_FALSE(bypasses(parsed(events), settings, true));
}

}  // namespace
}  // namespace ticketgate
