// Static files: what is sent, what is never sent, and that files and queues do not meet.
#include <algorithm>
#include <filesystem>

#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* source = "<?php $secret = 1;";

// A root with a little of everything; what must not be shown contains "secret".
class Site {
 public:
    Site() {
        for (const char* folder :
             {"root/docs", "root/shop", "root/empty", "root/.git", "root/sub", "root/.well-known"})
            fs::create_directories(folder_.file(folder));
        for (const char* name : {"x.php", "x.PHP", "x.php5", "x.phtml", "x.phar", "x.inc",
                                 "x.php.bak", "x.php~", "x.php.gz", "shop/index.php", ".env",
                                 ".git/config", "composer.json", "dump.sql", "x.php."})
            write(name, source);
        write("a.css", "body { color: red }");
        write("docs/index.html", "<h1>docs</h1>");
        write("empty/file.txt", "text");
        write(".well-known/acme", "acme");
        write("with space & more.txt", "space");
        (void)folder_.write("outside", source);
        fs::create_symlink("../outside", at("link"));
        fs::create_symlink("/etc/passwd", at("absolute"));
    }
    std::string root() const { return folder_.file("root"); }
    std::string at(const std::string& name) const { return root() + "/" + name; }
    void write(const std::string& name, const std::string& text) const {
        (void)folder_.write("root/" + name, text);
    }

 private:
    TemporaryFolder folder_;
};

std::string queued(const std::string& files = {}) {
    return "upstreams: { app: { url: \"${BACKEND}\" } }\n"
           "defaults: { upstream: app, files: { root: \"${ROOT}\"" +
           files +
           " } }\n"
           "routes: [{ prefix: /, queue: q }]\n";
}

struct Http {
    explicit Http(const std::string& yaml)
        : gateway(yaml, {{"BACKEND", backend.url()}, {"ROOT", site.root()}}) {}
    Site site;
    Backend backend;
    Gateway gateway;
};

std::string outcome(const Gateway& gateway, std::size_t line) {
    return gateway.log(line).at(line - 1).at("outcome").as_string().c_str();
}

TEST(Files, AreSentWhileTheQueueIsFull) {
    Http http(queued());
    Client busy = running(http.gateway, http.backend, "/busy");
    const auto answer = http.gateway.get("/a.css");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "body { color: red }");
    EXPECT_EQ(answer.header("Content-Type"), "text/css; charset=utf-8");
    EXPECT_EQ(answer.header("Accept-Ranges"), "bytes");
    EXPECT_EQ(answer.fields.count("Date"), 1u);
    EXPECT_FALSE(answer.header("ETag").empty());
    const auto line = http.gateway.log(1).at(0);
    EXPECT_EQ(line.at("outcome").as_string(), "file");
    EXPECT_EQ(line.at("bytes").to_number<int>(), 19);
    EXPECT_EQ(line.at("request_id").as_string(), answer.header("X-Request-Id"));
    EXPECT_EQ(line.if_contains("queue"), nullptr);
    EXPECT_EQ(http.gateway.line("q").in_flight, 1u);
    EXPECT_EQ(http.gateway.metric("ticketgate_http_requests_total{code=\"2xx\"}"), 1);
    http.backend.release("/busy");
    EXPECT_EQ(busy.read().status, 200);
    EXPECT_EQ(http.backend.all().size(), 1u);
}

TEST(Files, ComeBeforeTheBackend) {
    Http http(queued());
    for (const char* path : {"/missing", "/x.php", "/x.php/y", "/x.PHP", "/x.php.", "/x.inc",
                             "/link", "/absolute", "/empty", "/empty/", "/a.css/", "/shop/"})
        EXPECT_EQ(http.gateway.get(path).body, path) << "answered by the backend";
    EXPECT_EQ(http.gateway.get("/.well-known/acme").body, "acme");
    EXPECT_EQ(http.gateway.get("/with%20space%20&%20more.txt").body, "space");
    EXPECT_EQ(http.gateway.get("/docs/").body, "<h1>docs</h1>");
    EXPECT_EQ(http.gateway.post("/a.css", "x").body, "/a.css") << "a POST is the backend's";
    EXPECT_EQ(http.gateway.get("/%2e/docs/../a.css").body, "body { color: red }");
}

