// A line over several processes when one of them, or the store, is gone (CLUSTER.md 5).
#include "etcd_calls.hpp"
#include "faults.hpp"
#include "support/full_listener.hpp"

namespace ticketgate::test {
namespace {

TEST_F(ClusterFaults, AnIdleLineOfACrashedKeeperPassesOn) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    ASSERT_EQ(b->get("/before").status, 200);
    ASSERT_TRUE(is_stored({"idle"}));
    a->crash();
    EXPECT_EQ(b->get("/after").status, 200) << "it waits for the lease, no longer";
    EXPECT_EQ(backend_.most_in_flight(), 1);
}

TEST_F(ClusterFaults, ALineStandsWhileALostRequestMayRunUntilAnOperatorSettlesIt) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    Client lost = held_at(*b);
    a->crash();
    EXPECT_EQ(lost.read().status, 502) << "it may have run, and is not sent again";
    Client next = b->client();
    next.get("/next");
    ASSERT_TRUE(is_stored({"settling"}));
    EXPECT_EQ(backend_.count("/next"), 0u);
    settle(lost_term());
    EXPECT_EQ(next.read().status, 200);
    backend_.release("/lost");
}

// It may be a write.
TEST_F(ClusterFaults, AGetThatNamesAnotherMethodIsNotSentAgain) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    backend_.hold("/lost");
    Client lost = b->client();
    lost.get("/lost", "X-HTTP-Method-Override: DELETE\r\n");
    ASSERT_TRUE(backend_.wait_for("/lost"));
    EXPECT_TRUE(backend_.of("/lost").at(0).body.empty());
    a->crash();
    EXPECT_EQ(lost.read().status, 502);
    ASSERT_TRUE(is_stored({"settling"}));
    settle(lost_term());
    EXPECT_EQ(b->get("/next").status, 200);
    EXPECT_EQ(backend_.count("/lost"), 1u);
    backend_.release("/lost");
}

// The next process at the address of a lost one knows nothing of what that one left in the backend.
TEST_F(ClusterFaults, AKeeperThatIsStartedAgainGivesNoWordForTheOneThatCrashed) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    Client lost = held_at(*a);
    a->crash();
    a->start();
    ASSERT_TRUE(a->serves());
    Client next = b->client();
    next.get("/next");
    ASSERT_TRUE(is_stored({"settling"}));
    const LostTerm term = lost_term();
    const std::string ask = "Ticketgate-Ask: 1 queue=app instance=" + term.instance +
                            " term=" + term.epoch + " by=9999999999 secret=0123456789abcdef\r\n";
    for (int i = 0; i < 20; ++i) {
        Client peer(a->address(2));
        peer.get("/", ask);
        EXPECT_EQ(peer.read().status, 409) << i;
    }
    EXPECT_EQ(backend_.count("/next"), 0u);
    settle(term);
    EXPECT_EQ(next.read().status, 200);
    backend_.release("/lost");
}

TEST_F(ClusterFaults, AKeeperThatStopsHandsItsLineOverAndLosesNothing) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    backend_.hold("/slow");
    Client slow = b->client(), waits = b->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    waits.request("POST", "/waits", {}, "body");
    ASSERT_TRUE(a->wait_for_waiting(1));
    a->program().signal(SIGTERM);
    ASSERT_TRUE(is_stored({"leaving", "settling"}));
    Client after = b->client();
    after.request("POST", "/after", {}, "body");
    backend_.release("/slow");
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(waits.read().status, 200);
    EXPECT_EQ(after.read().status, 200);
    EXPECT_EQ(a->program().wait(), 0) << a->program().err();
    EXPECT_EQ(backend_.most_in_flight(), 1);
    EXPECT_EQ(backend_.order(), (std::vector<std::string>{"/first", "/slow", "/waits", "/after"}));
}

// An open line whose keeper says nothing more stands for ever, so the stop waits for the last
// write.
TEST_F(ClusterFaults, ASecondSignalLeavesNoLineOpenThatRunsNothing) {
    for (int round = 0; round < 6; ++round) {
        auto a = replica("a");
        EXPECT_EQ(a->get("/first").status, 200);
        a->program().signal(SIGTERM);
        a->program().signal(SIGINT);
        ASSERT_TRUE(a->program().wait());
        ASSERT_TRUE(is_stored({"free"})) << round;
    }
}

