// `ticketgate explain` tells what the proxy does with the same request.
#include "app/explain.hpp"

#include <filesystem>

#include "config/load.hpp"
#include "support/temporary_folder.hpp"
#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

const std::string text = R"(
listen: [{ address: "127.0.0.1:0", name: web }, { address: "127.0.0.1:0", name: inner }]
clients: { unusual_names: refuse, max_uri: 200, max_headers: 5 }
upstreams: { a: { url: "${A}" } }
queues: { a: {}, b: {} }
defaults: { upstream: a, skip_methods: [GET, HEAD, OPTIONS], max_body: 10 }
routes:
  - host: a.example.org
    queue: a
    routes:
      - { prefix: /off, queue: off }
      - { prefix: /tunnel, tunnel: bypass, skip_methods: [] }
      - { prefix: /read, methods: [GET], skip_methods: [], queue: b }
      - { prefix: /put, methods: [PUT], queue: b }
      - { prefix: /inner, listener: inner, queue: off }
      - { prefix: /here, from: [127.0.0.0/8], queue: off }
      - { prefix: /kind, header: { X-Kind: api }, queue: b }
      - { prefix: /free, method_override: forward }
  - { host: "*.example.net", prefix: /n, queue: b }
)";

const ExplainedRequest requests[] = {
    {"POST", "/", "a.example.org", "", "", {}},
    {"GET", "/", "a.example.org", "", "", {}},
    {"HEAD", "/", "a.example.org", "", "", {}},
    {"get", "/", "a.example.org", "", "", {}},
    {"GET", "/?_method=PUT", "a.example.org", "", "", {}},
    {"GET", "/free?_method=PUT", "a.example.org", "", "", {}},
    {"GET", "/", "a.example.org", "", "", {"X-HTTP-Method-Override: POST"}},
    {"POST", "/put", "a.example.org", "", "", {"X-HTTP-Method-Override: PUT"}},
    {"PUT", "/put", "a.example.org", "", "", {}},
    {"Put", "/put", "a.example.org", "", "", {}},
    {"POST", "/read", "a.example.org", "", "", {"X-HTTP-Method-Override: GET"}},
    {"GET", "/read", "a.example.org", "", "", {}},
    {"POST", "/off", "a.example.org", "", "", {}},
    {"POST", "/OFF", "a.example.org", "", "", {}},
    {"POST", "/x/../off", "a.example.org", "", "", {}},
    {"POST", "/x/%2e%2e/off", "a.example.org", "", "", {}},
    {"POST", "/x/%2E%2e%2Foff", "a.example.org", "", "", {}},
    {"POST", "/off%2fx", "a.example.org", "", "", {}},
    {"POST", "/off%5cx", "a.example.org", "", "", {}},
    {"POST", "//off", "a.example.org", "", "", {}},
    {"POST", "/o%66f", "a.example.org", "", "", {}},
    {"POST", "/off%00", "a.example.org", "", "", {}},
    {"POST", "/%zz", "a.example.org", "", "", {}},
    {"POST", "/../off", "a.example.org", "", "", {}},
    {"POST", "http://a.example.org/off", "", "", "", {}},
    {"POST", "off", "a.example.org", "", "", {}},
    {"OPTIONS", "*", "a.example.org", "", "", {}},
    {"OPTIONS", "/", "a.example.org", "", "", {"Max-Forwards: 0"}},
    {"GET", "/", "a.example.org", "", "", {"Max-Forwards: 0"}},
    {"TRACE", "/", "a.example.org", "", "", {}},
    {"CONNECT", "a.example.org:80", "a.example.org", "", "", {}},
    {"G T", "/", "a.example.org", "", "", {}},
    {"GET", "/" + std::string(300, 'x'), "a.example.org", "", "", {}},
    {"GET", "/", "a.example.org", "", "", {"A: 1", "B: 2", "C: 3", "D: 4", "E: 5"}},
    {"GET", "/", "a.example.org", "", "", {"bad header"}},
    {"GET", "/", "a.example.org", "", "", {"X_Kind: api"}},
    {"GET", "/tunnel", "a.example.org", "", "", {"Accept: text/event-stream"}},
    {"GET", "/tunnel", "a.example.org", "", "", {}},
    {"POST", "/inner", "a.example.org", "", "", {}},
    {"POST", "/inner", "a.example.org", "inner", "", {}},
    {"POST", "/here", "a.example.org", "", "127.0.0.1", {}},
    {"POST", "/kind", "a.example.org", "", "", {"X-Kind: api"}},
    {"POST", "/kind", "a.example.org", "", "", {"X-Kind: web"}},
    {"POST", "/kind", "a.example.org", "", "", {"X-Kind: api", "X-Kind: web"}},
    {"POST", "/kind", "a.example.org", "", "", {"X-Kind: api", "Connection: X-Kind"}},
    {"POST", "/", "b.example.org", "", "", {}},
    {"POST", "/", "", "", "", {}},
    {"POST", "/", "a.example%2eorg", "", "", {}},
    {"POST", "/n", "x.example.net", "", "", {}},
    {"POST", "/", "x.example.net", "", "", {}},
    {"POST", "/", "[::0:1]", "", "", {}},
    {"POST", "/", "a.example.org", "", "", {"Content-Length: 11"}},
};