TEST(Files, OfFoldersAreFoundWithTheirSlash) {
    Http http(queued());
    const auto answer = http.gateway.get("/docs?a=b&c");
    EXPECT_EQ(answer.status, 301);
    EXPECT_EQ(answer.header("Location"), "/docs/?a=b&c");
    EXPECT_FALSE(answer.header("X-Request-Id").empty());
    // never another host
    EXPECT_EQ(http.gateway.get("//evil.example/../docs").header("Location"), "/docs/");
    EXPECT_EQ(http.gateway.get("/\\evil.example/%2e%2e/docs").header("Location"), "/docs/");
    EXPECT_EQ(http.gateway.post("/shop", "x").status, 308);
    EXPECT_EQ(outcome(http.gateway, 1), "file");
}

// The spellings that the routing knows, and those that other servers read as a script.
TEST(Files, NeverShowWhatIsHiddenOrAScript) {
    Http http(queued());
    const std::string names[] = {
        "/x.php", "/x.PHP",       "/x.php5",        "/x.phtml",          "/x.phar",
        "/x.inc", "/x.php.bak",   "/x.php~",        "/x.php.gz",         "/shop/index.php",
        "/.env",  "/.git/config", "/composer.json", "/dump.sql",         "/x.php.",
        "/link",  "/shop/",       "/../outside",    "/sub/../../outside"};
    const auto changed = [](std::string path, const std::string& from, const std::string& to) {
        if (const auto at = path.find(from, 1); at != path.npos) path.replace(at, from.size(), to);
        return path;
    };
    for (const auto& name : names) {
        const std::string spellings[] = {name,
                                         name + "/",
                                         name + "//",
                                         name + ".",
                                         name + "%20",
                                         name + "%00",
                                         name + "%00.css",
                                         name + "/.",
                                         name + "/a.css",
                                         name + "/../" + name.substr(1),
                                         name + "?x.css",
                                         name + ";x.css",
                                         name + "%2f",
                                         name + "%5c",
                                         name + "\\",
                                         name + "%3f.css",
                                         name + "%23.css",
                                         name + "~",
                                         name + ".gz",
                                         name + ".br",
                                         name + "::$DATA",
                                         "/" + name,
                                         "/." + name,
                                         "/sub/.." + name,
                                         "/sub/%2e%2e" + name,
                                         "/sub%2f.." + name,
                                         "/sub/..%2f" + name.substr(1),
                                         "/sub/..%5c" + name.substr(1),
                                         "/sub\\.." + name,
                                         changed(name, ".", "%2e"),
                                         changed(name, ".", "%2E"),
                                         changed(name, "x", "%78"),
                                         changed(name, "x", "%2578"),
                                         changed(name, "/", "//"),
                                         changed(name, "/", "/./"),
                                         changed(name, "php", "PhP"),
                                         "http://a" + name,
                                         "http://a/" + name};
        for (const auto& path : spellings) {
            const auto answer = http.gateway.get(path, "Accept-Encoding: gzip, br\r\n");
            EXPECT_EQ(answer.body.find("secret"), std::string::npos) << path;
            EXPECT_NE(answer.status, 0) << path;
        }
    }
}

TEST(Files, HiddenAreMissingForEveryMethod) {
    Http http(queued());
    for (const char* path : {"/.env", "/.nothing", "/%2eenv", "/.git/config", "/composer.json",
                             "/nothing.bak", "/sub/.git/x.php"}) {
        EXPECT_EQ(http.gateway.get(path).status, 404) << path;
        EXPECT_EQ(http.gateway.post(path, "x").status, 404) << path;
    }
    EXPECT_TRUE(http.backend.all().empty());
    EXPECT_EQ(outcome(http.gateway, 1), "refused");
}