TEST_F(ClusterFaults, ASecondSignalGivesNoWordForWhatItCuts) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    Client lost = held_at(*a);
    a->program().signal(SIGTERM);
    a->program().signal(SIGINT);
    ASSERT_TRUE(a->program().wait());
    Client next = b->client();
    next.get("/next");
    ASSERT_TRUE(is_stored({"settling"}));
    EXPECT_EQ(backend_.count("/next"), 0u);
    const LostTerm term = lost_term();
    EXPECT_TRUE(eventually([&] {
        return Command(store_).run({"settle", "app", term.epoch}).code == 0;
    })) << "not before the store lists it no more";
    EXPECT_EQ(next.read().status, 200);
    backend_.release("/lost");
}

// They go to the next keeper and keep their places. A POST whose body is gone was not started.
TEST_F(ClusterFaults, WhatWaitsForAnotherReplicaGoesOnBehindASecondSignal) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    Client lost = held_at(*a), posts = b->client(), uploads = b->client();
    std::vector<Client> waiting;
    for (const char* target : {"/1", "/2", "/3"}) {
        waiting.push_back(b->client());
        waiting.back().get(target);
        ASSERT_TRUE(a->wait_for_waiting(waiting.size()));
    }
    posts.request("POST", "/post", {}, "body");
    ASSERT_TRUE(a->wait_for_waiting(4));
    uploads.send("POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nb");
    ASSERT_TRUE(a->wait_for_waiting(5));
    a->program().signal(SIGTERM);
    a->program().signal(SIGINT);
    ASSERT_TRUE(a->program().wait());
    for (Client* one : {&posts, &uploads}) {
        const Response refused = one->read();
        EXPECT_EQ(refused.status, 503);
        EXPECT_NE(refused.body.find("not started"), std::string::npos) << refused.body;
    }
    ASSERT_TRUE(b->wait_for_waiting(waiting.size()));
    ASSERT_TRUE(is_stored({"settling"}));
    const LostTerm term = lost_term();
    ASSERT_TRUE(eventually([&] {
        return Command(store_).run({"settle", "app", term.epoch}).code == 0;
    }));
    for (Client& one : waiting) EXPECT_EQ(one.read().status, 200);
    EXPECT_EQ(backend_.order(), (std::vector<std::string>{"/first", "/lost", "/1", "/2", "/3"}));
    backend_.release("/lost");
}

TEST_F(ClusterFaults, NothingIsGrantedWithoutTheStoreAndWaitersKeepTheirPlaces) {
    auto a = replica("a");
    begin_line(*a);
    backend_.hold("/slow");
    Client slow = a->client(), waits = a->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    waits.get("/waits");
    ASSERT_TRUE(a->wait_for_waiting(1));
    store_.stop(0);
    Response away;
    EXPECT_TRUE(eventually([&] {
        Client one = a->client();
        one.get("/away");
        if (!one.hears(1s)) return false;
        away = one.read();
        return away.status == 503;
    }));
    EXPECT_EQ(away.header("Retry-After"), "5") << "the lease";
    backend_.release("/slow");
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(backend_.count("/waits"), 0u);
    store_.go_on(0);
    EXPECT_EQ(waits.read().status, 200);
    EXPECT_EQ(backend_.most_in_flight(), 1);
}

// It does not run, but no word says so.
TEST_F(ClusterFaults, AStopSaysOfARequestThatIsNotSentThatItsQueueStands) {
    TemporaryFolder folder;
    FullListener full(folder.file("backend.sock"));
    auto a = replica("a", "hold_timeout: never",
                     "routes: [{prefix: /, upstream: app, queue: app, connect_timeout: 1h}]\n");
    begin_line(*a);
    a->reload(backend_.url(), full.url());
    ASSERT_TRUE(a->program().says("config loaded"));
    Client unsent = a->client();
    unsent.request("POST", "/unsent", {}, "x");
    ASSERT_TRUE(a->wait_for_unsent("/unsent"));
    a->program().signal(SIGTERM);
    ASSERT_TRUE(a->program().says("draining"));
    a->program().signal(SIGTERM);
    EXPECT_EQ(unsent.read().status, 503);
    EXPECT_EQ(a->program().wait(), 0);
    const std::string err = a->program().err();
    EXPECT_NE(err.find("it does not run, but its queue stands as if it did queue=app"), err.npos)
        << err;
    EXPECT_EQ(err.find("the backend may still run"), err.npos) << err;
    EXPECT_EQ(a->log(2).back().at("outcome").as_string(), "draining");
    EXPECT_TRUE(is_stored({"open", "leaving"}));
}

