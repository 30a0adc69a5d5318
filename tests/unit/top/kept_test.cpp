// What `ticketgate top` says of a cluster, and of a queue that two processes serve.
#include "top/kept.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "answers.hpp"
#include "top/line_text.hpp"
#include "top/screen.hpp"

namespace ticketgate::top {
namespace {

constexpr Clock now{50'000, 3600};

std::string keeper(const std::string& id, bool listed) {
    return R"({"instance":")" + id + R"(","name":"web-)" + id + R"(","address":")" + id +
           R"(:9902","listed":)" + (listed ? "true" : "false") + "}";
}

std::string line(const std::string& state, const std::string& of, const std::string& more = {},
                 bool listed = true) {
    return R"({"name":"cart","state":")" + state +
           R"(","state_seconds":12.5,"epoch":20,"keeper":)" + keeper(of, listed) + more + "}";
}

std::string lost_line(const std::string& state, const std::string& more = {}) {
    return line(state, "b", more, false);
}

std::string lost(const std::string& word, const std::string& command = {}) {
    return R"(,"waits_for":{"instance":"b","name":"web-b","address":"b:9902","listed":false,)"
           R"("epoch":10,"word":)" +
           word + command + "}";
}

ClusterPicture cluster(const std::string& queue, const std::string& problem = {},
                       bool full = false) {
    const auto read = read_cluster(
        R"({"cluster":"shop","id":"c0ffee","revision":7,"replicas":[{},{}],"queues":[)" + queue +
        R"(],"this_instance":"a","this_name":"web-a","problem":")" + problem +
        R"(","store_full":)" + (full ? "true" : "false") + R"(,"sure_seconds":2.75})");
    EXPECT_TRUE(read);
    return read.value_or(ClusterPicture());
}

ClusterPicture full_cluster(const std::string& queue) {
    return cluster(queue, "it takes no writes", true);
}

using Texts = std::vector<std::string>;

QueueLine cart(const std::string& elsewhere, std::uint64_t waiting = 0) {
    QueueLine out;
    out.name = "cart";
    out.waiting = waiting;
    out.max_in_flight = 1;
    out.elsewhere = elsewhere;
    return out;
}

Texts told(const ClusterPicture& picture, const std::string& elsewhere = {}) {
    return kept_by(cart(elsewhere), &picture, now);
}

TEST(Kept, NamesTheKeeper) {
    const auto here = cluster(line("open", "a"));
    EXPECT_EQ(told(here), Texts{"cart is kept here, epoch 20, open"});
    EXPECT_EQ(keeper_text(here, "cart"), "this replica");
    const auto there = cluster(line("idle", "b"));
    EXPECT_EQ(told(there, "other_replica"),
              Texts{"cart is kept by web-b (b:9902), epoch 20, idle; its requests wait and run "
                    "there"});
    EXPECT_EQ(keeper_text(there, "cart"), "web-b");
    EXPECT_EQ(keeper_text(there, "mail"), "") << "not clustered";
    EXPECT_EQ(keeper_text(cluster(line("leaving", "b")), "cart"), "web-b, leaving");
    EXPECT_EQ(told(cluster(line("free", "b"))),
              Texts{"cart has no keeper; its next request gives it one"});
}

TEST(Kept, SaysThatTheKeeperIsLost) {
    const auto there = cluster(lost_line("idle"));
    EXPECT_EQ(told(there, "other_replica"),
              (Texts{"cart was kept by web-b (b:9902), epoch 20, idle: THAT REPLICA IS LOST",
                     "  nothing starts until another replica keeps the queue"}));
    EXPECT_EQ(keeper_text(there, "cart"), "web-b, lost");
    EXPECT_EQ(keeper_text(cluster(lost_line("free")), "cart"), "nobody");
    EXPECT_EQ(told(full_cluster(lost_line("open")), "other_replica").back(),
              "  nothing starts until the store takes writes again, and another replica keeps the "
              "queue");
}

