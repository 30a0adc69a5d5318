// The metrics of a queue (CONTRACT section 7).
#include "gate/gate_metrics.hpp"

#include "world.hpp"

namespace ticketgate {
namespace {

TEST(GateMetrics, StartAtZero) {
    const World world;
    for (const char* outcome :
         {"admitted", "timeout", "full", "client_closed", "draining", "refused", "released"})
        EXPECT_EQ(observations(world.registry, waits, outcome), 0) << outcome;
    for (const char* reason : {"full", "timeout", "draining"})
        EXPECT_EQ(metric(world.registry, rejected, reason), 0) << reason;
    EXPECT_EQ(metric(world.registry, violations), 0);
    EXPECT_EQ(observations(world.registry, holds), 0);
}

TEST(GateMetrics, AddWhatAnotherProcessCountedOfTheSameName) {
    World world;
    auto& gate = dynamic_cast<LocalGate&>(*world.gate);
    for (std::size_t i = 0; i < GateLosses::names.size(); ++i) gate.add_loss(i, i + 1);
    EXPECT_EQ(metric(world.registry, violations), 1);
    for (std::size_t i = 1; i < GateLosses::names.size(); ++i) {
        const std::string reason(GateLosses::names[i]);
        EXPECT_EQ(metric(world.registry, rejected, reason.c_str()), i + 1) << reason;
        loss_counter(world.registry, gate.name(), i).add(10);
        EXPECT_EQ(metric(world.registry, rejected, reason.c_str()), i + 11) << reason;
    }
    EXPECT_EQ(gate.losses().counts, (std::array<std::uint64_t, 7>{1, 2, 3, 4, 5, 6, 7}));
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
    EXPECT_GT(metric(world.registry, "ticketgate_queue_slot_seconds_total"), 0);
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

TEST(GateMetrics, ARequestIsAdmittedWhenItBegins) {
    World world;
    Slot a = world.slot();
    Place b = world.place(), c = world.place({.ready = false});
    a.give_back();
    world.gate->configure({.limits = {.max_in_flight = 2}});
    c.ready();
    EXPECT_EQ(observations(world.registry, waits, "admitted"), 1);
    Slot second = std::move(b).begin(), third = std::move(c).begin();
    EXPECT_EQ(observations(world.registry, waits, "admitted"), 3);
}

TEST(GateMetrics, ATicketThatIsGivenUpAfterItsGrantIsNotAdmitted) {
    World world;
    {
        Slot first = world.slot();
        Place drained = world.place(), left = world.place();
        first.give_back();
        EXPECT_EQ(drained.cancel(GivenUp::draining), State::granted);
        { const Place gone = std::move(drained); }
        EXPECT_EQ(left.settle(), State::granted);
    }
    EXPECT_EQ(observations(world.registry, waits, "admitted"), 1);
    EXPECT_EQ(observations(world.registry, waits, "draining"), 1);
    EXPECT_EQ(observations(world.registry, waits, "client_closed"), 1);
    EXPECT_EQ(metric(world.registry, rejected, "draining"), 1);
    EXPECT_EQ(observations(world.registry, holds), 1);
    EXPECT_TRUE(world.gate->figures().empty());
}

TEST(GateMetrics, ATicketThatAnOperatorReleasesBeforeItBeginsIsNotAdmitted) {
    World world;
    {
        Place first = world.place();
        EXPECT_EQ(world.gate->release({1}).how, Release::not_sent);
        EXPECT_FALSE(std::move(first).begin());
    }
    EXPECT_EQ(observations(world.registry, waits, "admitted"), 0);
    EXPECT_EQ(observations(world.registry, waits, "released"), 1);
    EXPECT_EQ(observations(world.registry, holds), 0);
}

TEST(GateMetrics, EndWithTheirGate) {
    metrics::Registry registry;
    net::Loop loop(0);
    { const auto gate = std::make_shared<LocalGate>("q", GateSettings(), loop, registry); }
    EXPECT_EQ(registry.render().find("queue=\"q\""), std::string::npos);
}

}  // namespace
}  // namespace ticketgate
