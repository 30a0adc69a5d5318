// Gates across reloads (CONTRACT 2.8): one sequencer for each name; its tickets and slots stay.
#include "gate/gate_registry.hpp"

#include "world.hpp"

namespace ticketgate {
namespace {

struct RegistryTest : testing::Test {
    GateSettings slots(std::uint32_t count) const { return {.limits = {.max_in_flight = count}}; }
    int count() const {
        int gates = 0;
        registry.for_each([&](const Gate&) { ++gates; });
        return gates;
    }
    metrics::Registry metrics;
    net::Loop loop{0};
    int homes = 0;
    GateRegistry registry{metrics, [this]() -> net::Loop& {
                              ++homes;
                              return loop;
                          }};
};

TEST_F(RegistryTest, OneNameIsOneGate) {
    const auto a = registry.find_or_make("a", slots(1));
    EXPECT_EQ(registry.find_or_make("a", slots(5)), a);
    EXPECT_NE(registry.find_or_make("b", slots(1)), a);
    EXPECT_EQ(homes, 2);  // a gate stays on the loop that made it
    EXPECT_EQ(a->name(), "a");
    EXPECT_EQ(a->settings().limits.max_in_flight, 1u);  // changes in the second phase only
}

TEST_F(RegistryTest, ANewGateBeginsWithThePauseOfItsQueue) {
    const auto before = registry.find_or_make("before", slots(1));
    registry.pause_new(
        [](const std::string& queue) { return queue == "other" ? Time{} : until_resumed; });
    EXPECT_TRUE(registry.find_or_make("a", slots(1))->figures().paused());
    EXPECT_FALSE(registry.find_or_make("other", slots(1))->figures().paused());
    (void)registry.find_or_make("before", slots(1));
    EXPECT_FALSE(before->figures().paused());
}

TEST_F(RegistryTest, AReloadKeepsTicketsAndChangesLimits) {
    const auto gate = registry.find_or_make("a", slots(1));
    auto pass = std::make_shared<Pass>();
    gate->take(*pass, Entry(), loop);
    const Slot slot = Place(gate, pass, loop).begin();
    registry.configure_all({{"a", slots(3)}});
    EXPECT_EQ(registry.find_or_make("a", slots(3)), gate);
    EXPECT_EQ(gate->settings().limits.max_in_flight, 3u);
    EXPECT_EQ(gate->figures().in_flight, 1u);
}

TEST_F(RegistryTest, ARemovedGateGoesWhenItIsEmpty) {
    registry.find_or_make("a", slots(1));
    registry.find_or_make("b", slots(1));
    registry.configure_all({{"b", slots(1)}});
    EXPECT_EQ(count(), 1);
}

TEST_F(RegistryTest, ARemovedGateStaysWhileItIsInUse) {
    auto gate = registry.find_or_make("a", slots(1));
    auto pass = std::make_shared<Pass>();
    gate->take(*pass, Entry(), loop);
    {
        const Slot slot = Place(gate, pass, loop).begin();
        registry.configure_all({});
        // A queue that returns before its gate is empty gets the same gate, not a second sequencer.
        EXPECT_EQ(registry.find_or_make("a", slots(1)), gate);
        registry.configure_all({});
        EXPECT_EQ(count(), 1);
    }
    registry.configure_all({});
    EXPECT_EQ(count(), 1);  // a snapshot may still send requests to it
    gate.reset();
    registry.configure_all({});
    EXPECT_EQ(count(), 0);
}

// A scrape may come only after the reload that removes the queue.
TEST_F(RegistryTest, AViolationIsCountedAlsoAfterItsQueueHasGone) {
    auto gate = registry.find_or_make("a", slots(1));
    auto pass = std::make_shared<Pass>();
    gate->take(*pass, Entry(), loop);
    {
        Slot slot = Place(gate, pass, loop).begin();
        ASSERT_TRUE(slot.claims_backend());
        registry.configure_all({});
        ASSERT_EQ(gate->release({1}).how, Release::failed_open);
    }
    gate.reset();
    registry.configure_all({});
    ASSERT_EQ(count(), 0);
    EXPECT_NE(metrics.render().find("ticketgate_exclusion_violations_total{queue=\"a\"} 1"),
              std::string::npos);
}

}  // namespace
}  // namespace ticketgate
