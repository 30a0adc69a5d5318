// The hold of a run: every way of ending frees the slot exactly once and leaves the queue's gauges
// correct (CONTRACT 2).
#include "proxy/slot_hold.hpp"

#include <optional>

#include "../gate/world.hpp"

namespace ticketgate {
namespace {

constexpr auto orphans = "ticketgate_queue_orphaned";
constexpr auto slow_ones = "ticketgate_queue_held_back";

// ── the table ──

constexpr bool is_left_once() {
    for (std::size_t state = 0; state < holdings; ++state) {
        for (std::size_t event = 0; event < hold_events; ++event) {
            const auto from = static_cast<Holding>(state);
            const auto to = next(from, static_cast<HoldEvent>(event));
            if (to == Holding::held) return false;
            if ((from == Holding::none) != (to == Holding::none)) return false;
            if (from == Holding::returned && to != Holding::returned) return false;
        }
    }
    return true;
}
static_assert(is_left_once(), "every event ends a held slot, and none brings it back");

static_assert(next(Holding::held, HoldEvent::give_back) == Holding::returned);
static_assert(next(Holding::held, HoldEvent::taken_away) == Holding::lost);
static_assert(next(Holding::held, HoldEvent::fail_open) == Holding::lost);
static_assert(next(Holding::held, HoldEvent::let_go) == Holding::let_go);
static_assert(next(Holding::lost, HoldEvent::let_go) == Holding::let_go,
              "a tunnel whose slot is gone is not watched to its end either");
static_assert(next(Holding::let_go, HoldEvent::taken_away) == Holding::let_go);

// ── the hold ──

struct SlotHoldTest : testing::Test, World {
    explicit SlotHoldTest(const GateSettings& settings = {}) : World(settings) {}
    SlotHold& begin() {
        hold.emplace(slot(), signal);
        hold->begin(loop);
        return *hold;
    }
    double gauge(std::string_view name) const { return metric(registry, name); }