TEST(Kept, SaysThatTheOneThatWaitsIsLostToo) {
    const std::string waits = R"(,"waits_for":{"instance":"c","name":"web-c","address":"c:9902",)"
                              R"("listed":false,"epoch":10,"word":true})";
    const auto lines = told(cluster(lost_line("settling", waits)), "other_replica");
    ASSERT_EQ(lines.size(), 3u);
    EXPECT_TRUE(lines[0].starts_with("cart stands at the lost replica web-b (b:9902) for "));
    EXPECT_EQ(lines[2], "  nothing starts until another replica keeps the queue");
}

TEST(Kept, SaysWhatWaitsForAStoreWithoutRoom) {
    EXPECT_EQ(told(full_cluster(line("open", "a"))), Texts{"cart is kept here, epoch 20, open"});
    EXPECT_EQ(told(full_cluster(line("idle", "a"))),
              Texts{"cart is kept here, epoch 20, idle; it opens only when the store takes writes "
                    "again"});
    EXPECT_EQ(told(full_cluster(line("free", "b"))),
              Texts{"cart has no keeper; its next request gives it one, when the store takes "
                    "writes again"});
    EXPECT_EQ(told(full_cluster(line("settling", "a", lost("true"))), "earlier_keeper").back(),
              "  it goes on only when the store takes writes again");
}

TEST(Kept, SaysThatTheKeeperRefusesThisReplica) {
    const auto there = cluster(line("open", "b"));
    QueueLine queue = cart("other_replica");
    EXPECT_FALSE(queue.stands());
    queue.keeper_refuses = true;
    EXPECT_TRUE(queue.stands()) << "nobody waits at this replica, and nobody gets through";
    EXPECT_EQ(
        kept_by(queue, &there, now),
        (Texts{"cart is kept by web-b (b:9902), epoch 20, open",
               "  THE KEEPER DOES NOT TAKE THE REQUESTS OF THIS REPLICA: its log has the reason"}));
}

TEST(Kept, SaysThatThisReplicaIsNotSure) {
    EXPECT_EQ(told(cluster(line("open", "a")), "other_replica"),
              Texts{"cart is kept here, epoch 20, open; this replica is not sure of it and starts "
                    "nothing"});
    EXPECT_EQ(told(cluster(""), "other_replica"),
              Texts{"cart is clustered, and this replica does not know who keeps it"});
}

TEST(Kept, NamesTheCommandThatEndsAWait) {
    const auto by_person = cluster(line(
        "settling", "a", lost("false", R"(,"command":"ticketgate settle cart 10 -c x.yaml")")));
    const std::string stands =
        "cart stands for 12.5s, since 14:53:07: requests of epoch 10, kept "
        "by web-b (b:9902), may still run";
    EXPECT_EQ(told(by_person, "earlier_keeper"),
              (Texts{stands,
                     "  that replica is lost; if you know that they have ended: ticketgate "
                     "settle cart 10 -c x.yaml"}));
    EXPECT_EQ(keeper_text(by_person, "cart"), "this replica, settling");
    EXPECT_EQ(told(cluster(line("settling", "a", lost("false"))), "earlier_keeper").back(),
              "  that replica lives, and says itself when they have ended");
    EXPECT_EQ(told(cluster(line("settling", "a", lost("true"))), "earlier_keeper").back(),
              "  the store has its word that they have ended");
}

