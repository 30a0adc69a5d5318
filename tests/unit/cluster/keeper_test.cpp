// What a keeper does in time. tests/cluster_model tries the orders of events.
#include "cluster/keeper.hpp"

#include <gtest/gtest.h>

namespace ticketgate::cluster {
namespace {

const Instance self{"me", "web-1", "10.0.0.1:9901"}, other{"it", "web-2", "10.0.0.2:9901"};
constexpr WallTime wall{1'795'000'000'000'000};
constexpr Epoch clock_epoch = 1'795'000'000;

struct Keep : testing::Test {
    Keeper keeper{self, {}};
    Time now{};
    std::uint64_t version = 0;

    void use(const Keeper::Settings& settings) { keeper.set(settings); }
    void facts(bool waits, std::uint32_t holds, std::uint64_t granted = 0) {
        keeper.set(Keeper::Facts{waits, holds, granted}, now);
    }
    void see(std::optional<Line> line, bool listed, std::uint32_t rank = 0) {
        if (line) ++version;
        Sight sight{version, std::move(line), listed, false, false, rank};
        (void)keeper.saw(sight, now);
    }
    // As the shell does it.
    Keeper::Next next(bool waits = false, std::uint32_t holds = 0, std::uint64_t granted = 0) {
        facts(waits, holds, granted);
        Keeper::Next out = keeper.next(now, wall, true);
        while (out.again) {
            facts(waits, holds, granted);
            out = keeper.next(now, wall, true);
        }
        return out;
    }
    void commit() { keeper.written(Written::done, ++version, now); }
    LineState wrote(const Keeper::Next& next) {
        EXPECT_TRUE(next.write && next.write->line);
        return next.write && next.write->line ? next.write->line->state : LineState::free;
    }
    void keep_open() {
        see({}, false);
        (void)next();
        commit();
        (void)next(true);
        commit();
        ASSERT_EQ(keeper.role(), Role::open);
    }
    // Takes over from `other`, whose request may run.
    void settle(LineState before = LineState::open, bool listed = false) {
        see(Line{clock_epoch, other, before, {}}, listed);
        ASSERT_EQ(wrote(next()), LineState::settling);
        commit();
    }
};

TEST_F(Keep, ReadsTheStoreBeforeAnythingElse) {
    EXPECT_TRUE(next().look);
    EXPECT_EQ(keeper.where(), Where::nowhere);
}

TEST_F(Keep, TakesALineThatNobodyEverKept) {
    see({}, false);
    const auto first = next();
    ASSERT_EQ(wrote(first), LineState::idle);
    EXPECT_EQ(first.write->version, 0U);
    EXPECT_EQ(first.write->line->epoch, clock_epoch);
    EXPECT_EQ(keeper.where(), Where::nowhere);
    commit();
    EXPECT_EQ(keeper.where(), Where::here);
    EXPECT_FALSE(keeper.may_grant());
}

TEST_F(Keep, WritesOpenBeforeTheFirstGrant) {
    see({}, false);
    (void)next();
    commit();
    EXPECT_EQ(wrote(next(true)), LineState::open);
    EXPECT_FALSE(keeper.may_grant());
    commit();
    EXPECT_TRUE(keeper.may_grant());
}

TEST_F(Keep, WritesNothingForABurst) {
    keep_open();
    for (int i = 0; i < 10; ++i) {
        now += 999ms;
        EXPECT_FALSE(next(false, 1).write);
        EXPECT_FALSE(next().write);
    }
    EXPECT_TRUE(keeper.may_grant());
}

TEST_F(Keep, WritesIdleAfterTheTimeForIt) {
    keep_open();
    (void)next();
    now += 999ms;
    EXPECT_FALSE(next().write);
    now += 1ms;
    EXPECT_EQ(wrote(next()), LineState::idle);
    EXPECT_FALSE(keeper.may_grant());
}

TEST_F(Keep, GrantsOnIfATicketCameBeforeIdleWasWritten) {
    keep_open();
    (void)next();
    now += 1s;
    facts(false, 0);
    ASSERT_TRUE(keeper.next(now, wall, true).again);
    EXPECT_FALSE(keeper.may_grant());
    EXPECT_FALSE(next(true).write);
    EXPECT_TRUE(keeper.may_grant());
}

TEST_F(Keep, DoesNotTrustALostWriteOfIdle) {
    keep_open();
    (void)next();
    now += 1s;
    ASSERT_EQ(wrote(next()), LineState::idle);
    keeper.written(Written::unknown, 0, now);
    ASSERT_TRUE(next(true).look);
    Line open = *keeper.line();
    (void)keeper.saw(Sight{version, open, true, false, false, 0}, now);
    EXPECT_FALSE(keeper.may_grant());  // it may happen yet
    EXPECT_EQ(wrote(next(true)), LineState::open);
    commit();
    EXPECT_TRUE(keeper.may_grant());
}

// A store without space takes no writes and answers reads.
TEST_F(Keep, KeepsALineOpenIfItsStoreHasNoSpaceForIdle) {
    keep_open();
    (void)next();
    now += 1s;
    ASSERT_EQ(wrote(next()), LineState::idle);
    keeper.written(Written::failed, 0, now);
    EXPECT_FALSE(keeper.may_grant()) << "it may be stored all the same";
    EXPECT_TRUE(next().look) << "without a pause";
    (void)keeper.saw(Sight{version, Line(*keeper.line()), true, false, false, 0}, now);
    EXPECT_TRUE(keeper.may_grant()) << "it is not";
    now += 200ms;
    EXPECT_FALSE(next().write) << "it is tried again when the line has been quiet for as long";
    now += 1s;
    EXPECT_EQ(wrote(next()), LineState::idle);
}

// etcd counts its space again as it applies a write, and stores what it answers with NOSPACE then.
TEST_F(Keep, IsIdleIfItsStoreHasStoredWhatItHadNoSpaceFor) {
    keep_open();
    (void)next();
    now += 1s;
    ASSERT_EQ(wrote(next()), LineState::idle);
    keeper.written(Written::failed, 0, now);
    Line idle(*keeper.line());
    idle.state = LineState::idle;
    (void)keeper.saw(Sight{++version, idle, true, false, false, 0}, now);
    EXPECT_EQ(keeper.role(), Role::idle);
    EXPECT_FALSE(keeper.may_grant());
}

TEST_F(Keep, DoesNotTrustALostWriteOfIdleBehindOneThatFailed) {
    keep_open();
    (void)next();
    now += 1s;
    ASSERT_EQ(wrote(next()), LineState::idle);
    keeper.written(Written::unknown, 0, now);
    (void)keeper.saw(Sight{version, Line(*keeper.line()), true, false, false, 0}, now);
    ASSERT_EQ(wrote(next(true)), LineState::open);
    keeper.written(Written::failed, 0, now);
    EXPECT_FALSE(keeper.may_grant()) << "the first may happen yet";
}

TEST_F(Keep, DoesNotAskAStoreWithoutSpaceWithoutAPause) {
    see({}, false);
    (void)next();
    keeper.written(Written::failed, 0, now);
    EXPECT_FALSE(next().look);
    now += 100ms;
    EXPECT_TRUE(next().look);
}

TEST_F(Keep, LeavesAListedKeeperAlone) {
    see(Line{clock_epoch, other, LineState::open, {}}, true);
    now += 1h;
    EXPECT_FALSE(next().write);
    EXPECT_EQ(keeper.where(), Where::peer);
}

TEST_F(Keep, WaitsForItsRank) {
    see(Line{clock_epoch, other, LineState::idle, {}}, false, 2);
    EXPECT_FALSE(next().write);
    now += 399ms;
    EXPECT_FALSE(next().write);
    now += 1ms;
    EXPECT_EQ(wrote(next()), LineState::idle);
}

TEST_F(Keep, TakesOverNothingWithoutBeingSure) {
    see(Line{clock_epoch, other, LineState::idle, {}}, false);
    facts(false, 0);
    EXPECT_FALSE(keeper.next(now, wall, false).write);
}

TEST_F(Keep, AsksForTheWordAgainAndAgain) {
    settle();
    EXPECT_EQ(next().ask->keeper, other);
    now += 99ms;
    EXPECT_FALSE(next().ask);
    now += 1ms;
    EXPECT_TRUE(next().ask);
    keeper.over(clock_epoch, Settled::word);
    EXPECT_EQ(wrote(next()), LineState::idle);
}

TEST_F(Keep, AsksOneThatHandsTheLineOverMoreOften) {
    settle(LineState::leaving, true);
    EXPECT_TRUE(keeper.is_handing_over());
    EXPECT_EQ(next().ask->keeper, other);
    now += 19ms;
    EXPECT_FALSE(next().ask);
    now += 1ms;
    EXPECT_TRUE(next().ask);
}

TEST_F(Keep, DoesNotCountOneAsLostThatWasListedWhenItTookOver) {
    Keeper::Settings settings;
    settings.release_after = 1s;
    use(settings);
    settle(LineState::leaving, true);
    EXPECT_FALSE(next().write);
}

TEST_F(Keep, TellsThatAnOperatorGaveTheWord) {
    settle();
    keeper.saw({version, keeper.line(), true, false, true, 0, true}, now);
    EXPECT_EQ(wrote(next()), LineState::idle);
    EXPECT_EQ(keeper.settled(), Settled::by_operator);
}

TEST_F(Keep, WaitsForEverIfNothingElseIsConfigured) {
    settle();
    now += 24h;
    EXPECT_FALSE(next().write);
    EXPECT_EQ(keeper.where(), Where::here);
}

TEST_F(Keep, EndsALostTermALeaseAndTheHoldTimeoutLater) {
    Keeper::Settings settings;
    settings.release_after = 30s;
    use(settings);
    settle();
    now += settings.lease + 30s - 1ms;
    EXPECT_FALSE(next().write);
    now += 1ms;
    EXPECT_EQ(wrote(next()), LineState::idle);
    EXPECT_EQ(keeper.settled(), Settled::hold_timeout);
}

TEST_F(Keep, CountsAKeeperThatLeavesAsLostOnlyWhenItIsGone) {
    Keeper::Settings settings;
    settings.release_after = 30s;
    use(settings);
    settle(LineState::leaving, true);
    const Line settling = *keeper.line();
    EXPECT_FALSE(settling.prior->lost);
    (void)keeper.saw(Sight{version, settling, true, true, false, 0}, now);
    now += 1h;
    EXPECT_FALSE(next().write);
    (void)keeper.saw(Sight{version, settling, true, false, false, 0}, now);
    const auto lost = next();
    ASSERT_EQ(wrote(lost), LineState::settling);
    EXPECT_TRUE(lost.write->line->prior->lost);
    commit();
    EXPECT_EQ(keeper.prior_stopped(), now + settings.lease);
}

TEST_F(Keep, AnswersTheSecondQuestionForItsWord) {
    keep_open();
    const Epoch mine = keeper.epoch();
    EXPECT_FALSE(keeper.asked(mine, mine + 1));  // the gate was not told yet
    EXPECT_FALSE(keeper.may_grant());
    facts(false, 1);
    EXPECT_FALSE(keeper.asked(mine, mine + 1));
    facts(false, 0);
    EXPECT_TRUE(keeper.asked(mine, mine + 1));
}

TEST_F(Keep, IsNotDeposedByAnEarlierTerm) {
    keep_open();
    EXPECT_FALSE(keeper.asked(keeper.epoch(), keeper.epoch()));
    EXPECT_TRUE(keeper.may_grant());
}

TEST_F(Keep, FinishesItsLineWhenItDrains) {
    keep_open();
    const Epoch mine = keeper.epoch();
    keeper.drain();
    ASSERT_EQ(wrote(next(true, 1)), LineState::leaving);
    commit();
    EXPECT_EQ(keeper.where(), Where::nowhere);
    see(Line{mine + 1, other, LineState::settling, Prior{mine, self, false}}, true);
    EXPECT_TRUE(keeper.may_grant());
    EXPECT_EQ(keeper.where(), Where::peer);
    (void)next();  // the line is empty
    EXPECT_FALSE(keeper.may_grant());
    const auto word = next();
    ASSERT_TRUE(word.write);
    EXPECT_EQ(word.write->put_word, mine);
}

TEST_F(Keep, LeavesAFreeLineBehindWhenNothingRuns) {
    keep_open();
    keeper.drain();
    EXPECT_EQ(wrote(next()), LineState::free);
}

TEST_F(Keep, TakesTheNextEpochWhenItsNumbersEnd) {
    keep_open();
    EXPECT_FALSE(next(true, 1, grants_an_epoch - 1).write);
    const auto renewed = next(true, 1, grants_an_epoch);
    ASSERT_EQ(wrote(renewed), LineState::open);
    EXPECT_GT(renewed.write->line->epoch, clock_epoch);
    EXPECT_TRUE(keeper.may_grant());
    commit();
    EXPECT_EQ(keeper.epoch(), renewed.write->line->epoch);
}

}  // namespace
}  // namespace ticketgate::cluster
