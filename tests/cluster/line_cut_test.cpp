// A line whose keeper is cut from the store, while the other replicas reach it (CLUSTER.md 5).
#include "faults.hpp"

namespace ticketgate::test {
namespace {

// Each replica has a node of its own, so one of them can be cut from the store.
class ClusterCut : public ClusterFaults {
 protected:
    ClusterCut() : ClusterFaults(Etcd::Options{.nodes = 3, .more = {}}) {}
};

TEST_F(ClusterCut, WhoWaitsAtAKeeperWithoutTheStoreGoesToTheNextKeeper) {
    auto a = replica_at(store_.url(0), "a");
    begin_line(*a);
    const auto b = replica_at(store_.url(1), "b");
    backend_.hold("/slow");
    Client slow = a->client(), there = b->client(), body = b->client(), here = a->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    there.get("/there");
    ASSERT_TRUE(a->wait_for_waiting(1));
    body.request("POST", "/body", {}, "body");
    ASSERT_TRUE(a->wait_for_waiting(2));
    here.get("/here");
    ASSERT_TRUE(a->wait_for_waiting(3));
    store_.stop(0);
    EXPECT_EQ(here.read().status, 503) << "it sees nobody who may grant";
    EXPECT_EQ(body.read().status, 503) << "its keeper had the body";
    backend_.release("/slow");
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(there.read().status, 200);
    EXPECT_EQ(backend_.most_in_flight(), 1);
    EXPECT_EQ(backend_.count("/there"), 1u);
    EXPECT_EQ(backend_.count("/here") + backend_.count("/body"), 0u);
    store_.go_on(0);
}

TEST_F(ClusterCut, AKeeperThatDrainsWithoutTheStoreGivesItsWordToTheNext) {
    auto a = replica_at(store_.url(0), "a");
    begin_line(*a);
    const auto b = replica_at(store_.url(1), "b");
    backend_.hold("/slow");
    Client slow = a->client(), there = b->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    store_.stop(0);
    a->program().signal(SIGTERM);
    there.get("/there");
    backend_.release("/slow");
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(there.read().status, 200);
    EXPECT_EQ(backend_.most_in_flight(), 1);
    store_.go_on(0);
}

// It asks for a body with the ticket, and cannot write that it runs anything: so nothing has run
// when another replica replaces the very record by which the line was idle.
TEST_F(ClusterCut, WhatAKeeperCouldNotStartIsAnsweredWhileItStandsStill) {
    const auto a = patient("a", 0);
    begin_line(*a);
    ASSERT_TRUE(is_stored({"idle"}));
    const auto b = patient("b", 1);
    backend_.hold("/before");
    Client before = b->client();
    before.get("/before");
    // It has seen the only `open` of its time, so the `idle` that it sees next is the last one.
    ASSERT_TRUE(eventually([&] { return b->sees_line("open"); }));
    backend_.release("/before");
    ASSERT_EQ(before.read().status, 200);
    ASSERT_TRUE(eventually([&] { return b->sees_line("idle"); }));
    store_.stop(0);
    Client empty = b->client(), small = b->client();
    empty.request("POST", "/empty");
    small.request("POST", "/small", {}, "body");
    ASSERT_TRUE(a->wait_for_ready(2));
    a->program().stop();
    EXPECT_EQ(empty.read().status, 200);
    const Response refused = small.read();
    EXPECT_EQ(refused.status, 503) << "its keeper had the body";
    EXPECT_NE(refused.body.find("was not started"), std::string::npos) << refused.body;
    EXPECT_EQ(b->get("/after").status, 200);
    store_.go_on(0);
    a->program().signal(SIGCONT);
    expect_serves_again(*a, "/again");
    EXPECT_EQ(backend_.count("/empty"), 1u);
    EXPECT_EQ(backend_.count("/small"), 0u);
    EXPECT_EQ(backend_.most_in_flight(), 1);
}

// Nobody needs the word for a line that runs nothing, but its keeper must learn that it is deposed:
// what the others have forwarded to it waits there.
TEST_F(ClusterCut, AnIdleKeeperHandsBackWhatItCannotGrant) {
    const auto a = patient("a", 0);
    begin_line(*a);
    const auto b = patient("b", 1), c = patient("c", 2);
    ASSERT_EQ(b->get("/b").status, 200);
    ASSERT_EQ(c->get("/c").status, 200);
    ASSERT_TRUE(is_stored({"idle"}));
    store_.stop(0);
    Client there = b->client(), far = c->client(), body = b->client();
    there.get("/there");
    far.get("/far");
    ASSERT_TRUE(a->wait_for_waiting(2)) << "its lease is not over";
    body.request("POST", "/body", {}, "body");
    ASSERT_TRUE(a->wait_for_waiting(3));
    EXPECT_EQ(there.read().status, 200);
    EXPECT_EQ(far.read().status, 200);
    EXPECT_EQ(body.read().status, 503) << "its keeper had the body";
    EXPECT_EQ(backend_.most_in_flight(), 1);
    EXPECT_EQ(backend_.count("/there"), 1u);
    EXPECT_EQ(backend_.count("/far"), 1u);
    EXPECT_EQ(backend_.count("/body"), 0u);
    store_.go_on(0);
}

TEST_F(ClusterCut, AKeeperThatSettlesHandsBackWhatItCannotGrant) {
    auto lost = replica_at(store_.url(1), "lost");
    begin_line(*lost);
    Client held = held_at(*lost);
    const auto a = replica_at(store_.url(0), "a");
    lost->crash();
    ASSERT_TRUE(is_stored({"settling"}));
    const auto b = replica_at(store_.url(1), "b");
    Client there = b->client();
    there.get("/there");
    ASSERT_TRUE(a->wait_for_waiting(1));
    store_.stop(0);
    EXPECT_TRUE(a->wait_for_waiting(0));
    EXPECT_TRUE(b->wait_for_waiting(1)) << "it has taken over, and waits for the same end";
    EXPECT_EQ(backend_.count("/there"), 0u);
    settle(lost_term());
    EXPECT_EQ(there.read().status, 200);
    EXPECT_EQ(backend_.count("/there"), 1u);
    backend_.release("/lost");
    store_.go_on(0);
}

}  // namespace
}  // namespace ticketgate::test
