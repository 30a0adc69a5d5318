// CONTRACT 6: the settings of a request; no spelling of a path slips past its queue. The config is
// the example of the project's main issue.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

const std::string example = R"(
upstreams: { app: { url: "${BACKEND}" } }
defaults: { upstream: app }
routes:
  - prefix: /
  - prefix: /a
    queue: a
    skip_methods: [OPTIONS, GET]
    wait_timeout: 10s
    max_waiting: 20
    routes:
      - prefix: /a/b
        queue: ab
        on_wait_timeout:
          status: 504
          content_type: application/json
          body: '{"error":"Queue timeout","id":"${request_id}"}'
  - regex: ^/a/[^b].*/
    queue: off
)";

class Routing : public testing::Test {
 protected:
    Routing() : gateway(example, with(backend)) {}
    // Sends such a request and returns the queue it waited in; empty: none.
    std::string queue_of(const std::string& method, const std::string& target) {
        Client client = gateway.client();
        client.request(method, target);
        EXPECT_EQ(client.read().status, 200) << target;
        const auto line = gateway.log(++requests_).back();
        EXPECT_EQ(line.at("path").as_string(), target);
        EXPECT_EQ(backend.all().back().target, target) << "the client's own bytes are forwarded";
        const auto* queue = line.if_contains("queue");
        return queue == nullptr ? "" : queue->as_string().c_str();
    }
    Backend backend;
    Gateway gateway;
    std::size_t requests_ = 0;
};

TEST_F(Routing, FollowsTheExample) {
    EXPECT_EQ(queue_of("POST", "/"), "");
    EXPECT_EQ(queue_of("POST", "/other"), "");
    EXPECT_EQ(queue_of("POST", "/a"), "a");
    EXPECT_EQ(queue_of("POST", "/a/"), "a");
    EXPECT_EQ(queue_of("POST", "/a/x"), "a");
    EXPECT_EQ(queue_of("POST", "/a/b"), "ab");
    EXPECT_EQ(queue_of("POST", "/a/b/c"), "ab");
    EXPECT_EQ(queue_of("POST", "/a/bc"), "a") << "a prefix is whole segments";
    EXPECT_EQ(queue_of("POST", "/ab"), "");
    EXPECT_EQ(queue_of("POST", "/a/x/y"), "") << "by the regex";
    EXPECT_EQ(queue_of("POST", "/a/b/y/z"), "ab");
}

TEST_F(Routing, SkipsTheInheritedMethods) {
    for (const char* target : {"/a", "/a/b"}) {
        EXPECT_EQ(queue_of("GET", target), "");
        EXPECT_EQ(queue_of("OPTIONS", target), "");
        EXPECT_NE(queue_of("POST", target), "");
        EXPECT_NE(queue_of("DELETE", target), "");
    }
}

TEST_F(Routing, NoSpellingOfAPathSlipsPastItsQueue) {
    const std::vector<std::string> spellings{
        "/a/b",
        "//a/b",
        "/a//b",
        "/a/./b",
        "/./a/b",
        "/x/../a/b",
        "/a/b/../b",
        "/%61/b",
        "/%61/%62?%2f",
        "/x/%2e%2e/a/b",
        "/x/%2E./a/b",
        "/a/b?/x",
        "/..//a/b",
        "/%2e%2e/a/b",
        "///a///b///",
        "/a/x/../b",
        "/a/b/.",
        "/a/x/y/../../b",
        "/a/b/c\\d",
        "/a/b/c/../d",
        "/a/b/%2e/c",
        "/a/b/c%2fd",
        "/a/b?x=/../..",
        "/x/y/../../a/b",
        "/a/b/x%5c",
        "/a/b/;/../c",
        "/a/b/c//../d",
        "/a/b/x;y/../z",
        "/a/b/%C0%AE%C0%AE/x",
        "/a/b/%252e%252e/x",
        "/a/b/..%2fb",
    };
    for (const auto& target : spellings) EXPECT_EQ(queue_of("POST", target), "ab") << target;
}

