// `files:`: what it refuses, at each place where it may stand.
#include "config/route_index.hpp"
#include "loading.hpp"

namespace ticketgate::config {
namespace {

// The problems of these settings, one line each, without places.
std::string told(const std::string& upstream, const std::string& defaults,
                 const std::string& route) {
    const auto part = [](const std::string& files) {
        return files.empty() ? "" : ", files: {" + files + "}";
    };
    const auto loaded = load(
        "listen: [{address: \"127.0.0.1:80\"}]\n"
        "upstreams: {a: {url: \"fastcgi://10.0.0.5\", fastcgi: {root: /w}" +
        part(upstream) + "}}\ndefaults: {upstream: a" + part(defaults) +
        "}\nroutes: [{prefix: /, queue: q, routes: [{prefix: /x" + part(route) + "}]}]\n");
    std::string out;
    for (const auto& line : printed(loaded.problems)) out += line + "\n";
    return out;
}

TEST(Files, AreRefusedAtEachPlaceWithARemedy) {
    const std::pair<const char*, const char*> cases[] = {
        {"root: /w, try: []", "try: is empty; write [path, path/, upstream]"},
        {"root: /w, try: [path, /x.phtml]", "only .php is run; its source would be sent"},
        {"root: /w, try: [/x.php.bak]", "only .php is run; its source would be sent"},
        {"root: /w, try: [path, /.env]", "is hidden: names that begin with a dot"},
        {"root: /w, try: [upstream, path]", "can only be the last"},
        {"root: /w, try: [scripts]", "is not path, path/, script, upstream"},
        {"root: /w, try: [$uri, path/, upstream]", "\"$uri\": write path"},
        {"root: /w, try: [path, $uri/, upstream]", "\"$uri/\": write path/"},
        {"root: /w, try: [path, =404]", "write script: paths that name a script go to the backend"},
        {"root: /w, try: [path, '/index.php?$args']", "write /index.php: the query is always"},
        {"root: /w, try: [path, path.html, path/]", "endings cannot be added to a path"},
        {"root: /w, try: [path, path/, path.html]", "endings cannot be added to a path"},
        {"root: /w, try: [uri, uri/, /index.php]", "\"uri\": write path"},
        {"root: /w, try: [path, else, /index.php]", "is not path or path/, which stand before"},
        {"root: /w, tries: [path]", "did you mean try?"},
        {"root: /w, cache_control: 1h", "and no time; write \"max-age=3600\""},
        {"root: /w, hide: default", "a list such as [first, second]"},
        {"root: /w, hide: [default, data/x]", "a path begins with one, such as /data"},
        {"root: /w, hide: [default, /data/]", "write /data, not /data/"},
        {"root: /w, hide: [default, /a/../data]", "has no /../; leave it out"},
        {"root: /w, hide: [default, /a//data]", "has no //; leave it out"},
        {"root: /w, hide: [default, /d%61ta]", "write characters themselves, not their codes"},
        {"root: /w, hide: [default, /d*]", "a path has no *"},
        {"root: /w, links: [shared]", "is not an absolute path such as"},
        {"root: /w, index: [a/b.php]", "is not the name of a file such as index.html"},
    };
    for (const auto& [files, why] : cases)
        for (int place = 0; place < 3; ++place) {
            const auto at = [&](int where) { return where == place ? files : ""; };
            const auto said = told(at(0), at(1), at(2));
            EXPECT_NE(said.find(why), std::string::npos)
                << files << " at " << place << ": " << said;
            EXPECT_EQ(said.find("warning"), std::string::npos) << said;
        }
}

TEST(Files, WithoutARootAreToldWhereverTheyStand) {
    const std::string why = "files: has no effect without files.root";
    for (const char* files : {"try: [path]", "hide: [/uploads]", "cache_control: no-store"})
        for (int place = 0; place < 3; ++place) {
            const auto at = [&](int where) { return where == place ? files : ""; };
            EXPECT_NE(told(at(0), at(1), at(2)).find(why), std::string::npos)
                << files << " at " << place << ": " << told(at(0), at(1), at(2));
        }
    EXPECT_EQ(told("hide: [default, /a]", "cache_control: no-store", "root: /w"), "");
    EXPECT_EQ(told("root: /w", "hide: [default, /a]", "cache_control: no-store"), "");
}

TEST(Files, CacheControlOffUnsetsAnInheritedOne) {
    const auto loaded = load(
        "listen: [{address: \"127.0.0.1:80\"}]\nupstreams: {a: {url: \"http://h\", files: {root: "
        "/w, cache_control: no-store}}}\n"
        "routes: [{prefix: /, upstream: a, routes: [{prefix: /x, files: {cache_control: "
        "off}}]}]\n");
    ASSERT_TRUE(loaded.config);
    const RouteIndex index(*loaded.config);
    EXPECT_EQ(index.resolve(index.match("/")).files.cache_control, "no-store");
    EXPECT_EQ(index.resolve(index.match("/x")).files.cache_control, "");
}

TEST(Files, ThatLetNoRequestReachTheBackendAreTold) {
    const std::string why = "upstreams.a: gets no request";
    EXPECT_NE(told("root: /w, try: [path, path/]", "", "").find(why), std::string::npos);
    EXPECT_NE(told("root: /w, try: [path, /a.html]", "", "").find(why), std::string::npos);
    EXPECT_EQ(told("root: /w, try: [path, path/, script]", "", ""), "");
    EXPECT_EQ(told("root: /w", "", "try: [path]"), "") << "one folder";
}

// A POST would run what a GET does not.
TEST(Files, OfAFolderWithoutScriptsHaveNoCondition) {
    const auto one = [](const std::string& condition, const std::string& tries) {
        const auto loaded = load(
            "listen: [{address: \"127.0.0.1:80\"}]\n"
            "upstreams: {a: {url: \"fastcgi://10.0.0.5\", fastcgi: {root: /w}, files: {root: "
            "/w}}}\n"
            "routes: [{prefix: /, upstream: a, queue: q, routes: [{prefix: /x, " +
            condition + ", files: {try: " + tries + "}}]}]\n");
        std::string out;
        for (const auto& line : printed(loaded.problems)) out += line + "\n";
        return out;
    };
    for (const char* condition : {"methods: [GET, HEAD]", "from: [10.0.0.0/8]", "header: {A: b}"})
        EXPECT_NE(one(condition, "[path]").find("requests that it does not take go to another"),
                  std::string::npos)
            << condition << one(condition, "[path]");
    EXPECT_EQ(one("methods: [GET, HEAD]", "[path, upstream]").find("does not take"),
              std::string::npos);
    EXPECT_EQ(one("queue: off", "[path]"), "");
}

TEST(Files, DoNotEndWithTheSourceOfWhatTheBackendRuns) {
    const auto one = [](const std::string& of_upstream, const std::string& of_route) {
        const auto loaded = load(
            "listen: [{address: \"127.0.0.1:80\"}]\n"
            "upstreams: {a: {url: \"fastcgi://10.0.0.5\", fastcgi: {root: /w, script: /app.lua, "
            "split: false}, files: {root: /w, try: " +
            of_upstream + "}}}\nroutes: [{prefix: /, upstream: a, files: {try: " + of_route +
            "}}]\n");
        std::string out;
        for (const auto& line : printed(loaded.problems)) out += line + "\n";
        return out;
    };
    const std::string good = "[path, upstream]", bad = "[path, path/, /app.lua]";
    EXPECT_NE(one(bad, good).find("upstreams.a.files.try: /app.lua is fastcgi.script"),
              std::string::npos);
    EXPECT_NE(one(good, bad).find("routes[0].files.try: /app.lua is fastcgi.script"),
              std::string::npos)
        << one(good, bad);
    EXPECT_EQ(one(good, good).find("/app.lua"), std::string::npos);
}

TEST(Files, AreGoodWithEachKindOfEntry) {
    for (const char* files : {"root: /w, try: [path]", "root: /w, try: [path, path/, script]",
                              "root: /w, try: [script]", "root: /w, try: [/index.php]",
                              "root: /w, try: [path, /app.html]",
                              "root: /w, hide: [default, /data, \"/a b\", \"*.txt\"], links: "
                              "[/usr/share/javascript, /]"})
        EXPECT_EQ(told("", "", files), "") << files;
}

TEST(Files, ThatCannotBeReadAreToldOnce) {
    const std::string listen = "listen: [{address: \"127.0.0.1:8080\"}]\n";
    EXPECT_EQ(
        printed(load(listen +
                     "upstreams: {app: {url: \"fastcgi://127.0.0.1:1\", fastcgy: {root: /w}}}\n"
                     "routes: [{prefix: /, upstream: app,\n"
                     "          files: {root: /tmp, try: [path, /index.php]}}]\n")
                    .problems),
        std::vector<std::string>{
            "c.yaml:2:49: upstreams.app.fastcgy: unknown key; did you mean fastcgi?"});
    EXPECT_EQ(
        printed(
            load(listen +
                 "upstreams: {app: {url: \"http://127.0.0.1:1\"}}\n"
                 "routes: [{prefix: /, upstream: app, files: {rot: /w, try: [path, upstream]}}]\n")
                .problems),
        std::vector<std::string>{
            "c.yaml:3:45: routes[0].files.rot: unknown key; did you mean root?"});
}

}  // namespace
}  // namespace ticketgate::config