std::string words_of(const ExplainedRequest& request) {
    std::string out = request.method + " " + request.target.substr(0, 40) + " " + request.host;
    for (const auto& line : request.headers) out += ", " + line;
    return out;
}

class Explained : public testing::Test {
 protected:
    Explained() : gateway(text, {{"A", backend.url()}}) {
        const auto loaded = config::load_text(text, "c.yaml", [this](std::string_view name) {
            return name == "A" ? std::optional(backend.url()) : std::nullopt;
        });
        if (loaded.config) config = *loaded.config;
    }

    // What the proxy does, in the words of `explain`.
    std::string served(const ExplainedRequest& request) {
        Client client(gateway.address(request.listener == "inner" ? 1 : 0));
        std::string head =
            request.method + " " + request.target + " HTTP/1.1\r\nHost: " +
            (request.host.empty() && request.target.starts_with("http") ? "a.example.org"
                                                                        : request.host) +
            "\r\n";
        for (const auto& line : request.headers) head += line + "\r\n";
        client.send(head + "\r\n");
        const int status = client.read_to_head().status;
        const auto line = gateway.log(++seen_).back();
        if (status >= 400) return "refused with " + std::to_string(status) + ":";
        if (status == 204) return "answered here with 204:";  // the backend sends 200
        if (!line.contains("queue")) return "not queued (";
        return "stands in queue " + std::string(line.at("queue").as_string());
    }

    Backend backend;
    Gateway gateway;
    config::Config config;

 private:
    std::size_t seen_ = 0;
};

TEST_F(Explained, TellsWhatTheProxyDoes) {
    ASSERT_FALSE(config.routes.empty());
    for (const auto& request : requests) {
        const auto told = explain(config, request, config::Shown::set);
        EXPECT_EQ(told.misuse, "") << words_of(request);
        EXPECT_NE(("\n" + told.text).find("\n" + served(request)), std::string::npos)
            << words_of(request) << "\n"
            << told.text;
    }
}

// What ticketgate answers itself stands in no queue; a link is named as the reason.
TEST(ExplainedFiles, AreInNoQueueAndNameTheLinkThatLeadsOut) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.file("root"));
    (void)folder.write("root/a.css", "a");
    (void)folder.write("outside.css", "b");
    std::filesystem::create_symlink("../outside.css", folder.file("root/link.css"));
    const auto loaded = config::load_text(
        "listen: [{address: \"127.0.0.1:0\"}]\n"
        "upstreams: {app: {url: \"http://127.0.0.1:1\", files: {root: " +
            folder.file("root") +
            ", try: [path]}}}\n"
            "routes: [{prefix: /, upstream: app, queue: q}]\n",
        "c.yaml", config::environment_of({}));
    ASSERT_TRUE(loaded.config);
    const auto told = [&](const std::string& path) {
        ExplainedRequest request;
        request.method = "GET";
        request.target = path;
        request.host = "a";
        return explain(*loaded.config, request, config::Shown::set).text;
    };
    for (const char* path : {"/a.css", "/link.css", "/nothing"}) {
        EXPECT_NE(told(path).find("answered by ticketgate, in no queue"), std::string::npos);
        EXPECT_EQ(told(path).find("stands in queue"), std::string::npos) << told(path);
    }
    EXPECT_NE(told("/link.css")
                  .find("leads out of files.root, to " +
                        std::filesystem::canonical(folder.file("outside.css")).string()),
              std::string::npos)
        << told("/link.css");
}

TEST_F(Explained, SaysWhatIsWrongWithItsArguments) {
    ExplainedRequest request{"GET", "/", "a.example.org", "inn", "", {}};
    EXPECT_EQ(explain(config, request, config::Shown::set).misuse,
              "--listener inn: no listener has this name; the file has web, inner");
    request = {"GET", "/", "a.example.org", "", "10.0.0", {}};
    EXPECT_EQ(explain(config, request, config::Shown::set).misuse,
              "--from 10.0.0: not an IP address, and not unix");
}

}  // namespace
}  // namespace ticketgate::test
