#include "upgrade/turns.hpp"

#include <gtest/gtest.h>

namespace ticketgate::upgrade {
namespace {

constexpr Line empty{}, waiting{.waits = true}, running{.runs = true};

TEST(Turns, TheOldProcessGivesAQueueWhenItsLineHasEnded) {
    Turns old(Side::old_process);
    old.add("app");
    EXPECT_EQ(old.look("app", running), Say::nothing);
    EXPECT_EQ(old.look("app", waiting), Say::nothing);
    EXPECT_TRUE(old.ours("app"));
    EXPECT_EQ(old.look("app", empty), Say::give);
    EXPECT_FALSE(old.ours("app"));
    EXPECT_TRUE(old.all_theirs());
}

TEST(Turns, TheOldProcessAsksOnceForALateRequest) {
    Turns old(Side::old_process);
    old.add("app");
    (void)old.look("app", empty);
    EXPECT_EQ(old.look("app", waiting), Say::ask);
    EXPECT_EQ(old.look("app", waiting), Say::nothing);
    EXPECT_TRUE(old.heard("app", Event::given));
    EXPECT_TRUE(old.ours("app"));
    EXPECT_EQ(old.look("app", running), Say::nothing);
    EXPECT_EQ(old.look("app", empty), Say::give);
}

TEST(Turns, TheNewProcessGivesBackOnlyWhatItIsAskedFor) {
    Turns fresh(Side::new_process);
    fresh.add("app");
    EXPECT_FALSE(fresh.ours("app"));
    EXPECT_EQ(fresh.look("app", waiting), Say::nothing);
    EXPECT_TRUE(fresh.heard("app", Event::given));
    EXPECT_EQ(fresh.look("app", empty), Say::nothing);
    EXPECT_TRUE(fresh.heard("app", Event::asked));
    EXPECT_FALSE(fresh.ours("app")) << "it grants nothing more";
    EXPECT_EQ(fresh.look("app", {.waits = true, .runs = true}), Say::nothing);
    EXPECT_EQ(fresh.look("app", waiting), Say::give) << "what waits here waits on";
}

TEST(Turns, AQueueThatOnlyOneProcessHasIsItsOwn) {
    Turns fresh(Side::new_process);
    EXPECT_TRUE(fresh.ours("new"));
    EXPECT_EQ(fresh.look("new", empty), Say::nothing);
    EXPECT_FALSE(fresh.heard("new", Event::asked));
}

TEST(Turns, AfterTheEndOfTheOtherProcessAllAreOurs) {
    Turns fresh(Side::new_process);
    for (const char* queue : {"kept", "given", "returning"}) fresh.add(queue);
    (void)fresh.heard("given", Event::given);
    (void)fresh.heard("returning", Event::given);
    (void)fresh.heard("returning", Event::asked);
    EXPECT_EQ(fresh.alone(), std::vector<std::string>{"kept"});
    for (const char* queue : {"kept", "given", "returning"}) EXPECT_TRUE(fresh.ours(queue));
}

TEST(Turns, AnEventThatMeansNothingChangesNothing) {
    for (const Turn turn : {Turn::ours, Turn::theirs, Turn::asked, Turn::returning})
        EXPECT_EQ(step(turn, Event::alone).next, Turn::ours);
    EXPECT_EQ(step(Turn::ours, Event::given).next, Turn::ours);
    EXPECT_EQ(step(Turn::theirs, Event::asked).next, Turn::theirs);
    EXPECT_EQ(step(Turn::asked, Event::wanted).say, Say::nothing);
    EXPECT_EQ(step(Turn::returning, Event::asked).next, Turn::returning);
}

}  // namespace
}  // namespace ticketgate::upgrade
