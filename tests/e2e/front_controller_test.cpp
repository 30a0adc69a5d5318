// CONTRACT 6: a page of a FastCGI front controller has one queue, whether its path names the script
// or not.
#include "support/configs.hpp"

namespace ticketgate::test {
namespace {

std::string upstream(const std::string& name, const std::string& fastcgi) {
    return "  " + name +
           ":\n"
           "    workers: { command: [\"" TG_TEST_WORKER
           "\"], min: 1, max: 2, environment: { TEST_FOLDER: \"${TMP}\" } }\n"
           "    fastcgi: { root: /app" +
           fastcgi + " }\n";
}

std::string app(const std::string& routes, const std::string& fastcgi = {}) {
    return "upstreams:\n" + upstream("php", fastcgi) + upstream("other", "") +
           "defaults: { upstream: php }\nroutes: [" + routes + "]\n";
}

const std::string admin = "{ prefix: /, queue: off }, { prefix: /admin, queue: q }";

class Site {
 public:
    explicit Site(const std::string& yaml) : gateway_(yaml, {}) {}

    // The queue in which a POST waits; empty: in none. `400`: it is refused.
    std::string queue_of(const std::string& target) {
        Client client = gateway_.client();
        client.request("POST", target);
        const auto answer = client.read();
        const auto line = gateway_.log(++requests_).back();
        EXPECT_EQ(line.at("path").as_string(), target);
        if (answer.status != 200) return std::to_string(answer.status);
        const auto* queue = line.if_contains("queue");
        return queue == nullptr ? "" : queue->as_string().c_str();
    }