TEST(Kept, NamesTheOtherProcessOfAnUpgrade) {
    const auto told = [](const std::string& where) { return kept_by(cart(where), nullptr, now); };
    EXPECT_EQ(told(""), Texts());
    EXPECT_EQ(told("old_process"),
              Texts{"cart: the old process of the upgrade still has requests of this queue; this "
                    "one does not count them"});
    QueueLine knows = cart("old_process");
    knows.old_request = "GET /stuck, request id r7";
    knows.old_seconds = 75;
    EXPECT_EQ(kept_by(knows, nullptr, now).back(), "  the oldest there, for 1m15s, since " +
                                                       clock_text(49'925, now.utc_offset) +
                                                       ": GET /stuck, request id r7");
    EXPECT_EQ(told("new_process"),
              Texts{"cart: new requests go to the new process, and are not shown here"});
}

TEST(Cluster, IsOneLine) {
    EXPECT_EQ(cluster_text(cluster("")),
              "cluster shop: this is web-a, 2 replicas listed; sure for 2.8s; the store answers");
    EXPECT_EQ(cluster_text(cluster("", "no answer")),
              "cluster shop: this is web-a, 2 replicas listed; sure for 2.8s; THE STORE CANNOT BE "
              "USED: no answer");
    EXPECT_EQ(cluster_text(full_cluster("")),
              "cluster shop: this is web-a, 2 replicas listed; sure for 2.8s; THE STORE IS FULL: "
              "it takes no writes");
    const auto first =
        read_cluster(R"({"cluster":"shop","this_instance":"a","this_name":"web-a","problem":"x",)"
                     R"("sure_seconds":0})");
    ASSERT_TRUE(first) << "before the first look at the store";
    EXPECT_EQ(first->replicas, 0u);
    for (const char* bad : {"", "[]", "{}", R"({"cluster":"shop"})", "no such page"})
        EXPECT_FALSE(read_cluster(bad)) << bad;
}

std::string text(const Browser& browser, const Surroundings& around, Size size) {
    std::string out;
    for (const auto& one : screen(browser, around, size)) out += one.text + "\n";
    return out;
}

TEST(Screen, ShowsTheClusterAboveTheQueuesAndTheKeeperBelow) {
    Browser browser("cart");
    browser.show(*read_queues(test::all()));
    browser.show(*read_tickets(test::cart()));
    Surroundings around{.address = "a", .whom = "", .every = "1s", .failure = "", .now = now};
    around.cluster = cluster(line("open", "a"));
    const std::string shown = text(browser, around, {100, 24});
    EXPECT_NE(shown.find("ready\ncluster shop: this is web-a"), shown.npos) << shown;
    EXPECT_NE(shown.find("ORDER  KEPT BY\n"), shown.npos) << shown;
    EXPECT_NE(shown.find("ready  this replica\n"), shown.npos) << shown;
    EXPECT_NE(shown.find("\ncart is kept here, epoch 20, open\ncart: number 7"), shown.npos)
        << shown;
    EXPECT_EQ(std::ranges::count(shown, '\n'), 24);
}

TEST(Screen, ShowsTheProcessThatHasAQueue) {
    const std::string old = R"(,"elsewhere":"old_process")";
    Browser browser("cart");
    browser.show(*read_queues(R"({"queues":[)" + test::queue("cart", 0, 0, 1, "0.0", "0.0", old) +
                              "," + test::queue("mail", 0, 0, 1, "0.0", "0.0") + "]}"));
    browser.show(
        *read_tickets(test::queue("cart", 0, 0, 1, "0.0", "0.0", old + test::tickets("", ""))));
    const std::string shown =
        text(browser, {.address = "a", .whom = "", .every = "", .failure = ""}, unlimited);
    EXPECT_NE(
        shown.find("ORDER  ALSO IN\n> cart   0 of 1   0        0.0s        0.0s         ready  "
                   "old process\n  mail "),
        shown.npos)
        << shown;
    EXPECT_NE(shown.find("cart: the old process of the upgrade"), shown.npos) << shown;
}

TEST(Browser, CountsAQueueThatWaitsForAnEarlierEpochAsOneThatStands) {
    EXPECT_TRUE(cart("earlier_keeper", 1).stands());
    EXPECT_FALSE(cart("earlier_keeper").stands());
    EXPECT_FALSE(cart("other_replica", 1).stands());
}

}  // namespace
}  // namespace ticketgate::top
