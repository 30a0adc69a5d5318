#include "upgrade/turns.hpp"

#include <gtest/gtest.h>

namespace ticketgate::upgrade {
namespace {

constexpr Time begin{100s};
constexpr Line empty{}, running{.runs = true};

constexpr Line waits_since(Time time) {
    return {.next = time};
}

struct OldTurns : testing::Test {
    OldTurns() { old.add("app", begin); }
    Turns old{Side::old_process};
};

struct NewTurns : testing::Test {
    NewTurns() { fresh.add("app", begin); }
    Turns fresh{Side::new_process};
};

TEST_F(OldTurns, AQueueIsGivenWhenItsLineHasEnded) {
    EXPECT_EQ(old.grants_until("app"), begin);
    EXPECT_EQ(old.look("app", running).say, Say::nothing);
    EXPECT_EQ(old.look("app", waits_since(begin - 1s)).say, Say::nothing);
    const Step step = old.look("app", empty);
    EXPECT_EQ(step.say, Say::give);
    EXPECT_EQ(step.after.until, Time::max()) << "the other may grant to all its tickets";
    EXPECT_EQ(old.grants_until("app"), Time::min());
    EXPECT_TRUE(old.all_theirs());
}

TEST_F(OldTurns, ATicketThatIsTakenLaterDoesNotKeepTheQueue) {
    EXPECT_EQ(old.look("app", {begin + 1s, true}).say, Say::nothing) << "a request runs";
    const Step step = old.look("app", waits_since(begin + 1s));
    EXPECT_EQ(step.say, Say::give);
    EXPECT_EQ(step.after.until, begin + 1s) << "the other grants to the tickets before it";
}

TEST_F(OldTurns, ALateRequestIsToldOnce) {
    (void)old.look("app", empty);
    const Step step = old.look("app", waits_since(begin + 2s));
    EXPECT_EQ(step.say, Say::ask);
    EXPECT_EQ(step.after.until, begin + 2s);
    EXPECT_EQ(old.look("app", waits_since(begin + 2s)).say, Say::nothing);
    EXPECT_EQ(old.look("app", waits_since(begin + 3s)).say, Say::nothing) << "the first one left";
    EXPECT_EQ(old.look("app", waits_since(begin - 1s)).say, Say::ask) << "an upload is whole";
}

TEST_F(OldTurns, WhatComesBackIsGrantedUpToTheNextTicketOfTheOther) {
    (void)old.look("app", waits_since(begin + 2s));
    EXPECT_TRUE(old.hear("app", Say::give, begin + 3s));
    EXPECT_EQ(old.grants_until("app"), begin + 3s);
    EXPECT_EQ(old.look("app", waits_since(begin + 2s)).say, Say::nothing);
    EXPECT_EQ(old.look("app", {begin + 4s, true}).say, Say::nothing);
    const Step step = old.look("app", waits_since(begin + 4s));
    EXPECT_EQ(step.say, Say::give);
    EXPECT_EQ(step.after.until, begin + 4s);
}

TEST_F(NewTurns, AQueueOfTheOldProcessIsNotGrantedFrom) {
    EXPECT_EQ(fresh.grants_until("app"), Time::min());
    EXPECT_EQ(fresh.look("app", waits_since(begin + 1s)).say, Say::nothing)
        << "it is not asked for";
    EXPECT_TRUE(fresh.hear("app", Say::give, Time::max()));
    EXPECT_EQ(fresh.grants_until("app"), Time::max());
}

TEST_F(NewTurns, AQueueStaysUntilItIsAskedFor) {
    (void)fresh.hear("app", Say::give, Time::max());
    EXPECT_EQ(fresh.look("app", empty).say, Say::nothing);
    EXPECT_TRUE(fresh.stays("app"));
    EXPECT_TRUE(fresh.hear("app", Say::ask, begin + 2s));
    EXPECT_EQ(fresh.grants_until("app"), begin + 2s);
    EXPECT_EQ(fresh.look("app", waits_since(begin + 1s)).say, Say::nothing) << "it came before";
    EXPECT_EQ(fresh.look("app", {begin + 3s, true}).say, Say::nothing);
    EXPECT_EQ(fresh.look("app", waits_since(begin + 3s)).say, Say::give);
    EXPECT_EQ(fresh.grants_until("app"), Time::min());
}

TEST_F(NewTurns, OfTwoTicketsOfOneTimeThatOfTheOldProcessGoesFirst) {
    (void)fresh.hear("app", Say::give, begin + 2s);
    const Step step = fresh.look("app", waits_since(begin + 2s));
    EXPECT_EQ(step.say, Say::give);
    EXPECT_GT(step.after.until, begin + 2s) << "the old one may grant to its ticket of that time";
}

TEST_F(NewTurns, AQueueThatTheOldProcessDoesNotHaveIsItsOwn) {
    EXPECT_EQ(fresh.grants_until("new"), Time::max());
    EXPECT_EQ(fresh.look("new", empty).say, Say::nothing);
    EXPECT_FALSE(fresh.hear("new", Say::ask, begin));
}

TEST_F(NewTurns, AfterTheEndOfTheOtherProcessAllAreOurs) {
    for (const char* queue : {"given", "asked"}) {
        fresh.add(queue, begin);
        (void)fresh.hear(queue, Say::give, Time::max());
    }
    (void)fresh.hear("asked", Say::ask, begin);
    EXPECT_EQ(fresh.alone(), std::vector<std::string>{"app"});
    for (const char* queue : {"app", "given", "asked"})
        EXPECT_EQ(fresh.grants_until(queue), Time::max());
}

TEST_F(NewTurns, AQueueIsOursOnlyWhileTheOldProcessRunsNothingOfIt) {
    EXPECT_FALSE(fresh.ours("app")) << "the old process may still run requests of it";
    EXPECT_TRUE(fresh.ours("new")) << "the old process does not have it";
    (void)fresh.hear("app", Say::give, Time::max());
    EXPECT_TRUE(fresh.ours("app"));
    (void)fresh.hear("app", Say::ask, begin + 1s);
    EXPECT_TRUE(fresh.ours("app")) << "not given back yet";
    EXPECT_EQ(fresh.look("app", empty).say, Say::give);
    EXPECT_FALSE(fresh.ours("app"));
}

TEST(Turn, DoesNotChangeByWhatMeansNothing) {
    const Turn ours{true, begin}, theirs{false, begin};
    EXPECT_EQ(hear(ours, Say::give, begin + 1s), ours);
    EXPECT_EQ(hear(theirs, Say::ask, begin - 1s), theirs);
    EXPECT_EQ(hear(ours, Say::nothing, begin + 1s), ours);
}

}  // namespace
}  // namespace ticketgate::upgrade
