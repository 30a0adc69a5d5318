// CONTRACT 6: several sites behind one ticketgate, and routes that ask for more than a path.
#include "support/proxy_header.hpp"
#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

const std::string two_sites = R"(
listen: [{ address: "127.0.0.1:0", name: web }, { address: "127.0.0.1:0", name: inner }]
clients: { trusted_proxies: [127.0.0.1] }
upstreams: { a: { url: "${A}" }, b: { url: "${B}" } }
routes:
  - host: a.example.org
    upstream: a
    queue: a
    routes:
      - { prefix: /shared, queue: shared }
      - { prefix: /inner, listener: inner, queue: off }
      - { prefix: /office, from: [10.0.0.0/8], queue: off }
      - { prefix: /api, header: { X-Kind: api }, queue: api }
      - { prefix: /read, methods: [GET], queue: off }
  - host: ["*.example.org", "[::1]"]
    prefix: /
    upstream: b
    queue: b
    routes: [{ prefix: /shared, queue: shared }]
  - { host: c.example.net, prefix: /c, upstream: b }
)";

class Sites : public testing::Test {
 protected:
    struct Got {
        int status = 0;
        std::string queue;
        std::size_t at_a = 0, at_b = 0;  // requests that the backends have seen
    };
    Sites() : gateway(two_sites, {{"A", a.url()}, {"B", b.url()}}) {}

    Got ask(const std::string& request, std::size_t listener = 0) {
        Client client(gateway.address(listener));
        client.send(request);
        Got got;
        got.status =
            request.starts_with("HEAD ") ? client.read_to_head().status : client.read().status;
        const auto line = gateway.log(++requests_).back();
        const auto* queue = line.if_contains("queue");
        if (queue != nullptr) got.queue = queue->as_string().c_str();
        got.at_a = a.all().size();
        got.at_b = b.all().size();
        return got;
    }
    Got get(const std::string& host, const std::string& target = "/", const std::string& lines = "",
            const std::string& method = "GET", std::size_t listener = 0) {
        return ask(method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\n" + lines + "\r\n",
                   listener);
    }
    Backend a, b;
    Gateway gateway;
    std::size_t requests_ = 0;
};

TEST_F(Sites, EachHostHasItsQueueAndItsUpstream) {
    std::size_t at_a = 0, at_b = 0;
    for (const char* host : {"a.example.org", "A.EXAMPLE.ORG:8080", "a.example.org."}) {
        const Got got = get(host);
        EXPECT_EQ(got.queue, "a") << host;
        EXPECT_EQ(got.at_a, ++at_a) << host;
    }
    for (const char* host : {"b.example.org", "x.y.example.org:1", "[::1]:80"}) {
        const Got got = get(host);
        EXPECT_EQ(got.queue, "b") << host;
        EXPECT_EQ(got.at_b, ++at_b) << host;
    }
    EXPECT_EQ(get("a.example.org", "/shared").queue, "shared");
    EXPECT_EQ(get("b.example.org", "/shared").queue, "shared");
}

TEST_F(Sites, AForeignHostGets421AndAForeignPath404) {
    for (const char* host :
         {"example.org", "a.example.net", "127.0.0.1", "", "[::2]", "a.example.org.evil.net"})
        EXPECT_EQ(get(host).status, 421) << host;
    EXPECT_EQ(get("c.example.net", "/d").status, 404);
    EXPECT_EQ(get("c.example.net", "/c").status, 200);
    EXPECT_EQ(ask("GET / HTTP/1.0\r\n\r\n").status, 421);
    EXPECT_EQ(get("%61.example.org").status, 400) << "a host that servers read in two ways";
    for (const char* host : {"[0:0::1]", "[::0:1]:80", "[0000::0001]"})
        EXPECT_EQ(get(host).status, 400) << host;
    EXPECT_EQ(a.all().size(), 0u);
}