TEST(Files, WithoutAFallbackAreMissing) {
    Http http(queued(", try: [path, path/]"));
    const auto answer = http.gateway.get("/missing");
    EXPECT_EQ(answer.status, 404);
    EXPECT_FALSE(answer.header("X-Request-Id").empty());
    EXPECT_EQ(http.gateway.get("/a.css").status, 200);
    EXPECT_EQ(http.gateway.get("/x.php").status, 404);
    EXPECT_TRUE(http.backend.all().empty());
}

TEST(Files, MayEndWithAPageForAllPaths) {
    Http http(queued(", try: [path, /docs/index.html]"));
    EXPECT_EQ(http.gateway.get("/any/path").body, "<h1>docs</h1>");
    EXPECT_EQ(http.gateway.get("/a.css").header("Content-Type"), "text/css; charset=utf-8");
}

TEST(Files, AnswerConditionsAndRanges) {
    Http http(queued(", cache_control: \"max-age=60\""));
    fs::last_write_time(http.site.at("a.css"), fs::file_time_type::clock::now() - 1h);
    const auto get = http.gateway.get("/a.css");
    const std::string etag = get.header("ETag");
    EXPECT_TRUE(etag.starts_with('"')) << etag;
    EXPECT_EQ(get.header("Cache-Control"), "max-age=60");
    const auto known =
        http.gateway.get("/a.css", "If-None-Match: \"x\"\r\nIf-None-Match: " + etag + "\r\n");
    EXPECT_EQ(known.status, 304);
    EXPECT_EQ(known.header("ETag"), etag);
    EXPECT_EQ(known.header("Cache-Control"), "max-age=60");
    EXPECT_EQ(
        http.gateway.get("/a.css", "If-Modified-Since: " + get.header("Last-Modified") + "\r\n")
            .status,
        304);
    EXPECT_EQ(http.gateway.get("/a.css", "If-Match: \"x\"\r\n").status, 412);
    const auto part = http.gateway.get("/a.css", "Range: bytes=5-9\r\nIf-Range: " + etag + "\r\n");
    EXPECT_EQ(part.status, 206);
    EXPECT_EQ(part.body, "{ col");
    EXPECT_EQ(part.header("Content-Range"), "bytes 5-9/19");
    EXPECT_EQ(http.gateway.get("/a.css", "Range: bytes=5-9\r\nIf-Range: \"x\"\r\n").status, 200);
    EXPECT_EQ(http.gateway.get("/a.css", "Range: bytes=50-\r\n").status, 416);
    const auto parts = http.gateway.get("/a.css", "Range: bytes=0-3,-1\r\n");
    EXPECT_EQ(parts.status, 206);
    EXPECT_NE(parts.body.find("\r\n\r\nbody\r\n--"), std::string::npos);
    EXPECT_NE(parts.body.find("\r\n\r\n}\r\n--"), std::string::npos);
}

TEST(Files, ToHeadHaveTheSameFields) {
    Http http(queued());
    fs::last_write_time(http.site.at("a.css"), fs::file_time_type::clock::now() - 1h);
    Client client = http.gateway.client();
    client.request("HEAD", "/a.css");
    auto head = client.read_to_head();
    client.get("/a.css");
    auto get = client.read();
    for (const char* name : {"Content-Length", "Content-Type", "ETag", "Last-Modified", "Vary"})
        EXPECT_EQ(head.header(name), get.header(name)) << name;
    EXPECT_EQ(head.header("Content-Length"), "19");
    client.request("HEAD", "/missing.bak");
    EXPECT_EQ(client.read_to_head().status, 404);
}

TEST(Files, ArePackedForClientsThatTakeIt) {
    Http http(queued());
    http.site.write("a.css.gz", "packed");
    http.site.write("a.css.br", "smaller");
    const auto packed = http.gateway.get("/a.css", "Accept-Encoding: gzip;q=0.5, br;q=0\r\n");
    EXPECT_EQ(packed.body, "packed");
    EXPECT_EQ(packed.header("Content-Encoding"), "gzip");
    EXPECT_EQ(packed.header("Content-Type"), "text/css; charset=utf-8");
    EXPECT_EQ(http.gateway.get("/a.css", "Accept-Encoding: gzip, br\r\n").body, "smaller");
    const auto plain = http.gateway.get("/a.css");
    EXPECT_EQ(plain.body, "body { color: red }");
    EXPECT_EQ(plain.header("Vary"), "Accept-Encoding");
    EXPECT_NE(plain.header("ETag"), packed.header("ETag"));
}

