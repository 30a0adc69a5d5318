// Files beside FastCGI: which script runs for a path, and in which queue.
#include <filesystem>

#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

namespace fs = std::filesystem;

std::string php(const std::string& files, const std::string& routes,
                const std::string& fastcgi = {}) {
    return "upstreams:\n"
           "  php:\n"
           "    workers: { command: [\"" TG_TEST_WORKER
           "\"], min: 1, max: 2, "
           "environment: { TEST_FOLDER: \"${TMP}\" } }\n"
           "    fastcgi: { root: /app" +
           fastcgi +
           " }\n"
           "    files: { root: \"${ROOT}\"" +
           files +
           " }\n"
           "  other:\n"
           "    workers: { command: [\"" TG_TEST_WORKER
           "\"], min: 1, max: 1, "
           "environment: { TEST_FOLDER: \"${TMP}\" } }\n"
           "    fastcgi: { root: /other }\n"
           "defaults: { upstream: php }\n"
           "routes: " +
           routes + "\n";
}

constexpr const char* plain = "[{ prefix: / }]";

class Site {
 public:
    Site() {
        fs::create_directories(folder_.file("shop/deep"));
        for (const char* name : {"index.php", "shop/index.php", "shop/deep/index.php", "x.php"})
            (void)folder_.write(name, "<?php secret");
        (void)folder_.write("a.css", "css");
    }
    void write(const std::string& name) const { (void)folder_.write(name, "text"); }
    std::string root() const { return folder_.path(); }

 private:
    TemporaryFolder folder_;
};

struct Fpm {
    explicit Fpm(const std::string& yaml) : gateway(yaml, {{"ROOT", site.root()}}) {}
    Site site;
    Gateway gateway;
};

// The value of one variable that the script was given.
std::string given(const Response& answer, const std::string& name) {
    const std::string body = "\n" + answer.body;
    const auto at = body.find("\n" + name + " ");
    if (at == std::string::npos) return {};
    const auto begin = at + name.size() + 2;
    return body.substr(begin, body.find('\n', begin) - begin);
}

std::string script(const Fpm& fpm, const std::string& path) {
    return given(fpm.gateway.get(path), "SCRIPT_FILENAME");
}

// The log line of an answer.
boost::json::object line_of(const Fpm& fpm, const Response& answer) {
    boost::json::object found;
    EXPECT_TRUE(eventually([&] {
        for (const auto& one : fpm.gateway.log(1))
            if (one.at("request_id").as_string() == answer.header("X-Request-Id")) found = one;
        return !found.empty();
    }));
    return found;
}

std::string queue_of(const Fpm& fpm, const Response& answer) {
    const auto line = line_of(fpm, answer);
    const auto* queue = line.if_contains("queue");
    return queue == nullptr ? "" : queue->as_string().c_str();
}

std::string queue_of(const Fpm& fpm, const std::string& path) {
    return queue_of(fpm, fpm.gateway.get(path));
}

TEST(FileScripts, OfAFolderAreItsIndex) {
    Fpm fpm(php("", plain));
    EXPECT_EQ(script(fpm, "/"), "/app/index.php");
    EXPECT_EQ(script(fpm, "/shop/"), "/app/shop/index.php");
    EXPECT_EQ(script(fpm, "/x.php"), "/app/x.php");
    EXPECT_EQ(script(fpm, "/x.php/more"), "/app/x.php");
    EXPECT_EQ(script(fpm, "/not/there"), "/app/index.php") << "fastcgi.script";
    EXPECT_EQ(fpm.gateway.get("/shop").header("Location"), "/shop/");
    EXPECT_EQ(fpm.gateway.get("/a.css").body, "css");
    const auto answer = fpm.gateway.get("//shop/./%64eep/?q=%20a");
    EXPECT_EQ(given(answer, "SCRIPT_NAME"), "/shop/deep/index.php");
    EXPECT_EQ(given(answer, "REQUEST_URI"), "//shop/./%64eep/?q=%20a");
    EXPECT_EQ(given(answer, "QUERY_STRING"), "q=%20a");
    EXPECT_EQ(given(answer, "PATH_INFO"), "");
    EXPECT_EQ(given(answer, "DOCUMENT_ROOT"), "/app");
    EXPECT_EQ(given(fpm.gateway.post("/shop/", "x"), "SCRIPT_NAME"), "/shop/index.php");
}

TEST(FileScripts, OfOtherPathsAreTheFallback) {
    Fpm fpm(php(", try: [path, path/, /app.php]", plain));
    const auto answer = fpm.gateway.get("/wiki/page:one?x=1");
    EXPECT_EQ(given(answer, "SCRIPT_FILENAME"), "/app/app.php");
    EXPECT_EQ(given(answer, "SCRIPT_NAME"), "/app.php");
    EXPECT_EQ(given(answer, "REQUEST_URI"), "/wiki/page:one?x=1");
    EXPECT_EQ(given(answer, "PATH_INFO"), "");
    EXPECT_EQ(given(fpm.gateway.post("/a.css", "x"), "SCRIPT_NAME"), "/app.php");
    EXPECT_EQ(script(fpm, "/x.php"), "/app/x.php");
}

TEST(FileScripts, WithoutSplitAreTheOneScript) {
    Fpm fpm(php("", plain, ", script: /app.php, split: false"));
    for (const char* path : {"/", "/shop/", "/x.php", "/shop/index.php"})
        EXPECT_EQ(script(fpm, path), "/app/app.php") << path;
}