TEST_F(Sites, TheTargetsHostAndTheFieldMustBeOne) {
    EXPECT_EQ(get("a.example.org", "http://a.example.org/x").queue, "a");
    EXPECT_EQ(ask("GET http://a.example.org/x HTTP/1.0\r\n\r\n").queue, "a");
    EXPECT_EQ(get("a.example.org", "http://b.example.org/x").status, 400);
    EXPECT_EQ(get("b.example.org", "/", "X-Forwarded-Host: a.example.org\r\n").queue, "b")
        << "X-Forwarded-Host selects nothing, even of a trusted proxy";
}

TEST_F(Sites, TheListenerCounts) {
    EXPECT_EQ(get("a.example.org", "/inner").queue, "a");
    EXPECT_EQ(get("a.example.org", "/inner", "", "GET", 1).queue, "");
}

TEST_F(Sites, TheClientBehindATrustedProxyCounts) {
    EXPECT_EQ(get("a.example.org", "/office").queue, "a");
    EXPECT_EQ(get("a.example.org", "/office", "X-Forwarded-For: 10.1.2.3\r\n").queue, "");
    EXPECT_EQ(get("a.example.org", "/office", "X-Forwarded-For: 10.1.2.3, 192.0.2.1\r\n").queue,
              "a");
}

TEST_F(Sites, AHeaderWithTwoReadingsIsRefused) {
    EXPECT_EQ(get("a.example.org", "/api").queue, "a");
    EXPECT_EQ(get("a.example.org", "/api", "x-kind: api\r\n").queue, "api");
    EXPECT_EQ(get("a.example.org", "/api", "X-Kind: web\r\n").queue, "a");
    for (const char* lines :
         {"X-Kind: api\r\nX-Kind: web\r\n", "X-Kind: web\r\nX-Kind: api\r\n", "X_Kind: api\r\n",
          "X-Kind: web\r\nX.Kind: api\r\n", "Connection: X-Kind\r\nX-Kind: api\r\n"})
        EXPECT_EQ(get("a.example.org", "/api", lines).status, 400) << lines;
    EXPECT_EQ(get("a.example.org", "/other", "X_Kind: api\r\n").status, 200)
        << "no route asks for it here";
}

TEST_F(Sites, AMethodBesideTheMethodTakesTheQueue) {
    EXPECT_EQ(get("a.example.org", "/read").queue, "");
    EXPECT_EQ(get("a.example.org", "/read", "", "HEAD").queue, "");
    EXPECT_EQ(get("a.example.org", "/read", "Content-Length: 0\r\n", "POST").queue, "a");
    EXPECT_EQ(get("a.example.org", "/read", "X-HTTP-Method-Override: PUT\r\n").queue, "a");
    EXPECT_EQ(get("a.example.org", "/read?_method=PUT").queue, "a");
    EXPECT_EQ(get("a.example.org", "/read", "", "get").queue, "a");
}

TEST_F(Sites, OneQueueOfTwoSitesIsOneLine) {
    a.hold("/shared");
    Client first(gateway.address());
    first.send("GET /shared HTTP/1.1\r\nHost: a.example.org\r\n\r\n");
    ASSERT_TRUE(a.wait_for("/shared"));
    Client second(gateway.address());
    second.send("GET /shared HTTP/1.1\r\nHost: b.example.org\r\n\r\n");
    EXPECT_TRUE(gateway.wait_for_waiting("shared", 1));
    EXPECT_EQ(b.count("/shared"), 0u);
    a.release("/shared");
    EXPECT_EQ(first.read().status, 200);
    EXPECT_EQ(second.read().status, 200);
}

TEST_F(Sites, AReloadRenamesListeners) {
    std::string yaml = two_sites;
    yaml.replace(yaml.find("name: inner"), 11, "name: other");
    yaml.replace(yaml.find("name: web"), 9, "name: inner");
    ASSERT_TRUE(gateway.reload(yaml));
    EXPECT_EQ(get("a.example.org", "/inner").queue, "");
    EXPECT_EQ(get("a.example.org", "/inner", "", "GET", 1).queue, "a");
}