TEST(Files, ComeInAnyOrderWithOtherRequests) {
    Http http(queued());
    Client client = http.gateway.client();
    for (int i = 0; i < 5; ++i) {
        client.send(
            "GET /a.css HTTP/1.1\r\nHost: a\r\n\r\nPOST /b HTTP/1.1\r\nHost: a\r\n"
            "Content-Length: 3\r\n\r\nxyzGET /docs/ HTTP/1.1\r\nHost: a\r\n\r\n"
            "GET /docs HTTP/1.1\r\nHost: a\r\n\r\nGET /.env HTTP/1.1\r\nHost: a\r\n\r\n");
        EXPECT_EQ(client.read().body, "body { color: red }");
        EXPECT_EQ(client.read().body, "/b");
        EXPECT_EQ(client.read().body, "<h1>docs</h1>");
        EXPECT_EQ(client.read().status, 301);
        EXPECT_EQ(client.read().status, 404);
    }
}

TEST(Files, AskedForWithABodyEndTheConnection) {
    Http http(queued());
    Client client = http.gateway.client();
    client.send(
        "GET /a.css HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\n\r\n"
        "GET /.env HTTP/1.1\r\n");
    const auto answer = client.read();
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.header("Connection"), "close");
    EXPECT_TRUE(client.ends());
}

TEST(Files, GoToOldClients) {
    Http http(queued());
    Client client = http.gateway.client();
    client.send("GET /a.css HTTP/1.0\r\n\r\n");
    const auto answer = client.read();
    EXPECT_EQ(answer.body, "body { color: red }");
    EXPECT_TRUE(client.ends());
}

class LargeFiles : public testing::TestWithParam<bool> {
 protected:
    static constexpr std::size_t size = 8'000'000;
    LargeFiles() {
        site_.write("large.bin", body_);
        Variables variables = trust_.with(backend_);
        variables["ROOT"] = site_.root();
        gateway_ = std::make_unique<Gateway>(served(queued()), variables);
        if (GetParam()) gateway_->speak(trust_.client());
    }
    std::string served(const std::string& yaml) const { return GetParam() ? https(yaml) : yaml; }
    Trust trust_;
    Site site_;
    Backend backend_;
    const std::string body_ = pattern(size);
    std::unique_ptr<Gateway> gateway_;
};