// CONTRACT 6: no path runs a script past the queue of the script's own path.
TEST(FileScripts, StandInTheQueueOfTheirOwnPath) {
    Fpm fpm(php("",
                "[{ prefix: /, routes: [{ prefix: /shop/index.php, queue: shop }, "
                "{ prefix: /index.php, queue: q, skip_methods: [GET] }] }]"));
    EXPECT_EQ(queue_of(fpm, "/shop/"), "shop");
    EXPECT_EQ(queue_of(fpm, "/x/../shop//"), "shop");
    EXPECT_EQ(queue_of(fpm, "/shop/deep/"), "");
    EXPECT_EQ(queue_of(fpm, "/"), "");
    EXPECT_EQ(queue_of(fpm, fpm.gateway.post("/", "x")), "q");
    EXPECT_EQ(queue_of(fpm, "/a.css"), "");
}

TEST(FileScripts, NeverRunWhereTriesNameNoBackend) {
    Fpm fpm(php("",
                "[{ prefix: /, queue: q, routes: [{ prefix: /shop, files: { try: [path] } }, "
                "{ prefix: /x.php, files: { try: [path, script] } }] }]"));
    for (const char* path : {"/shop/index.php", "/shop/index.php/a", "/shop/", "/shop",
                             "/shop/%69ndex.php", "/shop/index.php%2fa", "/shop//index.php"}) {
        EXPECT_EQ(fpm.gateway.get(path).status, 404) << path;
        EXPECT_EQ(fpm.gateway.post(path, "x").status, 404) << path;
    }
    EXPECT_EQ(fpm.gateway.get("/x.php").status, 200);
    EXPECT_EQ(fpm.gateway.get("/a.css").body, "css");
}

// The backend has the same files.
TEST(FileScripts, OfFoldersStandInTheirQueueBehindAnHttpBackendToo) {
    Backend backend;
    Site site;
    Gateway gateway("upstreams: { app: { url: \"" + backend.url() +
                        "\", files: { root: \"${ROOT}\" } } }\n"
                        "routes: [{ prefix: /, upstream: app, routes: [{ prefix: "
                        "/shop/index.php, queue: shop }] }]\n",
                    {{"ROOT", site.root()}});
    for (const char* path : {"/shop/", "/shop/index.php"})
        EXPECT_EQ(gateway.get(path).status, 200) << path;
    EXPECT_EQ(gateway.metric("ticketgate_queue_hold_seconds_count{queue=\"shop\"}"), 2);
}

TEST(FileScripts, KeepTheQueueOfTheirFolder) {
    Fpm fpm(php("", "[{ prefix: /, queue: q, routes: [{ prefix: /index.php, queue: off }] }]"));
    EXPECT_EQ(queue_of(fpm, "/"), "q");
    EXPECT_EQ(queue_of(fpm, "/index.php"), "");
}

TEST(FileScripts, OfTwoQueuesOrUpstreamsAreRefused) {
    Fpm fpm(php("",
                "[{ prefix: /, queue: q, routes: [{ prefix: /shop/index.php, queue: other }, "
                "{ prefix: /shop/deep/index.php, upstream: other }] }]"));
    EXPECT_EQ(fpm.gateway.get("/shop/").status, 400);
    EXPECT_EQ(fpm.gateway.get("/shop/deep/").status, 400);
    EXPECT_EQ(queue_of(fpm, "/shop/index.php"), "other");
    EXPECT_EQ(script(fpm, "/shop/deep/index.php"), "/other/shop/deep/index.php");
}

TEST(FileScripts, AreHeldByTheConditionsOfTheirOwnPath) {
    Fpm fpm(php("",
                "[{ prefix: /shop/index.php, host: only.example }, { prefix: / , "
                "host: [only.example, a.example] }]"));
    EXPECT_EQ(fpm.gateway.get("/shop/", "").status, 421);
}

// Neither the look for a.css.br nor a folder takes a place that the request needs.
TEST(Files, OfAnyKindAreSentWhereOneMayBeOpen) {
    Fpm fpm(php(", index: [b.html]", plain) + "file_io: { max_open: 1 }\n");
    for (const char* name : {"a.css.gz", "b.html", "b.html.br", "c.bin"}) fpm.site.write(name);
    for (const char* path : {"/a.css", "/", "/c.bin"})
        for (const char* fields : {"", "Accept-Encoding: gzip, br\r\n"}) {
            Response answer;
            // the place of the answer before may be given back a moment later
            EXPECT_TRUE(eventually([&] {
                answer = fpm.gateway.get(path, fields);
                return answer.status == 200;
            })) << path;
            EXPECT_EQ(answer.header("Content-Encoding"), "") << path;
            EXPECT_EQ(answer.header("Vary"),
                      path == std::string("/c.bin") ? "" : "Accept-Encoding");
        }
}

// RFC 9110 13.1.5: a range counts only beside one If-Range that names the file as it is.
TEST(Files, AreSentWholeBesideAnIfRangeThatNamesNothing) {
    Fpm fpm(php("", plain));
    fs::last_write_time(fpm.site.root() + "/a.css", fs::file_time_type::clock::now() - 1h);
    const std::string range = "Range: bytes=0-0\r\n";
    const std::string good = "If-Range: " + fpm.gateway.get("/a.css").header("ETag") + "\r\n";
    const std::string bad = "If-Range: \"x\"\r\n", none = "If-Range:\r\n";
    EXPECT_EQ(fpm.gateway.get("/a.css", range + good).status, 206);
    for (const auto& fields :
         {bad, none, bad + bad, good + good, good + bad, good + none, bad + bad + bad})
        EXPECT_EQ(fpm.gateway.get("/a.css", range + fields).status, 200) << fields;
}

}  // namespace
}  // namespace ticketgate::test