// CONTRACT 2.6. Each route alone is fine, so `check` does not see it. The slot would be free with
// the response, while a script goes on.
TEST(WorkerIdle, ACombinationOfRoutesWithoutAStatusPageIsNotRun) {
    Backend backend;
    Gateway gateway(
        "upstreams:\n"
        "  php: { url: \"fastcgi://127.0.0.1:1\", fastcgi: { root: /srv, status: { url: "
        "\"fastcgi://127.0.0.1:1\" } } }\n"
        "  web: { url: \"${BACKEND}\" }\n"
        "queues: { q: { release: worker_idle } }\n"
        "routes:\n"
        "  - { prefix: /, upstream: php }\n"
        "  - { methods: [POST], queue: q }\n"
        "  - { header: { X-To: web }, upstream: web }\n"
        "  - { regex: queued, queue: q }\n",
        with(backend));
    const auto status = [&](std::string_view method, std::string_view target) {
        Client client = gateway.client();
        client.request(method, target, "X-To: web\r\n");
        return client.read().status;
    };
    EXPECT_EQ(status("POST", "/a"), 500);
    EXPECT_EQ(status("GET", "/queued"), 500);
    EXPECT_TRUE(backend.all().empty());
    EXPECT_EQ(status("GET", "/a"), 200) << "is not queued";
}

// The name in the handshake selects a certificate; the request's own Host selects the site.
TEST(TlsSites, TheHostDecidesAndNotTheNameOfTheHandshake) {
    House house(
        "upstreams: { app: { url: \"${BACKEND}\" } }\n"
        "defaults: { upstream: app }\n"
        "routes: [{ host: localhost, queue: l }, { host: a.example.org, queue: a }]\n");
    Client client = house.gateway.client();
    client.send("GET /x HTTP/1.1\r\nHost: a.example.org\r\n\r\n");
    EXPECT_EQ(client.read().status, 200);
    client.send("GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n");
    EXPECT_EQ(client.read().status, 200);
    const auto lines = house.gateway.log(2);
    EXPECT_EQ(lines.at(0).at("queue").as_string(), "a");
    EXPECT_EQ(lines.at(1).at("queue").as_string(), "l");
}

// It may be anybody: the addresses of `from` are not those of its proxy.
TEST(SitesBehindAProxy, AClientWithoutAnAddressIsFromNowhere) {
    Backend backend;
    Gateway gateway(R"(
listen: [{ address: "127.0.0.1:0", proxy_protocol: true }]
clients: { trusted_proxies: [127.0.0.1] }
upstreams: { app: { url: "${BACKEND}" } }
routes:
  - { prefix: /, upstream: app, queue: q }
  - { prefix: /, from: [127.0.0.1], upstream: app, queue: off }
)",
                    with(backend));
    const std::string datagram =
        proxy_v2('\x21', '\x12', {"\x06\x06\x06\x06\x7f\0\0\1\0\x09\0\x50", 12});
    const std::string local = proxy_v2('\x20', '\0', "");
    std::size_t requests = 0;
    const auto queued = [&](const std::string& header, const std::string& lines = {}) {
        Client client(gateway.address());
        client.send(header + "GET /x HTTP/1.1\r\nHost: a\r\n" + lines + "\r\n");
        EXPECT_EQ(client.read().status, 200);
        return gateway.log(++requests).back().contains("queue");
    };
    EXPECT_TRUE(queued("PROXY UNKNOWN\r\n"));
    EXPECT_TRUE(queued(datagram));
    EXPECT_TRUE(queued("PROXY TCP4 6.6.6.6 127.0.0.1 9 80\r\n"));
    EXPECT_FALSE(queued(local)) << "a health check is its proxy's own";
    for (const char* last : {"unix:", "unknown", "_hidden", "", "127.0.0.1, unknown", "127.0.0.1,",
                             "127.0.0.1\r\nX-Forwarded-For:"})
        EXPECT_TRUE(queued(local, std::string("X-Forwarded-For: ") + last + "\r\n")) << last;
    EXPECT_FALSE(queued(local, "X-Forwarded-For: 6.6.6.6, 127.0.0.1\r\n"));
}

}  // namespace
}  // namespace ticketgate::test
