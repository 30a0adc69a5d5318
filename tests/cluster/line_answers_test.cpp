// A line whose replicas never hear what became of their writes to the store (CLUSTER.md 5).
#include "faults.hpp"
#include "support/lossy_relay.hpp"

namespace ticketgate::test {
namespace {

class ClusterAnswers : public ClusterFaults {
 protected:
    net::Endpoint node() const { return *net::Endpoint::from_ip("127.0.0.1", store_.port(0)); }
    std::vector<std::string> tokens() const {
        std::vector<std::string> out;
        for (const Seen& one : backend_.all()) out.push_back(one.header("Fencing-Token"));
        return out;
    }
};

TEST_F(ClusterAnswers, ThatAreLostStopNoLineAndRunNothingTwice) {
    const LossyRelay to_a(node(), 2), to_b(node(), 2);
    const auto a = replica_at(to_a.url(), "a");
    begin_line(*a);
    const auto b = replica_at(to_b.url(), "b");
    constexpr int requests = 10;
    for (int i = 0; i < requests; ++i) {
        ASSERT_TRUE(is_stored({"idle"})) << i;  // so that the next one needs a write
        EXPECT_EQ((i % 2 == 0 ? *a : *b).post("/one", "x").status, 200) << i;
    }
    EXPECT_GE(to_a.lost(), 5u);
    a->program().signal(SIGTERM);
    EXPECT_EQ(a->program().wait(), 0) << a->program().err();
    for (int i = 0; i < requests; ++i) {
        EXPECT_EQ(b->post("/one", "x").status, 200) << i;
        ASSERT_TRUE(is_stored({"idle"})) << i;
    }
    EXPECT_GE(to_b.lost(), 5u);
    EXPECT_EQ(backend_.count("/one"), 2u * requests);
    EXPECT_EQ(backend_.most_in_flight(), 1);
    const auto given = tokens();
    EXPECT_EQ(std::ranges::adjacent_find(given, std::greater_equal<>()), given.end());
    EXPECT_EQ(b->metric("ticketgate_exclusion_violations_total{queue=\"app\"}"), 0);
}

}  // namespace
}  // namespace ticketgate::test
