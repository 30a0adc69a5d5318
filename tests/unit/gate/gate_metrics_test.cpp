// The metrics of a queue (CONTRACT section 7).
#include "gate/gate_metrics.hpp"

#include "world.hpp"

namespace ticketgate {
namespace {

TEST(GateMetrics, StartAtZero) {
    const World world;
    for (const char* outcome : {"admitted", "timeout", "full", "client_closed", "draining"})
        EXPECT_EQ(observations(world.registry, waits, outcome), 0) << outcome;
    for (const char* reason : {"full", "timeout", "draining"})
        EXPECT_EQ(metric(world.registry, rejected, reason), 0) << reason;
    EXPECT_EQ(metric(world.registry, violations), 0);
    EXPECT_EQ(observations(world.registry, holds), 0);
}

TEST(GateMetrics, GaugesShowTheCurrentState) {
    World world({.limits = {.max_in_flight = 2}});
    const Slot a = world.slot(), b = world.slot();
    const Place c = world.place();
    world.gate->notes.orphaned += 1;
    EXPECT_EQ(metric(world.registry, "ticketgate_queue_waiting"), 1);
    EXPECT_EQ(metric(world.registry, "ticketgate_queue_in_flight"), 2);
    EXPECT_EQ(metric(world.registry, "ticketgate_queue_max_in_flight"), 2);
    EXPECT_EQ(metric(world.registry, "ticketgate_queue_orphaned"), 1);
    EXPECT_GT(metric(world.registry, "ticketgate_queue_oldest_wait_seconds"), 0);
    EXPECT_GT(metric(world.registry, "ticketgate_queue_oldest_hold_seconds"), 0);
    world.gate->notes.orphaned += -1;
    EXPECT_EQ(metric(world.registry, "ticketgate_queue_orphaned"), 0);
}

TEST(GateMetrics, EveryTicketHasOneOutcome) {
    World world;
    {
        const Slot holder = world.slot();
        Place expired = world.place({.deadline = monotonic_now()});
        (void)expired.settle();
        (void)expired.settle();
        Place cancelled = world.place();
        (void)cancelled.cancel(GivenUp::client_closed);
        (void)cancelled.cancel(GivenUp::client_closed);
        Place drained = world.place();
        (void)drained.cancel(GivenUp::draining);
        (void)drained.cancel(GivenUp::draining);
        const Place full = world.place({.max_waiting = 0});
        { const Place dropped = world.place(); }
    }
    EXPECT_EQ(observations(world.registry, waits, "admitted"), 1);
    EXPECT_EQ(observations(world.registry, waits, "timeout"), 1);
    EXPECT_EQ(observations(world.registry, waits, "client_closed"), 2);
    EXPECT_EQ(observations(world.registry, waits, "draining"), 1);
    EXPECT_EQ(observations(world.registry, waits, "full"), 1);
    EXPECT_EQ(metric(world.registry, rejected, "timeout"), 1);
    EXPECT_EQ(metric(world.registry, rejected, "draining"), 1);
    EXPECT_EQ(metric(world.registry, rejected, "full"), 1);
    EXPECT_EQ(observations(world.registry, holds), 1);
    EXPECT_EQ(metric(world.registry, violations), 0);
}

TEST(GateMetrics, EveryGrantCountsAsAdmitted) {
    World world;
    Slot a = world.slot();
    Place b = world.place(), c = world.place({.ready = false});
    a.give_back();
    world.gate->configure({.limits = {.max_in_flight = 2}});
    c.ready();
    EXPECT_EQ(observations(world.registry, waits, "admitted"), 3);
}

TEST(GateMetrics, EndWithTheirGate) {
    metrics::Registry registry;
    net::Loop loop(0);
    { const auto gate = std::make_shared<LocalGate>("q", GateSettings(), loop, registry); }
    EXPECT_EQ(registry.render().find("queue=\"q\""), std::string::npos);
}

}  // namespace
}  // namespace ticketgate