// A store whose database is at its limit answers reads and renewals, and takes no writes.
class ClusterFull : public ClusterFaults {
 protected:
    ClusterFull() : ClusterFaults(Calls::small_quota()) {}
    void fill() const { Calls(store_).fill(); }
    static bool says_full(const Process& there) {
        const auto view = there.cluster();
        return view.at("store_full").as_bool() &&
               view.at("problem").as_string().starts_with("it takes no writes until it has room: ");
    }
    void make_room() const {
        (void)store_.control({"del", "--prefix", "/fill/"});
        const auto all = boost::json::parse(store_.control({"get", "/fill/0", "-w", "json"}));
        const auto revision = all.at("header").at("revision").to_number<std::uint64_t>();
        (void)store_.control({"compact", std::to_string(revision)});
        (void)store_.control({"defrag"});
        (void)store_.control({"alarm", "disarm"});
    }
    static constexpr const char* refused =
        "ticketgate_queue_rejected_total{queue=\"app\",reason=\"cluster_away\"}";
};

// Nothing runs, and nothing can be written: the next keeper will find `open`.
TEST_F(ClusterFull, ALineThatCannotBeGivenUpIsNamed) {
    auto a = replica("a", "hold_timeout: never", "drain_timeout: 3s\n" + std::string(all_queued));
    begin_line(*a);
    const auto b = replica("b");
    Client slow = held_at(*a);
    ASSERT_TRUE(is_stored({"open"}));
    fill();
    backend_.release("/lost");
    EXPECT_EQ(slow.read().status, 200);
    ASSERT_TRUE(a->program().says("database space exceeded"));
    a->program().signal(SIGTERM);
    ASSERT_TRUE(a->program().says("draining"));
    EXPECT_EQ(b->get("/new").status, 503) << "its keeper drains, and can hand nothing over";
    EXPECT_EQ(a->program().wait(), 0);
    const std::string err = a->program().err();
    EXPECT_NE(err.find("the queue could not be given up: it stands until the cluster's store takes "
                       "writes again"),
              err.npos)
        << err;
    EXPECT_NE(err.find("ticketgate settle app "), err.npos) << err;
    ASSERT_TRUE(b->program().says("database space exceeded")) << "it cannot take it over";
    for (int i = 0; i < 4; ++i) EXPECT_EQ(b->get("/new").status, 503);
    EXPECT_GE(b->metric(refused), 4);
    EXPECT_EQ(backend_.count("/new"), 0u);
    EXPECT_TRUE(says_full(*b));
    make_room();
    EXPECT_TRUE(eventually([&] { return !b->cluster().at("store_full").as_bool(); }));
}

// The view of a replica is current, and says that no replica can serve.
TEST_F(ClusterFull, TheViewsTellThatTheKeeperIsLostAndTheStoreTakesNoWrites) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    ASSERT_TRUE(is_stored({"idle"}));
    fill();
    a->crash();
    ASSERT_TRUE(eventually(
        [&] { return !b->cluster().at("queues").at(0).at("keeper").at("listed").as_bool(); }));
    EXPECT_TRUE(eventually([&] { return says_full(*b); }));
    EXPECT_EQ(b->get("/new").status, 503);
    EXPECT_TRUE(b->queue().at("keeper").is_null()) << "no keeper to go to";
}

TEST_F(ClusterFull, ALineThatIsOpenGoesOn) {
    auto a = replica("a");
    begin_line(*a);
    backend_.hold("/slow");
    Client slow = a->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    ASSERT_TRUE(is_stored({"open"}));
    fill();
    backend_.release("/slow");
    EXPECT_EQ(slow.read().status, 200);
    ASSERT_TRUE(a->program().says("database space exceeded")) << "it could not write `idle`";
    EXPECT_EQ(a->get("/after").status, 200);
    EXPECT_EQ(a->metric(refused), 0);
    make_room();
    EXPECT_TRUE(is_stored({"idle"}));
}

