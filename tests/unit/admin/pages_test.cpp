// Targets of the admin listener are read as URLs: a name counts in any spelling.
#include "admin/pages.hpp"

#include <gtest/gtest.h>

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;

struct Listener {
    unsigned get(const char* target) { return ask(http::verb::get, target); }
    unsigned post(const char* target) { return ask(http::verb::post, target); }
    unsigned ask(http::verb method, const char* target) {
        const auto answer = pages(HttpRequest(method, target, 11), true);
        said = answer.body();
        allowed = answer[http::field::allow];
        type = answer[http::field::content_type];
        return answer.result_int();
    }
    std::string said, allowed, type;  // of the last answer

    metrics::Registry metrics;
    net::Loop loop{0};
    GateRegistry gates{metrics, [this]() -> net::Loop& { return loop; }};
    std::shared_ptr<Gate> gate = gates.find_or_make("a-b", {});
    std::uint64_t released = 0;
    std::string of;
    Released result{Release::failed_open};
    milliseconds paused{0};
    Pages pages{metrics, gates,
                Actions{.ready = [] { return true; },
                        .token = [] { return std::string(); },
                        .release =
                            [this](Gate&, const ToRelease& what) {
                                released = what.number;
                                of = std::string(what.request_id.value_or("any"));
                                return result;
                            },
                        .pause = [this](Gate&, milliseconds time) { paused = time; },
                        .resume = [this](Gate&) { paused = 0ms; },
                        .drain = [] {},
                        .reload = [] { return Reloaded(); }}};
};

TEST(Pages, FindAQueueInAnySpelling) {
    Listener listener;
    EXPECT_EQ(listener.get("/api/v1/queues/a-b"), 200u);
    EXPECT_EQ(listener.get("/api/v1/queues/a%2Db?limit=%31"), 200u);
    EXPECT_EQ(listener.get("/%61pi/v1/queues"), 200u);
    EXPECT_EQ(listener.get("/api/v1/queues/a%20b"), 404u);
}

TEST(Pages, ResumeAlsoWhatIsPausedInTheOldProcessOnly) {
    Listener listener;
    std::string resumed;
    listener.pages.actions.resume_there = [&resumed](const std::string& queue) {
        resumed = queue;
        return true;
    };
    for (const char* queue : {"a-b", "only-there"}) {
        const auto path = std::string("/api/v1/queues/") + queue + "/resume";
        EXPECT_EQ(listener.post(path.c_str()), 200u);
        EXPECT_EQ(resumed, queue);
        EXPECT_EQ(listener.said, "resumed in the old process, which has this queue\n");
    }
    listener.pages.actions.resume_there = [](const std::string&) { return false; };
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/resume"), 200u);
    EXPECT_EQ(listener.said, "it was not paused\n");
    EXPECT_EQ(listener.post("/api/v1/queues/only-there/resume"), 404u);
}

TEST(Pages, TellWhereElseRequestsOfAQueueMayRun) {
    Listener listener;
    for (const char* path : {"/api/v1/queues", "/api/v1/queues/a-b"}) {
        listener.pages.actions.elsewhere = nullptr;
        EXPECT_EQ(listener.get(path), 200u);
        EXPECT_NE(listener.said.find(R"("elsewhere":null)"), std::string::npos) << listener.said;
        const OldRequest oldest{7, "r7", "GET /stuck", WallTime{}};
        listener.pages.actions.elsewhere = [&](const std::string& queue) {
            return queue == "a-b" ? Place{"old_process", &oldest} : Place{};
        };
        EXPECT_EQ(listener.get(path), 200u);
        EXPECT_NE(listener.said.find(R"("elsewhere":"old_process")"), std::string::npos)
            << listener.said;
        EXPECT_NE(listener.said.find(R"("number":7,"request_id":"r7","request":"GET /stuck")"),
                  std::string::npos)
            << listener.said;
    }
}

