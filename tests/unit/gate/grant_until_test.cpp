// A gate of an upgrade: another process may grant from its queue, so this one grants nothing, or to
// older tickets only.
#include <optional>

#include "world.hpp"

namespace ticketgate {
namespace {

struct GrantUntilTest : testing::Test, World {
    ~GrantUntilTest() override { EXPECT_TRUE(gate->figures().empty()); }
    LocalGate& local() { return dynamic_cast<LocalGate&>(*gate); }
    void stop() { local().grant_until(queue::no_ticket); }
    void open() { local().grant_until(queue::all_tickets); }
};

TEST_F(GrantUntilTest, GrantsNothingUntilItIsOpenAgain) {
    stop();
    Place first = place(), second = place();
    EXPECT_EQ(first.settle(), State::waiting) << "a slot is free";
    open();
    EXPECT_EQ(first.settle(), State::granted);
    EXPECT_EQ(second.settle(), State::waiting);
}

TEST_F(GrantUntilTest, GrantsToOlderTicketsOnly) {
    stop();
    Place first = place();
    const Time between = local().look().next + Duration(1);
    while (monotonic_now() < between) continue;
    Place second = place();
    local().grant_until(between);
    EXPECT_EQ(first.settle(), State::granted);
    { const Slot slot = std::move(first).begin(); }
    EXPECT_EQ(second.settle(), State::waiting) << "the slot is free";
    open();
    EXPECT_EQ(second.settle(), State::granted);
}

TEST_F(GrantUntilTest, StopsOnlyWhenNoSlotIsHeldAndNobodyMayBeGrantedOne) {
    std::optional<Slot> runs(slot());
    std::optional<Place> waits(place());
    EXPECT_FALSE(local().stop_when_done().stopped);
    EXPECT_EQ(local().look().holds, 1u);
    local().grant_until(local().look().next);
    EXPECT_FALSE(local().stop_when_done().stopped) << "a request runs";
    runs.reset();
    const auto facts = local().stop_when_done();
    EXPECT_TRUE(facts.stopped) << "the one that waits may not be granted";
    EXPECT_EQ(facts.next, local().look().next);
    Place late = place();
    EXPECT_EQ(late.settle(), State::waiting) << "a slot is free";
    open();
    EXPECT_EQ(waits->settle(), State::granted);
    waits.reset();
    EXPECT_EQ(late.settle(), State::granted);
}

TEST_F(GrantUntilTest, AnEmptyGateStops) {
    const auto facts = local().stop_when_done();
    EXPECT_TRUE(facts.stopped);
    EXPECT_EQ(facts.next, Time::max());
}

TEST_F(GrantUntilTest, AnUploadThatIsNotWholeDoesNotKeepItFromStopping) {
    Place upload = place({.ready = false});
    const auto facts = local().stop_when_done();
    EXPECT_TRUE(facts.stopped);
    EXPECT_EQ(facts.next, Time::max());
    upload.ready();
    EXPECT_NE(local().look().next, Time::max());
    EXPECT_EQ(upload.settle(), State::waiting);
}

TEST_F(GrantUntilTest, APauseDoesNotLetItStopWhileATicketWaits) {
    gate->pause(until_resumed);
    Place first = place();
    EXPECT_FALSE(local().stop_when_done().stopped);
    gate->resume();
    EXPECT_EQ(first.settle(), State::granted);
}

TEST_F(GrantUntilTest, TheEndOfAPauseDoesNotOpenIt) {
    stop();
    gate->pause(until_resumed);
    Place first = place();
    gate->resume();
    EXPECT_EQ(first.settle(), State::waiting);
    gate->pause(until_resumed);
    open();
    EXPECT_EQ(first.settle(), State::waiting) << "nor does opening it end a pause";
    gate->resume();
    EXPECT_EQ(first.settle(), State::granted);
}

TEST_F(GrantUntilTest, WhatWasGrantedBeforeGoesOn) {
    Place granted = place();
    stop();
    EXPECT_EQ(local().look().holds, 1u);
    { const Slot slot = std::move(granted).begin(); }
    EXPECT_EQ(local().look().holds, 0u);
}

}  // namespace
}  // namespace ticketgate