    Signal signal{loop.scheduler()};
    std::optional<SlotHold> hold;
};

TEST_F(SlotHoldTest, WithoutASlotThereIsNothingToHold) {
    SlotHold free(Slot(), signal);
    free.begin(loop);
    free.client(SlotHold::Client::gone);
    free.let_go();
    free.give_back();
    free.not_told();
    EXPECT_EQ(free.look(), HoldNews::none);
    EXPECT_EQ(free.state(), Holding::none);
    EXPECT_FALSE(free.guards());
    EXPECT_FALSE(free.waits_for_workers());
    EXPECT_EQ(free.duration(), Duration{0});
    EXPECT_EQ(gauge(orphans), 0);
}

TEST_F(SlotHoldTest, AClientThatWasAnsweredHasNotLeft) {
    begin();
    hold->client(SlotHold::Client::timed_out);
    hold->client(SlotHold::Client::gone);
    EXPECT_EQ(gauge(orphans), 0);
    EXPECT_EQ(gauge("ticketgate_queue_timed_out"), 1);
    hold->give_back();
    EXPECT_EQ(gauge("ticketgate_queue_timed_out"), 0);
}

TEST_F(SlotHoldTest, GivesTheSlotToTheNextRequestOnce) {
    begin();
    Place next = place();
    const Place behind = place();
    EXPECT_TRUE(hold->held());
    EXPECT_TRUE(hold->guards());
    EXPECT_EQ(next.settle(), State::waiting);
    hold->give_back();
    EXPECT_EQ(next.settle(), State::granted);
    EXPECT_EQ(hold->state(), Holding::returned);
    EXPECT_GT(hold->duration(), Duration{0});
    hold->give_back();
    hold.reset();
    EXPECT_EQ(gate->figures().waiting, 1u);
}

TEST_F(SlotHoldTest, GivesTheSlotBackWithItsRun) {
    begin();
    Place next = place();
    hold.reset();
    EXPECT_EQ(next.settle(), State::granted);
}

TEST_F(SlotHoldTest, AnOperatorReleasesTheSlotAndTheBackendIsStillWatched) {
    begin();
    Place next = place();
    EXPECT_EQ(hold->look(), HoldNews::none);
    EXPECT_EQ(gate->release({1}).how, Release::failed_open);
    EXPECT_EQ(hold->look(), HoldNews::taken_away);
    EXPECT_EQ(hold->look(), HoldNews::none);
    EXPECT_EQ(hold->state(), Holding::lost);
    EXPECT_TRUE(hold->guards());
    const Slot other = std::move(next).begin();
    hold->give_back();
    EXPECT_EQ(gate->figures().in_flight, 1u) << "the slot is the other request's";
    EXPECT_EQ(hold->state(), Holding::lost);
}

TEST_F(SlotHoldTest, ATunnelReleasesTheSlotAndIsNotWatched) {
    begin();
    Place next = place();
    hold->let_go();
    EXPECT_EQ(next.settle(), State::granted);
    EXPECT_EQ(hold->state(), Holding::let_go);
    EXPECT_FALSE(hold->guards());
    EXPECT_EQ(metric(registry, violations), 0);
}

TEST_F(SlotHoldTest, GaugesCountOrphansAndSlowClients) {
    begin();
    hold->client(SlotHold::Client::slow);
    hold->client(SlotHold::Client::slow);
    EXPECT_EQ(gauge(slow_ones), 1);
    hold->client(SlotHold::Client::served);
    EXPECT_EQ(gauge(slow_ones), 0);
    hold->client(SlotHold::Client::slow);
    hold->client(SlotHold::Client::gone);
    EXPECT_EQ(gauge(slow_ones), 0);
    EXPECT_EQ(gauge(orphans), 1);
    hold->client(SlotHold::Client::served);
    EXPECT_EQ(gauge(orphans), 1) << "a client that left does not come back";
}

TEST_F(SlotHoldTest, GaugesDropRunsThatNoLongerHoldASlot) {
    begin().client(SlotHold::Client::gone);
    hold->give_back();
    hold->client(SlotHold::Client::slow);
    EXPECT_EQ(gauge(orphans), 0);
    EXPECT_EQ(gauge(slow_ones), 0);
    begin().client(SlotHold::Client::slow);
    (void)gate->release({2});
    EXPECT_EQ(hold->look(), HoldNews::taken_away);
    EXPECT_EQ(gauge(slow_ones), 0);
    begin().client(SlotHold::Client::gone);
    hold.reset();
    EXPECT_EQ(gauge(orphans), 0);
}

TEST_F(SlotHoldTest, AQueueOfWorkerIdleAsksUntilTheSlotIsGone) {
    EXPECT_FALSE(begin().waits_for_workers());
    hold.reset();
    gate->configure({.limits = {}, .worker_idle = true});
    EXPECT_TRUE(begin().waits_for_workers());
    hold->give_back();
    EXPECT_FALSE(hold->waits_for_workers());
}

struct Overdue : SlotHoldTest {
    Overdue() : SlotHoldTest({.limits = {}, .hold_timeout = 1ms}) {}
    HoldNews next_news() {
        for (;;) {
            loop.run_once(Duration{1s});
            if (const auto news = hold->look(); news != HoldNews::none) return news;
        }
    }
};

TEST_F(Overdue, ASlotStaysHeldAndIsReportedOnce) {
    begin();
    Place next = place();
    EXPECT_EQ(next_news(), HoldNews::overdue);
    EXPECT_EQ(hold->look(), HoldNews::none);
    EXPECT_TRUE(hold->held());
    EXPECT_EQ(next.settle(), State::waiting);
    EXPECT_EQ(metric(registry, violations), 0);
}

TEST_F(Overdue, ASlotIsReleasedIfTheQueueAllowsIt) {
    begin();
    Place next = place();
    gate->configure({.limits = {}, .on_hold_timeout = OnHoldTimeout::release});
    EXPECT_EQ(next_news(), HoldNews::failed_open);
    EXPECT_EQ(hold->state(), Holding::lost);
    EXPECT_TRUE(hold->guards());
    EXPECT_EQ(next.settle(), State::granted);
    EXPECT_EQ(metric(registry, violations), 1);
}

}  // namespace
}  // namespace ticketgate