TEST(Pages, TellWhenADrainCutsWhatStillRuns) {
    Listener listener;
    listener.pages.actions.ready = [] { return false; };
    listener.pages.actions.cuts_in = [] { return std::optional<Duration>(26100ms); };
    EXPECT_EQ(listener.get("/readyz?verbose"), 503u);
    EXPECT_EQ(listener.said, "draining\nwhat still runs is cut in 27 s (drain_timeout)\n");
    EXPECT_EQ(listener.get("/readyz"), 503u);
    EXPECT_EQ(listener.said, "draining\n") << "for a probe";
}

TEST(Pages, TellWhyTheLastUpgradeFailed) {
    Listener listener;
    Upgrading last{.state = "drains", .why = ""};
    listener.pages.actions.upgrading = [&] { return last; };
    EXPECT_EQ(listener.get("/readyz?verbose"), 200u);
    EXPECT_EQ(listener.said, "ok\n");
    last = {.state = "failed", .why = "c.yaml:3: bad"};
    EXPECT_EQ(listener.get("/readyz?verbose"), 200u);
    EXPECT_EQ(listener.said,
              "ok\nthe last upgrade failed, and this process goes on: c.yaml:3: bad\n");
    EXPECT_EQ(listener.get("/readyz"), 200u);
    EXPECT_EQ(listener.said, "ok\n") << "not for a probe";
}

TEST(Pages, PauseNoQueueThatAnotherReplicaMayGrantFrom) {
    Listener listener;
    std::string_view where = "other_replica";
    listener.pages.actions.elsewhere = [&](const std::string&) { return Place{where}; };
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/pause?for=30s"), 409u);
    EXPECT_TRUE(listener.said.starts_with("not paused: queue a-b ")) << listener.said;
    EXPECT_EQ(listener.paused, 0ms);
    where = "earlier_keeper";  // it keeps the line, and grants from it later
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/pause?for=30s"), 200u);
    EXPECT_EQ(listener.paused, 30s);
}

TEST(Pages, ReleaseTheTicketThatIsNamed) {
    Listener listener;
    EXPECT_EQ(listener.post("/api/v1/queues/a%2db/release?number=%327"), 200u);
    EXPECT_EQ(listener.released, 27u);
    EXPECT_EQ(listener.of, "any");
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/release"), 400u);
    EXPECT_NE(listener.said.find("is missing"), std::string::npos) << listener.said;
    for (const char* number : {"abc", "0", "-1", "", "1x", "99999999999999999999999"}) {
        const auto target = std::string("/api/v1/queues/a-b/release?number=") + number;
        EXPECT_EQ(listener.post(target.c_str()), 400u) << number;
        EXPECT_NE(listener.said.find("number is not that of a ticket"), std::string::npos)
            << listener.said;
    }
    EXPECT_EQ(listener.get("/api/v1/queues/a-b?limit=ten"), 400u);
}

TEST(Pages, ReleaseNoOtherRequestThanTheOneThatIsNamed) {
    Listener listener;
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/release?number=7&request_id=a%2Bb/c=d"), 200u);
    EXPECT_EQ(listener.of, "a+b/c=d");
    listener.result = {Release::another, RequestLabel("other", "192.0.2.1", "GET", "/")};
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/release?number=7&request_id=x"), 409u);
    EXPECT_EQ(listener.said,
              "not released: number 7 of queue a-b is another request now: request id other\n");
    listener.result = {};
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/release?number=7&request_id=x"), 409u);
    EXPECT_EQ(listener.said,
              "not released: number 7 is neither in flight nor waiting in queue a-b any more\n");
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/release?number=7"), 404u);
}

