// A barred gate: another process may grant from its queue, so this one grants nothing (an upgrade).
#include <optional>

#include "world.hpp"

namespace ticketgate {
namespace {

struct BarTest : testing::Test, World {
    ~BarTest() override { EXPECT_TRUE(gate->figures().empty()); }
    LocalGate& local() { return dynamic_cast<LocalGate&>(*gate); }
};

TEST_F(BarTest, GrantsNothingUntilItIsOpenAgain) {
    (void)local().bar(true);
    Place first = place(), second = place();
    EXPECT_EQ(first.settle(), State::waiting) << "a slot is free";
    (void)local().bar(false);
    EXPECT_EQ(first.settle(), State::granted);
    EXPECT_EQ(second.settle(), State::waiting);
}

TEST_F(BarTest, TellsWhatTheGateHoldsFromThenOn) {
    EXPECT_FALSE(local().bar(true).waits);
    (void)local().bar(false);
    std::optional<Slot> runs(slot());
    Place waits = place();
    const auto facts = local().bar(true);
    EXPECT_TRUE(facts.waits);
    EXPECT_EQ(facts.holds, 1u);
    runs.reset();
    EXPECT_EQ(local().bar(true).holds, 0u);
    EXPECT_EQ(waits.settle(), State::waiting);
    (void)local().bar(false);
}

TEST_F(BarTest, TheEndOfAPauseDoesNotOpenIt) {
    (void)local().bar(true);
    gate->pause(until_resumed);
    Place first = place();
    gate->resume();
    EXPECT_EQ(first.settle(), State::waiting);
    gate->pause(until_resumed);
    (void)local().bar(false);
    EXPECT_EQ(first.settle(), State::waiting) << "nor does opening it end a pause";
    gate->resume();
    EXPECT_EQ(first.settle(), State::granted);
}

TEST_F(BarTest, WhatWasGrantedBeforeGoesOn) {
    Place granted = place();
    EXPECT_EQ(local().bar(true).holds, 1u);
    { const Slot slot = std::move(granted).begin(); }
    EXPECT_EQ(local().bar(false).holds, 0u);
}

}  // namespace
}  // namespace ticketgate