 private:
    Gateway gateway_;
    std::size_t requests_ = 0;
};

TEST(FrontController, HasOneQueueForAPageWithAndWithoutTheScript) {
    for (const char* fastcgi : {"", ", split: false"}) {
        Site site(app(admin, fastcgi));
        for (const char* path : {"/admin/save",
                                 "/index.php/admin/save",
                                 "/index.php/admin",
                                 "/index.php/admin?a=1",
                                 "/index.php//admin/save",
                                 "//index.php/admin/save",
                                 "/index.php/%61dmin/save",
                                 "/index%2ephp/admin/save",
                                 "/index.php/./admin/save",
                                 "/index.php/x/../admin/save",
                                 "/index.php%2Fadmin/save",
                                 "/index.php/admin%2Fsave",
                                 "/index.phpadmin/save",
                                 "/index.phpadmin",
                                 "/%69ndex.php%61dmin/save",
                                 "/index.php/admin%3f/",
                                 "/index.php/admin%3Fx",
                                 "/admin/../save",
                                 "//x/admin/save",
                                 "//x/%61dmin/save",
                                 "//x//admin/save"})
            EXPECT_EQ(site.queue_of(path), "q") << fastcgi << " " << path;
        for (const char* path :
             {"/", "/index.php", "/index.php/", "/index.php/other", "/index.php/administration",
              "/index.php?r=/admin", "/index.phpadministration", "/index.php5", "/save",
              "/index.php/x%3F/admin"})
            EXPECT_EQ(site.queue_of(path), "") << fastcgi << " " << path;
    }
}

TEST(FrontController, OfAFolderIsReachedByThreePaths) {
    Site site(
        app(admin + ", { prefix: /public/shop, queue: shop }", ", script: /public/index.php"));
    for (const char* path : {"/admin/x", "/public/admin/x", "/public/index.php/admin/x",
                             "/public/index.phpadmin/x", "/publicadmin/x"})
        EXPECT_EQ(site.queue_of(path), "q") << path;
    for (const char* path : {"/public/shop/x", "/public/index.php/shop/x", "/public/../shop/x"})
        EXPECT_EQ(site.queue_of(path), "shop") << path;
    EXPECT_EQ(site.queue_of("/index.php/admin/x"), "q") << "that of another upstream counts too";
}

TEST(FrontController, OfAFolderHasThePagesOfRoutesBelowTheFolder) {
    Site site(app("{ prefix: /, queue: off }, { prefix: /public/admin, queue: q }",
                  ", script: /public/index.php"));
    for (const char* path : {"/public/admin/x", "/admin/x", "/publicadmin/x",
                             "/public/index.php/admin/x", "/public/index.phpadmin/x"})
        EXPECT_EQ(site.queue_of(path), "q") << path;
    for (const char* path : {"/x", "/public/x", "/public/administration", "/administration"})
        EXPECT_EQ(site.queue_of(path), "") << path;
}

// Two applications in one root: `/wiki/x` is no page of the other one.
TEST(FrontController, OfAnotherApplicationHasPagesOfItsOwn) {
    Site site(
        app("{ prefix: /, queue: a, files: { root: \"${TMP}\", try: [path, /index.php] } }, "
            "{ prefix: /wiki, queue: b, files: { try: [path, /wiki/index.php] } }"));
    for (const char* path : {"/x", "/wikipedia", "/index.php/x"})
        EXPECT_EQ(site.queue_of(path), "a") << path;
    for (const char* path :
         {"/wiki", "/wiki/x", "/wiki/index.php", "/wiki/index.php/x", "/wiki/index.phpx"})
        EXPECT_EQ(site.queue_of(path), "b") << path;
}

// The route names the page behind the script of a folder.
TEST(FrontController, OfAFolderHasTheQueueOfARouteBehindTheScript) {
    Site site(app("{ prefix: /, queue: off }, { prefix: /app/index.php/admin, queue: q }",
                  ", script: /app/index.php"));
    for (const char* path : {"/app/index.php/admin/x", "/app/admin/x", "/app/admin", "/admin/x",
                             "/app/index.phpadmin/x", "/appadmin/x", "//x/admin/x"})
        EXPECT_EQ(site.queue_of(path), "q") << path;
    for (const char* path : {"/app/other", "/other", "/app/index.php/other"})
        EXPECT_EQ(site.queue_of(path), "") << path;
}

TEST(FrontController, OfAnotherScriptIsThatOfTheUpstreamOrOfTry) {
    Site named(app(admin, ", script: /app.php"));
    EXPECT_EQ(named.queue_of("/app.php/admin/x"), "q");
    EXPECT_EQ(named.queue_of("/index.php/admin/x"), "q") << "that of upstream other counts too";
    Site tried(
        app("{ prefix: /, queue: off }, { prefix: /wiki, queue: q, files: { root: \"${TMP}\", "
            "try: [/doku.php] } }",
            ", script: off"));
    EXPECT_EQ(tried.queue_of("/wiki/x"), "q");
    EXPECT_EQ(tried.queue_of("/doku.php/wiki/x"), "q");
}

TEST(FrontController, HasTheQueueOfARouteThatNamesTheScript) {
    Site site(app("{ prefix: /, queue: off }, { prefix: /index.php/checkout, queue: q }"));
    EXPECT_EQ(site.queue_of("/index.php/checkout/1"), "q");
    EXPECT_EQ(site.queue_of("/checkout/1"), "q");
    EXPECT_EQ(site.queue_of("/other.php/checkout/1"), "");
    EXPECT_EQ(site.queue_of("/other"), "");
}

// Symfony cuts as many bytes as the script's path has where it finds the file name, Joomla each
// file name, Slim in any letters, Laminas up to the last one.
TEST(FrontController, AtAnUnusualPlaceOfThePathIsRefused) {
    for (const std::string script : {"/index.php", "/public/index.php"}) {
        Site site(app(admin, ", script: " + script));
        const std::vector<std::string> paths{"/INDEX.PHP/admin",
                                             "/y-index.php-zz/admin/x",
                                             "/y-%69ndex.php-zz/admin/x",
                                             "/ad/index.phpmin",
                                             script + "/ad/index.phpmin",
                                             script + script + "/admin",
                                             script + "/x/Index.php/admin",
                                             script + "index.php/admin"};
        for (const std::string& path : paths) EXPECT_EQ(site.queue_of(path), "400") << path;
        EXPECT_EQ(site.queue_of("/x/index.php/admin"), "") << "a script of its own";
        EXPECT_EQ(site.queue_of(script + "?r=" + script), "");
    }
    Site whole(app(admin, ", split: false"));
    for (const char* path : {"/x/index.php/admin", "/x/../index.php/admin"})
        EXPECT_EQ(whole.queue_of(path), "400") << path;
    EXPECT_EQ(whole.queue_of("//index.php/admin"), "q");
    Site one(app("{ prefix: /, queue: q }"));
    EXPECT_EQ(one.queue_of("/INDEX.PHP/admin"), "q") << "all pages have one queue";
    Site host(app("{ prefix: /, queue: q }, { prefix: /, host: b.example, queue: off }"));
    EXPECT_EQ(host.queue_of("/INDEX.PHP/admin"), "400");
    Site pattern(app("{ prefix: /, queue: off }, { regex: ^/admin, queue: q }"));
    EXPECT_EQ(pattern.queue_of("/INDEX.PHP/admin"), "400");
}

// Such a path runs the front controller where paths do not choose the script.
TEST(FrontController, HasPagesWithTheNameOfAScript) {
    const std::string behind = "{ prefix: /, queue: off }, { prefix: /index.php/admin, queue: q }";
    Site split(app(behind));
    EXPECT_EQ(split.queue_of("/admin/b.php"), "") << "a script of its own";
    Site whole(app(behind, ", split: false"));
    EXPECT_EQ(whole.queue_of("/admin/b.php"), "q");
    EXPECT_EQ(whole.queue_of("//x/admin/b.php"), "q");
    Site tried(
        app("{ prefix: /, queue: off, files: { root: \"${TMP}\", try: [/index.php] } }, "
            "{ prefix: /index.php/admin, queue: q, files: { try: [upstream] } }"));
    EXPECT_EQ(tried.queue_of("/admin/b.php"), "q");
}

// Without split, a folder's index is run as fastcgi.script, whatever `try` ends with.
TEST(FrontController, RunsForFoldersToo) {
    const TemporaryFolder folder;
    folder.write("index.php", "");
    for (const char* last : {"script", "/other.php"}) {
        Site site(app("{ prefix: /, queue: off, files: { root: " + folder.path() +
                          ", try: [path, path/, " + last + "] } }, " +
                          "{ prefix: /index.php/, queue: q, files: { try: [upstream] } }",
                      ", split: false"));
        EXPECT_EQ(site.queue_of("/"), "q") << last;
    }
}

TEST(FrontController, RefusesPagesOfTwoQueuesOrUpstreams) {
    Site site(
        app("{ prefix: /, queue: a }, { prefix: /admin, queue: b }, "
            "{ prefix: /far, queue: c, upstream: other }, { prefix: /open, queue: off }, "
            "{ prefix: /index.php/both, queue: b }, { prefix: /both, queue: b }"));
    EXPECT_EQ(site.queue_of("/admin/x"), "b");
    EXPECT_EQ(site.queue_of("/far/x"), "c");
    EXPECT_EQ(site.queue_of("/index.php/admin/x"), "400");
    EXPECT_EQ(site.queue_of("/index.php/far/x"), "400");
    EXPECT_EQ(site.queue_of("/index.php/both/x"), "b");
    EXPECT_EQ(site.queue_of("/index.php/other"), "a");
    EXPECT_EQ(site.queue_of("/index.php/open"), "a") << "queued under one of its paths";
    EXPECT_EQ(site.queue_of("//x/admin"), "400") << "parse_url() takes x for a host";
    EXPECT_EQ(site.queue_of("//admin"), "b");
    EXPECT_EQ(site.queue_of("//admin/x.php"), "b") << "the script has no host in its path";
}

TEST(FrontController, KeepsTheRouteThatNamesTheScriptItself) {
    Site site(app("{ prefix: /, queue: a }, { prefix: /index.php, queue: off }"));
    EXPECT_EQ(site.queue_of("/index.php"), "");
    EXPECT_EQ(site.queue_of("/index.php/x"), "a");
    Site start(app("{ prefix: /, queue: off }, { regex: ^/$, queue: start }"));
    EXPECT_EQ(start.queue_of("/"), "start");
    EXPECT_EQ(start.queue_of("/index.php"), "start");
}

// The limit of the page's own route counts, too.
TEST(FrontController, HasTheLimitsOfTheRouteWithTheQueue) {
    Gateway gateway(app("{ prefix: /, queue: off }, { prefix: /admin, queue: q, max_body: 4 }"),
                    {});
    EXPECT_EQ(gateway.post("/index.php/admin", "12345").status, 413);
    EXPECT_EQ(gateway.post("/index.php/admin", "1234").status, 200);
    EXPECT_EQ(gateway.post("/index.php/other", "12345").status, 200);
}

}  // namespace
}  // namespace ticketgate::test
