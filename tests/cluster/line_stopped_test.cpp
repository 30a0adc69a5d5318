// A line whose keeper stands still: its kernel goes on, so its connections stay (CLUSTER.md 5).
#include <fstream>
#include <sstream>

#include "faults.hpp"

namespace ticketgate::test {
namespace {

// How many connections of this port of loopback have bytes that its process has not read.
std::size_t unread_connections(std::uint16_t port) {
    std::ifstream table("/proc/net/tcp");
    std::string line, number, local, remote, state, queues;
    std::size_t found = 0;
    while (std::getline(table, line)) {
        std::istringstream(line) >> number >> local >> remote >> state >> queues;
        const bool at = local.size() == 13 && local[8] == ':' &&
                        std::stoul(local.substr(9), nullptr, 16) == port;
        if (at && state == "01" && !queues.ends_with(":00000000")) ++found;
    }
    return found;
}

TEST_F(ClusterFaults, AStoppedKeeperThatWakesUpGivesItsWord) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    backend_.hold("/slow");
    Client slow = a->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    a->program().stop();
    Client next = b->client();
    next.get("/next");
    ASSERT_TRUE(is_stored({"settling"}));
    backend_.release("/slow");
    EXPECT_EQ(backend_.count("/next"), 0u);
    a->program().signal(SIGCONT);
    EXPECT_EQ(next.read().status, 200);
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(backend_.most_in_flight(), 1);
}

// A body is asked for when its ticket is given; so is the end of a POST that has none.
TEST_F(ClusterFaults, WhatALostKeeperHasNotAskedForGoesAgain) {
    auto a = patient("a");
    begin_line(*a);
    const auto b = patient("b");
    ASSERT_EQ(b->get("/before").status, 200) << "b keeps this connection to a";
    ASSERT_TRUE(is_stored({"idle"}));
    a->program().stop();
    Client empty = b->client(), small = b->client();
    empty.request("POST", "/empty");
    ASSERT_TRUE(eventually([&] { return unread_connections(a->address(2).port()) == 1; }));
    small.request("POST", "/small", {}, "body");
    ASSERT_TRUE(eventually([&] { return unread_connections(a->address(2).port()) == 2; }));
    a->crash();
    EXPECT_EQ(empty.read().status, 200);
    EXPECT_EQ(small.read().status, 200);
    EXPECT_EQ(backend_.count("/empty"), 1u);
    EXPECT_EQ(backend_.of("/empty").at(0).header("Content-Length"), "0");
    EXPECT_EQ(backend_.of("/small").at(0).body, "body");
}

// Its connections stay, so nothing tells the others that the line has gone on.
class ClusterStopped : public ClusterFaults, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Watching, ClusterStopped,
                         testing::Values("", "clients: {inside: [10.9.9.9]}\n"));

TEST_P(ClusterStopped, WhatAKeeperHasNotStartedGoesOnWithTheLine) {
    const std::string more = GetParam() + std::string(all_queued);
    auto a = replica("a", "hold_timeout: never", more);
    begin_line(*a);
    const auto b = replica("b", "hold_timeout: never", more);
    ASSERT_EQ(b->get("/before").status, 200);
    ASSERT_TRUE(is_stored({"idle"}));
    a->program().stop();
    expect_three_answered(*b);
    a->program().signal(SIGCONT);
    expect_serves_again(*a, "/after");
    expect_each_ran_once();
}

TEST_F(ClusterFaults, AKeeperThatStandsStillHoldsNoClientForEver) {
    auto a = patient("a");
    begin_line(*a);
    const auto b = patient("b", 0,
                           "routes: [{prefix: /, upstream: app, queue: app, wait_timeout: 1s, "
                           "response_timeout: 1s}, {prefix: /before, wait_timeout: 1m, "
                           "response_timeout: 1m}]\n");
    ASSERT_EQ(b->get("/before").status, 200);
    Client runs = held_at(*a), post = b->client(), get = b->client();
    a->program().stop();
    post.request("POST", "/post", {}, "body");
    get.get("/get");
    EXPECT_EQ(get.read().status, 504);
    EXPECT_EQ(post.read().status, 503) << "it was not started";
    a->program().signal(SIGCONT);
    backend_.release("/lost");
    EXPECT_EQ(runs.read().status, 200);
    EXPECT_TRUE(eventually([&] { return b->get("/after").status == 200; }));
    EXPECT_EQ(backend_.count("/post"), 0u);
}

// It is no backend that is silent: one that may run it, and one that has it only in its line.
TEST_F(ClusterFaults, AKeeperThatStandsStillIsNamedAsTheOneThatIsSilent) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b", "hold_timeout: never",
                           "routes: [{prefix: /, upstream: app, queue: app, wait_timeout: 3s, "
                           "response_timeout: 1s}, {prefix: /before, wait_timeout: 1m, "
                           "response_timeout: 1m}]\n");
    ASSERT_EQ(b->get("/before").status, 200);
    Client runs = held_at(*b), waits = b->client();
    waits.get("/waits");
    ASSERT_TRUE(a->wait_for_waiting(1));
    a->program().stop();
    for (Client* one : {&runs, &waits}) {
        const Response silent = one->read();
        EXPECT_EQ(silent.status, 504);
        EXPECT_NE(silent.body.find("the replica that keeps the queue did not answer in time"),
                  std::string::npos)
            << silent.body;
    }
    // The log is written by a thread of its own.
    const std::string told = "the replica that keeps the queue is silent request_id=";
    std::string err;
    EXPECT_TRUE(eventually([&] {
        err = b->program().err();
        return err.find(told) != err.rfind(told);
    })) << err;
    EXPECT_NE(err.find(" queue=app replica=" + a->address(2).text() + " why="), err.npos) << err;
    EXPECT_EQ(err.find("backend failed"), err.npos) << err;
    a->program().signal(SIGCONT);
    backend_.release("/lost");
    EXPECT_TRUE(eventually([&] { return b->get("/after").status == 200; }));
    EXPECT_EQ(backend_.most_in_flight(), 1);
}

// Another replica that takes the line over knows nothing of a pause.
TEST_F(ClusterFaults, APauseEndsWhenTheLineIsLost) {
    auto a = replica("a");
    begin_line(*a);
    const auto b = replica("b");
    ASSERT_TRUE(is_stored({"idle"}));
    ASSERT_EQ(a->act("/api/v1/queues/app/pause").status, 200);
    a->program().stop();
    EXPECT_EQ(b->get("/meanwhile").status, 200);
    a->program().signal(SIGCONT);
    EXPECT_TRUE(a->program().says("the pause of a queue has ended")) << a->program().err();
    EXPECT_TRUE(eventually([&] { return !a->queue().at("paused").as_bool(); }));
    b->program().signal(SIGTERM);
    // A slow store refuses one request; a pause would refuse every one.
    EXPECT_TRUE(eventually([&] { return a->get("/after").status == 200; }));
    EXPECT_EQ(b->program().wait(), 0) << b->program().err();
}

}  // namespace
}  // namespace ticketgate::test
