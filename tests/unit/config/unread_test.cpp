// A value that could not be read hides what depends on it, and nothing else.
#include "config/unread.hpp"

#include "loading.hpp"

namespace ticketgate::config {
namespace {

TEST(Unread, TouchesWhatIsAboveAndBelow) {
    Unread unread;
    EXPECT_FALSE(unread.touches(""));
    unread.add("routes[1].queue");
    unread.add("a-b");
    for (const char* path : {"", "routes", "routes[1]", "routes[1].queue", "routes[1].queue.x",
                             "routes[1].queue[0]", "a-b", "a-b.c"})
        EXPECT_TRUE(unread.touches(path)) << path;
    for (const char* path :
         {"routes[0]", "routes[10]", "routes[1].queues", "route", "a", "a-", "b"})
        EXPECT_FALSE(unread.touches(path)) << path;
    unread.add("");
    EXPECT_TRUE(unread.touches("b")) << "the file as a whole could not be read";
}

TEST(Unread, AMisspeltKeyHidesNoProblemOfMeaning) {
    const auto loaded = load(base + "routes: [{prefix: /, queue: q, max_waitin: 3}]\n" +
                             "queues: {q: {release: worker_idle, max_in_flight: 2}}\n");
    EXPECT_FALSE(loaded.config);
    EXPECT_EQ(
        printed(loaded.problems),
        (std::vector<std::string>{
            "c.yaml:4:32: routes[0].max_waitin: unknown key; did you mean max_waiting?",
            "c.yaml:5:14: queues.q.release: worker_idle asks php-fpm's status, but upstream app of "
            "routes[0] has no fastcgi: {status: {url: …}}",
            "c.yaml:5:36: warning: queues.q.max_in_flight: more than 1 is not mutual exclusion: up "
            "to 2 requests run at once"}));
}

// Each text has one mistake; the messages about what it would have set are not told.
TEST(Unread, NothingIsSaidOfWhatDependsOnIt) {
    const std::string php =
        "listen: [{address: \"127.0.0.1:8080\"}]\ndefaults: {upstream: app}\n"
        "queues: {q: {release: worker_idle}}\n";
    for (const std::string& text :
         {base + "routes: [{prefix: /, queu: q}]\nqueues: {q: {}}\n",
          base + "routes: [{prefix: /cart/, queue: q}, {prefix: /cart, queu: q}]\n",
          base + one_route +
              "ids: {request_id: {policy: preserve}}\nclients: {trusted_proxys: []}\n",
          base + one_route + "id_service: {address: \"0.0.0.0:1\", tokn: x, state_file: s}\n",
          base + one_route + "id_service: {address: \"127.0.0.1:1\", state_fil: s}\n",
          php + "upstreams: {app: {url: \"fastcgi://a:1\", fastcgi: {root: /w, status: {ur: 1}}}}\n"
                "routes: [{prefix: /, queue: q}]\n",
          php + "upstreams: {app: {url: \"http://a:1\"}, php: {url: \"fastcgi://a:1\", "
                "fastcgi: {root: /w, status: {url: \"fastcgi://a:2\"}}}}\n"
                "routes: [{prefix: /, queue: q, upstrem: php}]\n"}) {
        std::size_t others = 0;
        for (const auto& problem : load(text).problems)
            others += problem.message.find("unknown key") == std::string::npos &&
                      problem.message.find("is missing") == std::string::npos;
        EXPECT_EQ(others, 0U) << text << printed(load(text).problems).back();
    }
}

TEST(Unread, AWrongEntryOfAListMovesNoOther) {
    const auto loaded = load(
        "listen: [{address: x}, {address: \"127.0.0.1:1\"}, {address: \"127.0.0.1:1\"}]\n"
        "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\nroutes: [{prefix: /, upstream: "
        "app}]\n");
    const auto lines = printed(loaded.problems);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_TRUE(
        lines[1].starts_with("c.yaml:1:51: listen[2].address: address 127.0.0.1:1 is already"))
        << lines[1];
    ASSERT_TRUE(loaded.draft);
    EXPECT_EQ(loaded.draft->listen.size(), 3U);
}

TEST(Unread, ErrorsThatOthersFoundLeaveADraft) {
    auto loaded = load(base + one_route + "log: {access_file: /x}\nspool: {directory: []}\n");
    loaded.add({{"c.yaml", 5, 7, "log.access_file", "b", true},
                {"c.yaml", 1, 1, "listen[0]", "a", false},
                {"c.yaml", 6, 9, "spool.directory", "the default is not writable", false}});
    EXPECT_EQ(printed(loaded.problems),
              (std::vector<std::string>{
                  "c.yaml:1:1: listen[0]: a", "c.yaml:5:7: warning: log.access_file: b",
                  "c.yaml:6:20: spool.directory: expected text; here is a list"}));
    auto good = load(base + one_route);
    good.add({{"c.yaml", 1, 1, "listen[0]", "w", true}});
    EXPECT_TRUE(good.config);
    good.add({{"c.yaml", 1, 1, "listen[0]", "a", false}});
    EXPECT_FALSE(good.config);
    EXPECT_NE(good.read(), nullptr);
    EXPECT_EQ(load("{").read(), nullptr);
}

}  // namespace
}  // namespace ticketgate::config