// Servers differ in whether a backslash or `%2F` is a slash, and in what `..` removes after `//`.
// If that decides about the queue, the request is refused.
TEST_F(Routing, PathWithTwoReadingsThatLeadToTwoQueuesIsRefused) {
    const std::vector<std::string> spellings{
        "/%61%2Fb",    "/a%2fb",           "/a%2Fb", "/x/..%2fa/b",        "/a\\b",
        "/x\\..\\a/b", "/a/b%2fc",         "/a%5cb", "/a/b/..\\..\\..\\x", "/a/b/..%5cx",
        "/a/b//../x",  "/a/b/..%2f..%2fx",
    };
    Client client = gateway.client();
    for (const auto& target : spellings) {
        client.request("POST", target);
        EXPECT_EQ(client.read().status, 400) << target;
    }
    EXPECT_EQ(backend.all().size(), 0u);
}

TEST_F(Routing, AbsoluteFormMatchesByItsPath) {
    Client client = gateway.client();
    client.request("POST", "http://app.test/a/b");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(gateway.log(1).at(0).at("queue").as_string(), "ab");
    EXPECT_EQ(backend.all().at(0).target, "/a/b") << "a backend gets the origin form";
}

TEST_F(Routing, CaseMattersInPathsAsItDoesForTheBackend) {
    EXPECT_EQ(queue_of("POST", "/A/b"), "");
    EXPECT_EQ(queue_of("POST", "/a/B"), "a");
}

// A router that compares the path as it came runs the page of `/a/b/{id}` for `/a/b/..`.
TEST_F(Routing, AQueueOfThePathAsItCameCountsWhereItsNormalFormHasNone) {
    EXPECT_EQ(queue_of("POST", "/a/b/../../x"), "ab");
    EXPECT_EQ(queue_of("POST", "/a/.."), "a");
    EXPECT_EQ(queue_of("POST", "/a/%2E%2E"), "a");
    EXPECT_EQ(queue_of("GET", "/a/.."), "") << "GET is not queued there";
    EXPECT_EQ(queue_of("POST", "/x/./y"), "");
}

TEST_F(Routing, APathThatHasTwoQueuesAsItCameAndResolvedIsRefused) {
    Client client = gateway.client();
    for (const char* target : {"/a/b/..", "/a/b/%2e%2e/c", "/a/%62", "/a//%62"}) {
        client.request("POST", target);
        EXPECT_EQ(client.read().status, 400) << target;
    }
    EXPECT_EQ(backend.all().size(), 0u);
}

TEST(MethodNames, AreComparedExactly) {
    Backend backend;
    Gateway gateway(example, with(backend));
    Client client = gateway.client();
    client.request("get", "/a");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(gateway.log(1).at(0).at("queue").as_string(), "a")
        << "`get` is not GET (RFC 9110 9.1)";
}

TEST(Inheritance, GivesAChildTheSettingsOfItsParent) {
    Backend backend;
    std::string yaml = example;
    yaml.replace(yaml.find("wait_timeout: 10s"), 17, "wait_timeout: 100ms");
    Gateway gateway(yaml, with(backend));
    backend.hold("/a/b");
    Client first = gateway.client();
    first.request("POST", "/a/b");
    ASSERT_TRUE(backend.wait_for("/a/b"));
    const auto answer = gateway.post("/a/b/c", "x");
    EXPECT_EQ(answer.status, 504);
    EXPECT_EQ(answer.header("Content-Type"), "application/json");
    EXPECT_EQ(answer.body,
              R"({"error":"Queue timeout","id":")" + answer.header("X-Request-Id") + "\"}");
    backend.release("/a/b");
    EXPECT_EQ(first.read().status, 200);
}

}  // namespace
}  // namespace ticketgate::test
