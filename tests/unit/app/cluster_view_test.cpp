// What `cluster status` prints, and what `settle` refuses.
#include "app/cluster_view.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

using cluster::Contents;
using cluster::LineState;

constexpr WallTime looked_at{1'795'000'100'000'000};
const std::string file = "/etc/shop.yaml";
const cluster::Instance a{"aaaa", "web-a", "a:9902"}, b{"bbbb", "web-b", "b:9902"};

// Replica b keeps the queue and waits for replica a, which is lost.
Contents settling() {
    Contents out;
    out.id = "c0ffee";
    out.revision = 7;
    out.replicas.push_back({b, "1.0", {{"app", ""}}, {looked_at.unix_us - 90'000'000}});
    cluster::StoredLine& stored = out.lines["app"];
    stored.version = 5;
    stored.since = {looked_at.unix_us - 2'500'000};
    stored.line = cluster::Line{20, b, LineState::settling, cluster::Prior{10, a, true}};
    return out;
}

TEST(ClusterView, ShowsReplicasAndKeepers) {
    Contents contents = settling();
    contents.lines["app"].line = cluster::Line{20, b, LineState::open, std::nullopt};
    EXPECT_EQ(cluster_table("shop", contents, file, looked_at),
              "cluster shop, id c0ffee\n\n"
              "REPLICA  ADDRESS  VERSION  AGE    INSTANCE\n"
              "web-b    b:9902   1.0      1m30s  bbbb\n\n"
              "QUEUE  STATE  FOR   EPOCH  KEEPER          LISTED\n"
              "app    open   2.5s  20     web-b (b:9902)  yes\n");
    EXPECT_EQ(cluster_json("shop", contents, file, looked_at),
              R"({"cluster":"shop","id":"c0ffee","revision":7,"replicas":[{"instance":"bbbb",)"
              R"("name":"web-b","address":"b:9902","version":"1.0","age_seconds":90.0,)"
              R"("queues":["app"]}],"queues":[{"name":"app","state":"open","state_seconds":2.5,)"
              R"("epoch":20,"keeper":{"instance":"bbbb",)"
              R"("name":"web-b","address":"b:9902","listed":true}}]})"
              "\n");
}

TEST(ClusterView, ShowsAnEmptyStore) {
    Contents contents;
    contents.id = "c0ffee";
    EXPECT_EQ(cluster_table("shop", contents, file, looked_at),
              "cluster shop, id c0ffee\n\nno replica is listed\n\nno queue has had a keeper\n");
}

TEST(ClusterView, NamesTheCommandThatEndsTheWaitForALostReplica) {
    const auto text = cluster_table("shop", settling(), file, looked_at);
    EXPECT_NE(text.find("waits until nothing of epoch 10 runs, kept by web-a (a:9902)"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\n  ticketgate settle app 10 -c /etc/shop.yaml\n"), std::string::npos)
        << text;
    EXPECT_NE(cluster_json("shop", settling(), file, looked_at)
                  .find(R"("waits_for":{"instance":"aaaa","name":"web-a","address":"a:9902",)"
                        R"("listed":false,"epoch":10,"word":false,)"
                        R"("command":"ticketgate settle app 10 -c /etc/shop.yaml"})"),
              std::string::npos);
}

TEST(ClusterView, NamesNoCommandWhileTheReplicaLivesOrHasSaidIt) {
    Contents alive = settling();
    alive.replicas.push_back({a, "1.0", {}});
    EXPECT_EQ(cluster_table("shop", alive, file, looked_at).find("ticketgate settle"),
              std::string::npos);
    Contents said = settling();
    said.lines["app"].words.push_back({10});
    EXPECT_EQ(cluster_table("shop", said, file, looked_at).find("ticketgate settle"),
              std::string::npos);
    for (const Contents& each : {alive, said})
        EXPECT_EQ(cluster_json("shop", each, file, looked_at).find("\"command\""),
                  std::string::npos);
}

// An earlier version does not say when it started, and clocks of two machines differ.
TEST(ClusterView, KnowsNoAgeOrOneOfZero) {
    Contents contents = settling();
    contents.replicas[0].started = {};
    contents.lines["app"].since = {looked_at.unix_us + 5'000'000};
    const auto text = cluster_json("shop", contents, file, looked_at);
    EXPECT_NE(text.find(R"("age_seconds":null)"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("state_seconds":0.0)"), std::string::npos) << text;
}

TEST(ClusterView, ShowsNoControlCharacters) {
    Contents contents = settling();
    contents.lines["app"].line->keeper.name = "\x1b[2J";
    EXPECT_EQ(cluster_table("shop", contents, file, looked_at).find('\x1b'), std::string::npos);
}

TEST(ClusterView, NamesReplicasThatShareAnAddress) {
    Contents contents = settling();
    contents.replicas.push_back({a, "1.0", {}, {}});
    EXPECT_TRUE(shared_addresses(contents).empty());
    contents.replicas.push_back({{"cccc", "web-c", b.address}, "1.0", {}, {}});
    const auto told = shared_addresses(contents);
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(told[0].starts_with("replicas web-b and web-c are both listed at b:9902: "))
        << told[0];
}

TEST(Settle, IsPossibleForALostReplicaAlone) {
    EXPECT_EQ(why_not_settled(settling(), "app", 10), "");
    Contents alive = settling();
    alive.replicas.push_back({a, "1.0", {}});
    EXPECT_NE(why_not_settled(alive, "app", 10).find("is listed"), std::string::npos);
}

TEST(Settle, NeedsTheEpochThatTheQueueWaitsFor) {
    EXPECT_NE(why_not_settled(settling(), "other", 10), "");
    EXPECT_EQ(why_not_settled(settling(), "app", 20), "queue app waits for epoch 10, not 20");
    Contents said = settling();
    said.lines["app"].words.push_back({10});
    EXPECT_NE(why_not_settled(said, "app", 10), "");
    Contents open = settling();
    open.lines["app"].line = cluster::Line{20, b, LineState::open, std::nullopt};
    EXPECT_NE(why_not_settled(open, "app", 10), "");
}

}  // namespace
}  // namespace ticketgate
