// Warnings about scripts that also run under a path outside their queue.
#include "config/front_controller.hpp"
#include "loading.hpp"

namespace ticketgate::config {
namespace {

using Lines = std::vector<std::string>;

Lines warnings(const std::string& rest) {
    const auto loaded = load(base + rest);
    EXPECT_TRUE(loaded.config);
    return printed(loaded.problems);
}

// tests/real shows for which paths Apache, nginx and php -S run the same script.
TEST(Scripts, ScriptsThatRunUnderAnotherPathToo) {
    const auto told = [](const std::string& routes) {
        return warnings("routes: " + routes + "\n");
    };
    const auto regex = told("[{prefix: /, routes: [{regex: 'y\\.php$', queue: a}]}]");
    ASSERT_EQ(regex.size(), 1u);
    EXPECT_NE(regex[0].find("routes[0].routes[0].regex: does not match /script.php/more"),
              std::string::npos)
        << regex[0];
    EXPECT_EQ(told("[{prefix: /}, {regex: 'y\\.php(/|$)', queue: a}]"), Lines{});
    EXPECT_EQ(told("[{prefix: /, queue: a}, {regex: 'y\\.php$', queue: off}]"), Lines{});
    const auto index = told("[{prefix: /}, {prefix: /b/index.php, queue: a}]");
    ASSERT_EQ(index.size(), 1u);
    EXPECT_NE(
        index[0].find("routes[1].prefix: most servers run /b/index.php for /b/ as well, and /b/ "),
        std::string::npos)
        << index[0];
    const std::string behind = ", {regex: '^/[^/]+\\.php/?b(/|%3F|$)', queue: a}]";
    const auto slash = told("[{prefix: /}, {prefix: /b/, queue: a}" + behind);
    ASSERT_EQ(slash.size(), 1u);
    EXPECT_NE(slash[0].find("routes[1].prefix: does not match /b,"), std::string::npos) << slash[0];
    EXPECT_EQ(told("[{prefix: /}, {prefix: /b/, queue: a}, {prefix: /b, queue: a}" + behind),
              Lines{});
    EXPECT_EQ(told("[{prefix: /}, {prefix: /b/index.php, queue: a}, {regex: ^/b/$, queue: a}]"),
              Lines{});
    EXPECT_EQ(told("[{prefix: /, queue: a}, {prefix: /index.php, queue: a}]"), Lines{});
    // nginx's `location ~ \.php$` also serves `/`, by an internal redirect.
    const auto nginx = told("[{prefix: /}, {regex: '\\.php(/|$)', queue: a}]");
    ASSERT_EQ(nginx.size(), 1u);
    EXPECT_NE(nginx[0].find("routes[1].regex: most servers run /index.php for / as well, and / is"),
              std::string::npos)
        << nginx[0];
    EXPECT_EQ(told("[{regex: '\\.php(/|$)', queue: a}]"), Lines{}) << "/ gets 404";
    EXPECT_EQ(told("[{prefix: /}, {regex: '(\\.php|/)(/|$)', queue: a}]"), Lines{});
    const auto reads = told(
        "[{prefix: /, queue: a, skip_methods: [GET]}, {prefix: /index.php, queue: a, skip_methods: "
        "[]}]");
    ASSERT_EQ(reads.size(), 1u);
    EXPECT_NE(reads[0].find("and GET / is not in its queue"), std::string::npos) << reads[0];
}

TEST(Scripts, PatternsThatApplyToAFolderOrToItsIndexAlone) {
    const auto told = [](const std::string& routes) {
        return warnings("routes: " + routes + "\n");
    };
    for (const char* routes : {"[{prefix: /}, {regex: ^/$, queue: a}]",
                               "[{prefix: /, queue: a}, {regex: ^/$, queue: off}]",
                               "[{prefix: /, queue: a}, {regex: ^/$, queue: b}]",
                               "[{prefix: /, queue: a}, {regex: '^/index[.]php$', queue: off}]",
                               "[{prefix: /, queue: a}, {regex: 'x\\.php$', queue: off}]"}) {
        const auto lines = told(routes);
        ASSERT_EQ(lines.size(), 1u) << routes;
        EXPECT_NE(lines[0].find("routes[1].regex: applies to one of / and /index.php, for which "
                                "most servers run one script; give both one queue"),
                  std::string::npos)
            << lines[0];
    }
    const auto below = told("[{prefix: /}, {regex: ^/shop/$, queue: a}]");
    ASSERT_EQ(below.size(), 1u);
    EXPECT_NE(below[0].find("applies to one of /shop/ and /shop/index.php"), std::string::npos)
        << below[0];
    for (const char* routes :
         {"[{prefix: /}, {regex: '^/(index[.]php)?$', queue: a}]",
          "[{prefix: /, queue: a}, {regex: '^/(index[.]php)?$', queue: off}]",
          "[{prefix: /, queue: a}, {regex: ^/$, queue: a}]", "[{regex: ^/$, queue: a}]",
          "[{prefix: /}, {regex: ^/a/.+$, queue: a}]",
          "[{prefix: /}, {regex: ^/$, queue: a}, {regex: '^/index[.]php(/|$)', queue: a}]"})
        EXPECT_EQ(told(routes), Lines{}) << routes;
}

TEST(Scripts, UnqueuedFileRoutesThatMatchScripts) {
    const auto told = [](const std::string& routes) {
        return warnings("routes: " + routes + "\n");
    };
    const std::string reads = "methods: [GET, HEAD], queue: off";
    const auto files = told("[{prefix: /, queue: a}, {regex: '\\.(css|js)$', " + reads + "}]");
    ASSERT_EQ(files.size(), 1u);
    EXPECT_NE(files[0].find("routes[1].regex: matches /a.php/b.css as well"), std::string::npos)
        << files[0];
    const auto deep =
        told("[{prefix: /, queue: a, routes: [{prefix: /s, routes: [{regex: 'png$', " + reads +
             "}]}]}]");
    ASSERT_EQ(deep.size(), 1u);
    EXPECT_NE(deep[0].find("matches /s/a.php/b.png"), std::string::npos) << deep[0];
    EXPECT_EQ(told("[{prefix: /, queue: a}, {regex: '^(/[^./]+)*/[^/]+\\.css$', " + reads + "}]"),
              Lines{});
    EXPECT_EQ(told("[{prefix: /, queue: a}, {regex: '\\.css$', " + reads +
                   "}, {regex: '\\.php(/|$)', queue: a}]"),
              Lines{});
    EXPECT_EQ(told("[{prefix: /}, {regex: '\\.css$', queue: off}]"), Lines{})
        << "nothing is queued";
}

// A pattern at the top goes before every prefix, and one may begin with a folder.
TEST(Scripts, UnqueuedFileRoutesThatMatchScriptsBelowAQueuedRoute) {
    const auto told = [](const std::string& queued, const std::string& regex,
                         const std::string& more = "methods: [GET, HEAD], queue: off") {
        auto lines = warnings("routes: [" + queued + ", {regex: '" + regex + "', " + more + "}]\n");
        std::erase_if(lines, [](const std::string& line) {
            return line.find(".regex: matches") == line.npos &&
                   line.find(".regex: lets") == line.npos;
        });
        return lines;
    };
    const auto expect = [](const Lines& lines, const std::string& text) {
        ASSERT_EQ(lines.size(), 1u) << text;
        EXPECT_NE(lines[0].find(text), std::string::npos) << lines[0];
    };
    const std::string php = "{prefix: /}, {prefix: /op.php, queue: a}";
    expect(told(php, "\\.css$"),
           "matches /op.php/b.css as well, which runs /op.php on most servers, "
           "unqueued; begin it with ^(/[^./]+)*/[^/]+");
    expect(told(php, "\\.php$"), "matches /op.php as well: scripts run beside");
    const std::string shop = "{prefix: /}, {prefix: /shop, queue: a}";
    expect(told(shop, "\\.(css|js)$"), "matches /shop/a.php/b.css as well");
    expect(told(shop, "^(/[^./]+)*/[^/]+\\.css$", "queue: off"),
           "lets POST /shop/b.css past the queue, which runs /shop/index.php");
    expect(told("{prefix: /}, {regex: '^/blog/', queue: a}", "^/(shop|blog)/.*\\.css$"),
           "matches /blog/a.php/b.css as well");
    expect(told("{prefix: /, queue: a}", "^/shop/.*\\.css$"),
           "matches /shop/a.php/b.css as well, which runs /shop/a.php on most servers, unqueued; "
           "begin it with ^/shop(/[^./]+)*/[^/]+");
    expect(told("{prefix: /, queue: a}", "\\.css$", "queue: b"),
           "matches /a.php/b.css as well, which runs /a.php on most servers, in another queue");
    EXPECT_EQ(told(shop, "^(/[^./]+)*/[^/]+\\.css$"), Lines{});
    EXPECT_EQ(told("{prefix: /, queue: a}", "^/shop(/[^./]+)*/[^/]+\\.css$"), Lines{});
    EXPECT_EQ(told("{prefix: /, queue: a}", "\\.css$", "queue: a"), Lines{});
    EXPECT_EQ(told("{prefix: /, queue: a}", "^/api/", "queue: b"), Lines{});
    EXPECT_EQ(told("{prefix: /, queue: a}", "\\.php(/|$)", "queue: b"), Lines{});
}

// A server that hands missing files to index.php runs it for `POST /missing.png`.
TEST(Scripts, UnqueuedFileRoutesThatLetWritesPast) {
    const std::string file = "{regex: '^(/[^./]+)*/[^/]+\\.png$', queue: off";
    const auto told = [&](const std::string& queued, const std::string& conditions) {
        return warnings("routes: [{prefix: /, " + queued + "}, " + file + conditions + "}]\n");
    };
    const auto every = told("queue: a", "");
    ASSERT_EQ(every.size(), 1u);
    EXPECT_NE(every[0].find("routes[1].regex: lets POST /b.png past the queue, which runs "
                            "/index.php"),
              std::string::npos)
        << every[0];
    EXPECT_NE(every[0].find("; add methods: [GET, HEAD]"), std::string::npos) << every[0];
    EXPECT_EQ(told("queue: a, skip_methods: [GET, HEAD, OPTIONS]", "").size(), 1u);
    const auto put = told("queue: a", ", methods: [GET, PUT]");
    ASSERT_EQ(put.size(), 1u);
    EXPECT_NE(put[0].find("lets PUT /b.png past"), std::string::npos) << put[0];
    EXPECT_EQ(told("queue: a", ", methods: [GET, HEAD]"), Lines{});
    EXPECT_EQ(told("wait_timeout: 1s", ""), Lines{}) << "nothing is queued";
    EXPECT_EQ(told("queue: a, skip_methods: [POST, PUT, PATCH, DELETE]", "").size(), 1u)
        << "of skip_methods alone";
}

TEST(Scripts, UnqueuedFileRoutesToABackendWithoutFiles) {
    const auto told = [](const std::string& fastcgi, const std::string& routes) {
        const auto loaded = load(
            "upstreams: {u: {url: 'fastcgi://127.0.0.1:9000', fastcgi: {root: "
            "/srv" +
            fastcgi +
            "}}}\ndefaults: {upstream: u}\nlisten: "
            "[{address: '127.0.0.1:80'}]\nroutes: " +
            routes + "\n");
        return printed(loaded.problems);
    };
    const auto assets =
        told("", "[{prefix: /, queue: a, routes: [{prefix: /assets, queue: off}]}]");
    ASSERT_EQ(assets.size(), 1u);
    EXPECT_NE(assets[0].find("prefix: runs /index.php unqueued"), std::string::npos) << assets[0];
    EXPECT_EQ(told("", "[{prefix: /, queue: a}, {regex: '^/[^.]+\\.css$', queue: off}]").size(),
              1u);
    EXPECT_EQ(told("", "[{prefix: /, queue: a}, {regex: '^/static/.*\\.css$', queue: off}]").size(),
              2u)
        << "also for /static/a.php/b.css";
    EXPECT_EQ(
        told("", "[{prefix: /, queue: a}, {regex: '^/static/[^.]+\\.css$', queue: off}]").size(),
        1u);
    EXPECT_EQ(told("", "[{prefix: /, queue: a, routes: [{prefix: /health.php, queue: off}]}]"),
              Lines{});
    const auto folder =
        told("", "[{prefix: /}, {prefix: /index.php, queue: a}, {regex: '^/$', queue: a}]");
    ASSERT_EQ(folder.size(), 1u);
    EXPECT_NE(folder[0].find("routes[1].prefix: upstream u runs /index.php for every path that "
                             "names no script, and /a is not in its queue; give the queue to "
                             "prefix: /"),
              std::string::npos)
        << folder[0];
    EXPECT_EQ(told("", "[{prefix: /}, {regex: '\\.php(/|$)', queue: a}]").size(), 1u);
    EXPECT_EQ(told(", script: /a.php", "[{prefix: /}, {prefix: /a.php, queue: a}]").size(), 1u);
    EXPECT_EQ(told(", script: off", "[{prefix: /}, {regex: '\\.php(/|$)', queue: a}]").size(), 1u);
    EXPECT_EQ(
        told(", script: off", "[{prefix: /, queue: a, routes: [{prefix: /assets, queue: off}]}]"),
        Lines{});
}

TEST(Scripts, UnqueuedRoutesThatTakeScriptsOutOfTheQueue) {
    const auto told = [](const std::string& route) {
        return warnings("routes: [{prefix: /, queue: a}, " + route + "]\n");
    };
    for (const char* pattern : {"\\.(css|js|php)$", "\\.php$", "php"}) {
        const auto lines = told("{regex: '" + std::string(pattern) + "', queue: off}");
        ASSERT_EQ(lines.size(), 1u) << pattern;
        EXPECT_NE(lines[0].find("routes[1].regex: matches /a.php as well: scripts run beside the "
                                "queue of /"),
                  std::string::npos)
            << lines[0];
    }
    const auto index = told("{prefix: /index.php, queue: off}");
    ASSERT_EQ(index.size(), 1u);
    EXPECT_NE(index[0].find("routes[1].prefix: lets /index.php past the queue of /, for which"),
              std::string::npos)
        << index[0];
    EXPECT_EQ(told("{prefix: /health.php, queue: off}"), Lines{});
}

// CONTRACT 6, for backends whose scripts ticketgate does not know.
TEST(Scripts, PagesThatHaveAPathBehindTheFrontController) {
    const auto told = [](const std::string& routes) {
        return warnings("routes: " + routes + "\n");
    };
    const auto one = told("[{prefix: /, queue: off}, {prefix: /admin, queue: a}]");
    ASSERT_EQ(one.size(), 1u);
    EXPECT_NE(one[0].find("routes[1].prefix: an application that cuts its script's name off"),
              std::string::npos)
        << one[0];
    EXPECT_NE(one[0].find("runs the same page for /index.php/admin, and /index.php/admin is not in "
                          "its queue; if upstream app has a front controller, give the queue to "
                          "regex: ^/[^/]+\\.php/?admin(/|%3F|$), too"),
              std::string::npos)
        << one[0];
    EXPECT_EQ(told("[{prefix: /, queue: b}, {prefix: /admin, queue: a}]").size(), 1u);
    EXPECT_EQ(told("[{prefix: /, queue: a, skip_methods: [GET]}, {prefix: /admin, queue: a, "
                   "skip_methods: []}]")
                  .size(),
              1u);
    EXPECT_EQ(told("[{prefix: /}, {prefix: /admin, queue: a}, {regex: "
                   "'^/[^/]+\\.php/?admin(/|%3F|$)', queue: a}]"),
              Lines{});
    const auto text = told(
        "[{prefix: /}, {prefix: /admin, queue: a}, {regex: '^/[^/]+\\.php/admin(/|$)', queue: a}]");
    ASSERT_EQ(text.size(), 1u);
    EXPECT_NE(text[0].find("/index.phpadmin is not in its queue"), std::string::npos) << text[0];
    EXPECT_NE(text[0].find("regex: ^/[^/]+\\.php/?admin(/|%3F|$), too"), std::string::npos)
        << text[0];
    EXPECT_EQ(told("[{prefix: /, queue: a}, {prefix: /admin, queue: a}]"), Lines{});
    EXPECT_EQ(told("[{prefix: /admin, queue: a}]"), Lines{}) << "the other path gets 404";
    const auto named = told("[{prefix: /}, {prefix: /index.php/admin, queue: a}]");
    ASSERT_EQ(named.size(), 1u);
    EXPECT_NE(named[0].find("runs the same page for /admin, and /admin is not in its queue; give "
                            "the queue to prefix: /admin"),
              std::string::npos)
        << named[0];
}

TEST(Scripts, OtherPathsOfAFrontControllersPage) {
    using Spellings = std::vector<Spelling>;
    EXPECT_EQ(other_spellings("/index.php", "/index.php/admin/x"), (Spellings{{"/admin/x"}}));
    EXPECT_EQ(other_spellings("/index.php", "/index.php"), (Spellings{{"/"}}));
    EXPECT_EQ(other_spellings("/index.php", "/index.php/"), (Spellings{{"/"}}));
    EXPECT_EQ(other_spellings("/index.php", "/index.phpadmin/x"),
              (Spellings{{"/index.php/admin/x"}, {"/admin/x"}}));
    for (const char* path : {"/admin", "/index.ph", "/a/index.php/x", "/", "*"})
        EXPECT_EQ(other_spellings("/index.php", path), Spellings{}) << path;
    EXPECT_EQ(other_spellings("/app/index.php", "/app/index.php/x"),
              (Spellings{{"/app/x"}, {"/x", false}}));
    EXPECT_EQ(other_spellings("/app/index.php", "/app/x"), (Spellings{{"/x", false}}));
    EXPECT_EQ(other_spellings("/app/index.php", "/app/index.phpx"),
              (Spellings{{"/app/index.php/x"}, {"/app/x"}, {"/x", false}}));
    EXPECT_EQ(other_spellings("/app/index.php", "/appx"),
              (Spellings{{"/app/x", false}, {"/x", false}, {"/app/appx", false}}));
    EXPECT_EQ(other_spellings("/index.php", "/index.php/x%3F/y"),
              (Spellings{{"/x%3F/y"}, {"/index.php/x"}, {"/x"}}));
    EXPECT_EQ(other_spellings("/app/index.php", "/x"), (Spellings{{"/app/x", false}}));
}

TEST(Scripts, OddPlacesOfAScriptsFileName) {
    for (const char* path : {"/INDEX.PHP/a", "/app/Index.php", "/x/app/index.php", "/x-index.php-",
                             "/app/index.php/index.php", "/app/index.phpindex.php", "/index.php"})
        EXPECT_TRUE(has_odd_name("/app/index.php", path)) << path;
    for (const char* path : {"/app/index.php", "/app/index.php/a", "/app/index.phpa", "/index.ph"})
        EXPECT_FALSE(has_odd_name("/app/index.php", path)) << path;
}

TEST(Scripts, PagesOfAFrontControllerInTwoQueues) {
    const auto told = [](const std::string& script, const std::string& routes) {
        const auto loaded = load(
            "listen: [{address: \"127.0.0.1:8080\"}]\nupstreams:\n"
            "  php: {url: \"fastcgi://127.0.0.1:9000\", fastcgi: {root: /srv, script: " +
            script + "}}\ndefaults: {upstream: php}\nroutes: " + routes + "\n");
        EXPECT_TRUE(loaded.config);
        return printed(loaded.problems);
    };
    const auto app = told("/app/index.php", "[{prefix: /, queue: a}, {prefix: /app, queue: b}]");
    ASSERT_EQ(app.size(), 2u);
    EXPECT_NE(app[0].find("routes[0].prefix: is one page with /app/ for /app/index.php, whose "
                          "queue is b: requests for it get 400; give both one queue"),
              std::string::npos)
        << app[0];
    EXPECT_NE(app[1].find("routes[1].prefix: is one page with / for /app/index.php, whose queue is "
                          "a"),
              std::string::npos)
        << app[1];
    const auto both =
        told("/app/index.php", "[{prefix: /x, queue: a}, {prefix: /app/x, queue: b}]");
    ASSERT_EQ(both.size(), 2u);
    EXPECT_NE(both[0].find("routes[0].prefix: is one page with /app/x for /app/index.php"),
              std::string::npos)
        << both[0];
    for (const char* routes :
         {"[{prefix: /, queue: a}, {prefix: /app, queue: a}]",
          "[{prefix: /}, {prefix: /app/x, queue: b}]",
          "[{prefix: /, queue: a, files: {root: /srv, try: [path, /index.php]}}, {prefix: /app, "
          "queue: b, files: {try: [path, /app/index.php]}}]"})
        EXPECT_EQ(told("/app/index.php", routes), Lines{}) << routes;
    EXPECT_EQ(told("/index.php", "[{prefix: /, queue: a}, {prefix: /app, queue: b}]"), Lines{});
}

TEST(Scripts, FrontControllersAreThoseOfEveryUpstreamAndRoute) {
    const auto config = good(
        "listen: [{address: \"127.0.0.1:8080\"}]\n"
        "upstreams:\n"
        "  app: {url: \"http://127.0.0.1:8000\"}\n"
        "  php: {url: \"fastcgi://127.0.0.1:9000\", fastcgi: {root: /srv}}\n"
        "  none: {url: \"fastcgi://127.0.0.1:9000\", fastcgi: {root: /srv, script: off}}\n"
        "defaults: {upstream: php}\n"
        "routes: [{prefix: /, files: {root: /srv}}, {prefix: /wiki, files: {root: /srv, try: "
        "[path, /wiki.php]}}]\n");
    EXPECT_EQ(front_controllers(config), (Lines{"/index.php", "/wiki.php"}));
}

}  // namespace
}  // namespace ticketgate::config
