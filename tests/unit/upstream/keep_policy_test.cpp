// Proof that a backend must give before an unrepeatable request goes over a kept connection.
#include "upstream/keep_policy.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

struct Keeping : testing::Test {
    void prove(Duration age = 1s) {
        for (std::uint32_t i = 0; i < KeepPolicy::Limits().proven_by; ++i) policy.answered(age);
    }
    bool trusts(Duration age) const { return policy.trusts(age, now); }

    KeepPolicy policy{KeepPolicy::Limits()};
    Time now{10h};
};

TEST_F(Keeping, NoBackendIsTrustedAtFirst) {
    EXPECT_FALSE(trusts(0s));
}

TEST_F(Keeping, ManyAnswersOnReusedConnectionsProveABackend) {
    for (std::uint32_t i = 1; i < KeepPolicy::Limits().proven_by; ++i) policy.answered(0s);
    EXPECT_FALSE(trusts(0s));
    policy.answered(0s);
    EXPECT_TRUE(trusts(0s));
}

TEST_F(Keeping, AfterALostRequestOthersTakeYoungerConnectionsForMinutes) {
    EXPECT_TRUE(policy.allows(1h, now)) << "no request was lost yet";
    policy.closed(0s, now);
    EXPECT_TRUE(policy.allows(1h, now)) << "the close was seen in time";
    policy.crossed(5s, now);
    EXPECT_TRUE(policy.allows(2s, now));
    EXPECT_FALSE(policy.allows(2500ms, now));
    policy.crossed(0s, now + 1min);
    EXPECT_FALSE(policy.allows(0s, now + 1min)) << "it closes behind its answers";
    policy.crossed(4s, now + 2min);
    EXPECT_FALSE(policy.allows(0s, now + 2min)) << "the shortest age counts";
    EXPECT_TRUE(policy.allows(1h, now + 2min + KeepPolicy::Limits().memory));
}

TEST_F(Keeping, StandingIdleProvesNothing) {
    for (int i = 0; i < 10'000; ++i) policy.outlived(4s);
    EXPECT_FALSE(trusts(0s)) << "it may close when it is asked again";
}

TEST_F(Keeping, AgesBelowHalfTheOutlivedOneAreSafe) {
    prove(1s);
    EXPECT_TRUE(trusts(500ms));
    EXPECT_FALSE(trusts(501ms));
    policy.outlived(4s);
    EXPECT_TRUE(trusts(2s));
    EXPECT_FALSE(trusts(2001ms));
}

TEST_F(Keeping, AnEarlyCloseRevokesForMinutes) {
    prove();
    policy.closed(1ms, now);
    EXPECT_FALSE(trusts(0s));
    prove();
    now += 299s;
    EXPECT_FALSE(trusts(0s)) << "whatever it showed since";
    now += 1s;
    EXPECT_TRUE(trusts(0s));
}

TEST_F(Keeping, AfterARevocationTheBackendMustBeProvenAnew) {
    prove();
    policy.closed(1ms, now);
    now += 1h;
    EXPECT_FALSE(trusts(0s));
    prove();
    EXPECT_TRUE(trusts(0s));
}

TEST_F(Keeping, ALaterEarlyCloseProlongsTheRevocation) {
    policy.closed(1ms, now);
    now += 200s;
    policy.closed(900ms, now);
    prove();
    now += 200s;
    EXPECT_FALSE(trusts(0s));
}

TEST_F(Keeping, AnIdleTimeoutOfTheBackendsBoundsTheAge) {
    prove(8s);
    policy.closed(5s, now);
    prove(4s);
    EXPECT_TRUE(trusts(2s));
    EXPECT_FALSE(trusts(2600ms));
    prove(60s);
    EXPECT_TRUE(trusts(2500ms));
    EXPECT_FALSE(trusts(2501ms)) << "others that stood longer change nothing";
}

TEST_F(Keeping, AnIdleTimeoutThatStrikesAgainIsNotForgotten) {
    prove();
    for (int i = 0; i < 10; ++i) {
        policy.closed(5s, now);
        now += 200s;
        policy.answered(60s);
    }
    EXPECT_FALSE(trusts(3s));
    now += 100s;
    EXPECT_TRUE(trusts(3s)) << "and forgotten when it strikes no more";
}

TEST_F(Keeping, ALateCloseDoesNotRenewTheMemoryOfAnEarlierOne) {
    prove();
    policy.closed(2s, now);
    now += 200s;
    policy.closed(60s, now);
    now += 100s;
    policy.answered(60s);
    EXPECT_TRUE(trusts(20s));
}

TEST(Resting, LastsLongerEachTimeThatTheBackendOverruns) {
    KeepPolicy policy({.memory = 300s});
    const Time now{1000s};
    EXPECT_EQ(policy.rest(now), 0s);
    for (const Duration rest : {Duration(250ms), Duration(1s), Duration(2s), Duration(2s)}) {
        policy.overran(now);
        EXPECT_EQ(policy.rest(now), rest);
    }
    EXPECT_EQ(policy.rest(now + 299s), 2s);
    EXPECT_EQ(policy.rest(now + 300s), 0s);
    policy.overran(now + 400s);
    EXPECT_EQ(policy.rest(now + 400s), 250ms);
}

}  // namespace
}  // namespace ticketgate