TEST_F(ClusterFull, NewcomersOfAnIdleLineAreRefusedAtOnceUntilThereIsRoom) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    ASSERT_EQ(b->get("/before").status, 200);
    ASSERT_TRUE(is_stored({"idle"}));
    fill();
    Client waits = a->client();
    waits.get("/waits");
    ASSERT_TRUE(a->program().says("database space exceeded"));
    const Response here = a->get("/here"), there = b->get("/there");
    EXPECT_EQ(here.status, 503);
    EXPECT_EQ(here.header("Retry-After"), "5");
    EXPECT_EQ(there.status, 503) << "as its keeper answers";
    EXPECT_EQ(b->post("/there", "body").status, 503);
    EXPECT_TRUE(eventually([&] { return a->metric(refused) == 3; })) << a->metric(refused);
    EXPECT_EQ(backend_.count("/here") + backend_.count("/there") + backend_.count("/waits"), 0u);
    make_room();
    EXPECT_EQ(waits.read().status, 200) << "it has kept its place";
    EXPECT_TRUE(eventually([&] { return b->get("/after").status == 200; }));
}

// All that its clients get is 503 after wait_timeout, and all other views are those of a follower.
TEST_F(ClusterFaults, AReplicaThatTheKeeperRefusesSaysSo) {
    const auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b", "hold_timeout: never",
                           "routes: [{prefix: /, upstream: app, queue: app, "
                           "routes: [{prefix: /late, wait_timeout: 4s}]}]\n");
    EXPECT_EQ(b->get("/before").status, 200);
    const auto one = [&](const std::string& name, const std::string& labels) {
        return b->metric("ticketgate_queue_" + name + "{" + labels + "queue=\"app\"}");
    };
    EXPECT_EQ(one("keeper_refuses", ""), 0);
    b->crash();
    b->change("secret: 0123456789abcdef", "secret: ffff456789abcdef");
    b->start();
    ASSERT_TRUE(b->serves());
    const auto late = b->get("/late");
    EXPECT_EQ(late.status, 503);
    EXPECT_GE(boost::json::parse(late.body).at("waited_ms").to_number<double>(), 4000);
    EXPECT_EQ(one("keeper_refuses", ""), 1);
    EXPECT_TRUE(b->queue().at("keeper_refuses").as_bool());
    EXPECT_EQ(b->metric("ticketgate_queue_rejected_total{queue=\"app\",reason=\"timeout\"}"), 1);
    EXPECT_EQ(one("wait_seconds_count", "outcome=\"timeout\","), 1);
    EXPECT_TRUE(eventually([&] { return one("forwarded_total", "outcome=\"moved\",") > 0; }));
    EXPECT_EQ(one("forwarded_total", "outcome=\"moved\","), 1) << "one request, many tries";
    EXPECT_GT(one("forward_retries_total", ""), 1);
    EXPECT_LE(one("forward_retries_total", ""), 6) << "each of them is a line in the keeper's log";
    EXPECT_GE(b->log(1).back().at("queue_wait_ms").to_number<double>(), 4000);
}

// Its pause would hold nobody: the keeper grants.
TEST_F(ClusterFaults, APauseIsRefusedWhereTheLineIsNotKept) {
    const auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    EXPECT_EQ(b->get("/there").status, 200);
    const auto refused = b->act("/api/v1/queues/app/pause");
    EXPECT_EQ(refused.status, 409);
    EXPECT_NE(refused.body.find("queue app is kept by replica a (127.0.0.1:"), std::string::npos)
        << refused.body;
    EXPECT_FALSE(b->queue().at("paused").as_bool());
    EXPECT_EQ(a->act("/api/v1/queues/app/pause").status, 200);
    Client waits = b->client();
    waits.get("/waits");
    EXPECT_TRUE(a->wait_for_waiting(1));
    EXPECT_EQ(a->act("/api/v1/queues/app/resume").status, 200);
    EXPECT_EQ(waits.read().status, 200);
}

TEST_F(ClusterFaults, AnAnswerBeforeTheBodyWasAskedForLeavesTheConnectionUsable) {
    auto a = replica("a", "hold_timeout: never",
                     "routes: [{prefix: /, upstream: app, queue: app, max_waiting: 0}]\n");
    begin_line(*a);
    const auto b = replica("b", "hold_timeout: never",
                           "routes: [{prefix: /, upstream: app, queue: app, max_waiting: 0}]\n");
    backend_.hold("/slow");
    Client slow = a->client(), full = b->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    for (const std::string body : {"", "body"}) {
        full.request("POST", "/full", {}, body);
        EXPECT_EQ(full.read().status, 503);
        full = b->client();
    }
    backend_.release("/slow");
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(b->post("/after", "body").status, 200);
    EXPECT_EQ(backend_.count("/full"), 0u);
}

}  // namespace
}  // namespace ticketgate::test