// Nobody looks, and one more may.
TEST(Pages, ReadTheTargetOfEventsAsAnyOther) {
    const auto asks = [](http::verb method, const char* target) {
        return asks_for_events(HttpRequest(method, target, 11));
    };
    EXPECT_TRUE(asks(http::verb::get, "/api/v1/events"));
    EXPECT_TRUE(asks(http::verb::get, "/api/v1/%65vents"));
    EXPECT_TRUE(asks(http::verb::get, "/api/v1/events?"));
    for (const char* other : {"/api/v1/events?t=1", "/api/v1/event", "*", "/api/v1/events/"})
        EXPECT_FALSE(asks(http::verb::get, other)) << other;
    EXPECT_FALSE(asks(http::verb::head, "/api/v1/events"));
    Listener listener;
    bool full = false;
    listener.pages.actions.viewers_full = [&full] { return full; };
    EXPECT_EQ(listener.ask(http::verb::head, "/api/v1/events"), 200u);
    EXPECT_EQ(listener.type, "text/event-stream");
    EXPECT_EQ(listener.get("/api/v1/events?t=1"), 400u);
    EXPECT_NE(listener.said.find("unknown parameter"), std::string::npos) << listener.said;
    EXPECT_EQ(listener.get("/api/v1/events?=1"), 400u);
    full = true;
    for (const auto method : {http::verb::head, http::verb::get})
        EXPECT_EQ(listener.ask(method, "/api/v1/events"), 503u);
    EXPECT_EQ(listener.get("/api/v1/events?t=1"), 400u);
}

TEST(Pages, SayWhichMethodsTheyServe) {
    Listener listener;
    for (const char* action :
         {"/api/v1/reload", "/api/v1/drain", "/api/v1/queues/a-b/release?number=1"}) {
        EXPECT_EQ(listener.get(action), 405u) << action;
        EXPECT_EQ(listener.allowed, "POST");
    }
    for (const char* read : {"/livez", "/metrics", "/api/v1/queues", "/api/v1/queues/a-b",
                             "/api/v1/events", "/api/v1/tickets"}) {
        EXPECT_EQ(listener.post(read), 405u) << read;
        EXPECT_EQ(listener.allowed, "GET, HEAD");
    }
    EXPECT_EQ(listener.ask(http::verb::put, "/livez"), 405u);
    EXPECT_EQ(listener.allowed, "GET, HEAD, POST");
    EXPECT_EQ(listener.post("/nothing"), 404u);
    EXPECT_EQ(listener.released, 0u);
}

TEST(Pages, PauseTheQueueThatIsNamed) {
    Listener listener;
    EXPECT_EQ(listener.post("/api/v1/queues/a%2db/pause?for=%330s"), 200u);
    EXPECT_EQ(listener.paused, 30s);
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/pause"), 200u);
    EXPECT_EQ(listener.paused, never);
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/pause?for=30"), 400u);
    EXPECT_EQ(listener.post("/api/v1/queues/a/pause"), 404u);
    EXPECT_EQ(listener.post("/api/v1/queues/pause"), 405u) << "the page of a queue pause";
}

TEST(Pages, RefuseParametersThatTheyDoNotKnow) {
    Listener listener;
    const std::string queue = "/api/v1/queues/a-b";
    for (const char* target :
         {"/pause?for_ms=30", "/pause?for=30s&x", "/pause?for=30s&for=1h", "/release?number=7&n=8",
          "/release?number=7&number=8", "/resume?in=5m"})
        EXPECT_EQ(listener.post((queue + target).c_str()), 400u) << target;
    EXPECT_EQ(listener.paused, 0ms);
    EXPECT_EQ(listener.released, 0u);
    for (const char* target : {"/api/v1/drain?for=5m", "/api/v1/reload?file=x"})
        EXPECT_EQ(listener.post(target), 400u) << target;
    for (const char* target : {"/api/v1/queues/a-b?most=3", "/api/v1/tickets?id=12345",
                               "/api/v1/tickets?request_id=12345&queue=a"})
        EXPECT_EQ(listener.get(target), 400u) << target;
    EXPECT_EQ(listener.post("/api/v1/queues/a-b/pause?for_ms=30"), 400u);
    EXPECT_EQ(listener.said, "unknown parameter for_ms; the only one is for\n");
    EXPECT_EQ(listener.get("/readyz?verbose&x=1"), 200u) << "a health check may add what it likes";
    EXPECT_EQ(listener.get("/api/v1/queues?x=1"), 200u) << "there is none to misspell";
}

TEST(Pages, RefuseMalformedTargets) {
    Listener listener;
    for (const char* target : {"*", "livez", "/%zz", "/livez#a", "/a b", ""})
        EXPECT_EQ(listener.get(target), 400u) << target;
    EXPECT_EQ(listener.get("/nothing"), 404u);
}

}  // namespace
}  // namespace ticketgate::admin