TEST_P(LargeFiles, ArriveWhole) {
    EXPECT_TRUE(gateway_->get("/large.bin").body == body_);
    const auto part = gateway_->get("/large.bin", "Range: bytes=1000000-6999999\r\n");
    EXPECT_TRUE(part.body == body_.substr(1'000'000, 6'000'000));
    const auto parts =
        gateway_->get("/large.bin", "Range: bytes=0-999999,2000000-2999999,-70000\r\n");
    EXPECT_NE(parts.body.find(body_.substr(0, 1'000'000)), std::string::npos);
    EXPECT_NE(parts.body.find(body_.substr(2'000'000, 1'000'000)), std::string::npos);
    EXPECT_NE(parts.body.find(body_.substr(size - 70'000)), std::string::npos);
    EXPECT_EQ(gateway_->log(1).at(0).at("bytes").to_number<std::size_t>(), size);
}

TEST_P(LargeFiles, GoToASlowReaderWithoutASpool) {
    Client slow = gateway_->slow_reader();
    slow.get("/large.bin");
    ASSERT_TRUE(slow.hears(patience));
    EXPECT_EQ(gateway_->metric(R"(ticketgate_spool_bytes{place="memory"})"), 0);
    EXPECT_EQ(gateway_->get("/a.css").status, 200);
    EXPECT_TRUE(slow.read().body == body_);
}

TEST_P(LargeFiles, ThatBecomeShorterAreCut) {
    Client slow = gateway_->slow_reader();
    slow.get("/large.bin");
    EXPECT_TRUE(slow.reader().through("\r\n\r\n").starts_with("HTTP/1.1 200 "));
    fs::resize_file(site_.at("large.bin"), 1000);
    EXPECT_LT(slow.reader().rest().size(), size);
    EXPECT_EQ(gateway_->get("/a.css").status, 200);
}

TEST_P(LargeFiles, OfAClientThatReadsNothingAreCut) {
    ASSERT_TRUE(gateway_->reload(served(queued() + "clients: { write_timeout: 2s }\n")));
    Client idle = gateway_->slow_reader();
    idle.get("/large.bin");
    const auto line = gateway_->log(1).at(0);
    EXPECT_EQ(line.at("outcome").as_string(), "file");
    EXPECT_LT(line.at("bytes").to_number<std::size_t>(), size);
    EXPECT_TRUE(eventually([&] { return gateway_->connections() == 0; }));
}

INSTANTIATE_TEST_SUITE_P(Over, LargeFiles, testing::Bool(),
                         [](const auto& one) { return one.param ? "Tls" : "Tcp"; });

TEST(Files, AreOpenInABoundedNumber) {
    Http http(queued() + "file_io: { max_open: 1 }\n");
    http.site.write("large.bin", pattern(8'000'000));
    Client slow = http.gateway.slow_reader();
    slow.get("/large.bin");
    ASSERT_TRUE(slow.hears(patience));
    const auto refused = http.gateway.get("/large.bin");
    EXPECT_EQ(refused.status, 503);
    EXPECT_FALSE(refused.header("Retry-After").empty());
    EXPECT_EQ(slow.read().body.size(), 8'000'000u);
    EXPECT_TRUE(eventually([&] { return http.gateway.get("/p.png").status != 503; }));
}

TEST(Files, TheirSettingsAreInherited) {
    Http http(
        "upstreams: { app: { url: \"${BACKEND}\", files: { root: \"${ROOT}\", "
        "cache_control: private, types: { css: text/x-css } } } }\n"
        "defaults: { upstream: app }\n"
        "routes:\n"
        "  - prefix: /\n"
        "    routes:\n"
        "      - { prefix: /docs, files: { cache_control: public } }\n"
        "      - { prefix: /sub, files: { try: [upstream] } }\n");
    http.site.write("sub/a.txt", "text");
    const auto css = http.gateway.get("/a.css");
    EXPECT_EQ(css.header("Cache-Control"), "private");
    EXPECT_EQ(css.header("Content-Type"), "text/x-css; charset=utf-8");
    EXPECT_EQ(http.gateway.get("/docs/").header("Cache-Control"), "public");
    EXPECT_EQ(http.gateway.get("/sub/a.txt").body, "/sub/a.txt");
    EXPECT_EQ(http.gateway.get("/.env").status, 404);
    EXPECT_EQ(http.gateway.get("/sub/.env").body, "/sub/.env");
}

TEST(Files, FollowAReload) {
    Http http(queued());
    EXPECT_EQ(http.gateway.get("/a.css").status, 200);
    ASSERT_TRUE(
        http.gateway.reload("upstreams: { app: { url: \"${BACKEND}\" } }\n"
                            "routes: [{ prefix: /, upstream: app }]\n"));
    EXPECT_EQ(http.gateway.get("/a.css").body, "/a.css");
}

TEST(FilesThreads, AreSentByAllLoopsWhileWritesStandInLine) {
    Http http("threads: 4\n" + queued());
    http.site.write("large.bin", pattern(300'000));
    std::vector<std::thread> readers;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 4; ++i)
        readers.emplace_back([&] {
            Client client = http.gateway.client();
            for (int n = 0; n < 30; ++n) {
                client.get("/large.bin");
                wrong += client.read().body.size() != 300'000;
                client.get("/new-" + std::to_string(n));  // not known to the system
                wrong += client.read().status != 200;
                client.request("POST", "/x.php", {}, "x");
                wrong += client.read().body != "/x.php";
            }
        });
    for (auto& reader : readers) reader.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(http.backend.most_in_flight(), 1);
}

}  // namespace
}  // namespace ticketgate::test
