// Places and slots on one loop: no way of ending leaves a ticket or a slot behind.
#include "gate/gate.hpp"

#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "task/task.hpp"
#include "world.hpp"

namespace ticketgate {
namespace {

struct GateTest : testing::Test, World {
    ~GateTest() override {
        EXPECT_TRUE(gate->figures().empty());
        EXPECT_EQ(gate->figures().waiting, 0u);
        EXPECT_EQ(gate->figures().in_flight, 0u);
    }
    void turn() { loop.run_once(Duration{0}); }
};

TEST_F(GateTest, AFreeSlotIsGrantedAtOnce) {
    Place first = place();
    EXPECT_EQ(first.settle(), State::granted);
    EXPECT_EQ(gate->figures().in_flight, 1u);
    const Slot slot = std::move(first).begin();
    EXPECT_EQ(slot.number(), 1u);
    EXPECT_EQ(slot.gate(), gate);
    EXPECT_EQ(gate->figures().in_flight, 1u);
}

// The token is the source of fencing numbers. A holder that failed open keeps its lower token.
TEST_F(GateTest, EachGrantHasAHigherTokenThanTheOneBefore) {
    std::optional<Slot> first(slot());
    Place second = place();
    EXPECT_EQ(first->token(), 1u);
    EXPECT_EQ(second.pass().token(), 0u) << "not granted yet";
    first->fail_open();
    const Slot slot = std::move(second).begin();
    EXPECT_EQ(slot.token(), 2u);
}

TEST_F(GateTest, AViewShowsTheFirstOfTheLineAndCountsTheRest) {
    auto pass = std::make_shared<Pass>(RequestLabel("id-1", "::1", "PUT", "/cart"));
    gate->take(*pass, Entry(), loop);
    const Place holder(gate, std::move(pass), loop);
    const Place a = place(), b = place(), c = place();
    const GateView view = gate->view(2);
    ASSERT_EQ(view.in_flight.size(), 1u);
    EXPECT_EQ(view.in_flight[0].label.target(), "/cart");
    EXPECT_EQ(view.in_flight[0].label.request_id(), "id-1");
    ASSERT_EQ(view.waiting.size(), 2u);
    EXPECT_EQ(view.waiting[0].number, 2u);
    EXPECT_EQ(view.waiting[1].blocked_by, 1u);
    EXPECT_EQ(view.figures.waiting, 3u);
    EXPECT_EQ(view.figures.in_flight, 1u);
}

TEST_F(GateTest, FindsTicketsByTheBeginningOfTheirRequestId) {
    const auto enter = [this](std::string_view id) {
        auto pass = std::make_shared<Pass>(RequestLabel(id, "::1", "GET", "/"));
        gate->take(*pass, Entry(), loop);
        return Place(gate, std::move(pass), loop);
    };
    const Place holder = enter("aaaa-1"), other = enter("bbbb-1"), waits = enter("aaaa-2");
    const auto found = gate->find("aaaa", 10);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_TRUE(found[0].ticket.holds);
    EXPECT_EQ(found[1].ticket.number, 3u);
    EXPECT_EQ(found[1].ahead, 1u);
    EXPECT_EQ(gate->find("aaaa", 1).size(), 1u);
    EXPECT_TRUE(gate->find("aaaa-3", 10).empty());
}

TEST_F(GateTest, AViewShowsWhatBecameOfTheClient) {
    Slot holder = slot();
    EXPECT_EQ(gate->view(1).in_flight.at(0).client, ClientIs::served);
    holder.client(ClientIs::gone);
    EXPECT_EQ(gate->view(1).in_flight.at(0).client, ClientIs::gone);
}

TEST_F(GateTest, CountsWhatTheMetricsCount) {
    { const Slot done = slot(); }
    const Slot holder = slot();
    { const Place full = place({.max_waiting = 0}); }
    const GateCounts counts = gate->counts();
    EXPECT_EQ(std::accumulate(counts.waits.begin(), counts.waits.end(), 0u), 2u);
    EXPECT_EQ(std::accumulate(counts.holds.begin(), counts.holds.end(), 0u), 1u);
    EXPECT_EQ(counts.refused, 1u);
}

TEST_F(GateTest, AViewCopiesNoMoreThanItsLimitAllows) {
    std::vector<Place> places;
    for (std::size_t i = 0; i < GateView::most + 10; ++i) places.push_back(place());
    const GateView view = gate->view(std::numeric_limits<std::size_t>::max());
    EXPECT_EQ(view.waiting.size(), GateView::most);
    EXPECT_EQ(view.figures.waiting, GateView::most + 9);
}

TEST_F(GateTest, ASlotGoesToTheNextWhenItsHolderEnds) {
    Place next = [&] {
        const Slot holder = slot();
        Place waits_behind = place();
        EXPECT_EQ(waits_behind.settle(), State::waiting);
        EXPECT_EQ(waits_behind.pass().blocked_by(), 1u);
        return waits_behind;
    }();
    EXPECT_EQ(next.settle(), State::granted);
}

TEST_F(GateTest, APlaceGivenUpWhileWaitingIsOutOfTheLine) {
    const Slot holder = slot();
    { const Place gone = place(); }
    { const Place gone_uploading = place({.ready = false}); }
    EXPECT_EQ(gate->figures().waiting, 0u);
}

TEST_F(GateTest, APlaceGivenUpWhenGrantedPassesTheSlotOn) {
    std::optional<Slot> holder(slot());
    std::optional<Place> granted(place());
    Place behind = place();
    holder.reset();
    EXPECT_EQ(granted->settle(), State::granted);
    granted.reset();  // its session ended before it took the slot
    EXPECT_EQ(behind.settle(), State::granted);
}

TEST_F(GateTest, AnExpiredOrCancelledPlaceLeavesTheQueueEmpty) {
    const Slot holder = slot();
    Place expired = place({.deadline = monotonic_now()});
    EXPECT_EQ(expired.settle(), State::expired);
    Place cancelled = place();
    EXPECT_EQ(cancelled.cancel(GivenUp::client_closed), State::cancelled);
    Place refused = place({.max_waiting = 0});
    EXPECT_EQ(refused.settle(), State::full);
    EXPECT_EQ(gate->figures().waiting, 0u);
}

TEST_F(GateTest, AMovedPlaceIsOnePlace) {
    const Slot holder = slot();
    Place first = place();
    {
        const Place second(std::move(first));
        EXPECT_EQ(gate->figures().waiting, 1u);
    }
    EXPECT_EQ(gate->figures().waiting, 0u);
}

TEST_F(GateTest, ASlotIsGivenBackOnce) {
    Slot holder = slot();
    const std::vector<Place> line = [&] {
        std::vector<Place> places;
        for (int i = 0; i < 3; ++i) places.push_back(place());
        return places;
    }();
    holder.give_back();
    EXPECT_FALSE(holder);
    EXPECT_EQ(holder.number(), 0u);
    holder.give_back();
    holder.fail_open();
    { const Slot moved(std::move(holder)); }
    EXPECT_EQ(gate->figures().in_flight, 1u);
    EXPECT_EQ(gate->figures().waiting, 2u);
    EXPECT_EQ(metric(registry, violations), 0);
}

TEST_F(GateTest, AMovedSlotIsOneSlot) {
    Slot holder = slot();
    {
        const Slot moved(std::move(holder));
        EXPECT_TRUE(moved);
        EXPECT_EQ(gate->figures().in_flight, 1u);
    }
    EXPECT_EQ(gate->figures().in_flight, 0u);
}

TEST_F(GateTest, AnEmptySlotHoldsNothing) {
    const Slot bypass;
    EXPECT_FALSE(bypass);
    EXPECT_EQ(bypass.number(), 0u);
}

TEST_F(GateTest, FailingOpenFreesTheSlotAndIsCounted) {
    Slot stuck = slot();
    Place next = place();
    stuck.fail_open();
    EXPECT_EQ(next.settle(), State::granted);
    EXPECT_FALSE(stuck);
    EXPECT_EQ(metric(registry, violations), 1);
    EXPECT_EQ(gate->figures().in_flight, 1u);
}

TEST_F(GateTest, NothingFailsOpenWhereNothingWasSent) {
    for (const bool by_operator : {true, false}) {
        Slot waits_for_worker = unsent();
        Place next = place();
        if (by_operator)
            EXPECT_EQ(gate->release({waits_for_worker.number()}).how, Release::not_sent);
        else
            EXPECT_FALSE(waits_for_worker.fail_open());
        EXPECT_EQ(next.settle(), State::granted);
        EXPECT_EQ(waits_for_worker.claims_backend(), !by_operator) << "that one is gone";
        EXPECT_EQ(metric(registry, violations), 0);
        EXPECT_EQ(metric(registry, rejected, "released"), by_operator ? 1 : 2);
    }
}

// A try that has sent nothing is none; one that may have is one for ever.
TEST_F(GateTest, AReleaseIsAViolationOnceARequestMayBeSent) {
    Slot tries = unsent();
    EXPECT_FALSE(gate->view(1).in_flight.at(0).sent);
    EXPECT_TRUE(tries.claims_backend());
    tries.not_sent();
    EXPECT_FALSE(gate->view(1).in_flight.at(0).sent);
    EXPECT_TRUE(tries.claims_backend());
    EXPECT_TRUE(gate->view(1).in_flight.at(0).sent);
    EXPECT_EQ(gate->release({tries.number()}).how, Release::failed_open);
    EXPECT_EQ(metric(registry, violations), 1);
    EXPECT_EQ(metric(registry, rejected, "released"), 0);
}

TEST_F(GateTest, AnOperatorTakesAWaitingTicketOutOfTheLine) {
    const Slot runs = slot();
    Place upload = place({.ready = false}), next = place();
    const auto number = upload.pass().number();
    EXPECT_EQ(gate->release({number, "another"}).how, Release::another);
    EXPECT_EQ(gate->release({number}).how, Release::not_sent);
    EXPECT_EQ(upload.settle(), State::revoked);
    EXPECT_FALSE(std::move(upload).begin());
    EXPECT_EQ(next.settle(), State::waiting) << "no slot came free";
    EXPECT_EQ(gate->figures().waiting, 1u);
    EXPECT_EQ(gate->release({number}).how, Release::no_such);
    EXPECT_EQ(metric(registry, violations), 0);
    EXPECT_EQ(observations(registry, waits, "released"), 1);
}

TEST_F(GateTest, ASlotNeedsAGrant) {
    const Slot holder = slot();
    Place waiting = place();
    EXPECT_DEATH(std::move(waiting).begin(), "State::misuse");
}

// ── waking ──

Detached count_wakes(Signal& signal, int& wakes) {
    for (;;) {
        co_await signal;
        if (wakes < 0) co_return;
        ++wakes;
    }
}

struct Waiter {
    explicit Waiter(net::Loop& l) : loop(l), signal(l.scheduler()) { count_wakes(signal, wakes); }
    ~Waiter() {
        wakes = -1;
        signal.notify();
        while (loop.scheduler().run_one()) {
        }
    }
    net::Loop& loop;
    Signal signal;
    int wakes = 0;
};

TEST_F(GateTest, AGrantWakesItsWaiterAndNobodyElse) {
    Waiter first(loop), second(loop);
    std::optional<Slot> holder(slot());
    Place a = place(), b = place();
    a.arrive(first.signal);
    b.arrive(second.signal);
    holder.reset();
    EXPECT_EQ(first.wakes, 0);  // never from inside the call
    turn();
    EXPECT_EQ(first.wakes, 1);
    EXPECT_EQ(second.wakes, 0);
}

TEST_F(GateTest, AGrantBeforeTheWaiterArrivesIsSeenBySettling) {
    std::optional<Slot> holder(slot());
    Place a = place();
    holder.reset();
    Waiter waiter(loop);
    a.arrive(waiter.signal);
    EXPECT_EQ(a.settle(), State::granted);
}

TEST_F(GateTest, AWaiterThatGaveUpIsNotWoken) {
    Waiter waiter(loop);
    Slot holder = slot();
    {
        Place gone = place();
        gone.arrive(waiter.signal);
    }
    holder.give_back();
    turn();
    EXPECT_EQ(waiter.wakes, 0);
}

TEST_F(GateTest, ARunIsNotWokenByItsPlace) {
    Waiter waiter(loop);
    Place granted = place();
    granted.arrive(waiter.signal);
    const Slot slot = std::move(granted).begin();
    gate->configure({.limits = {.max_in_flight = 5}});
    turn();
    EXPECT_EQ(waiter.wakes, 0);
}

TEST_F(GateTest, AGrantFromAnotherLoopWakesTheWaiterOnItsOwnLoop) {
    net::Loop other(1);
    Waiter waiter(loop);
    std::optional<Place> holder([&] {
        auto pass = std::make_shared<Pass>();
        gate->take(*pass, Entry(), other);
        return Place(gate, std::move(pass), other);
    }());
    Place next = place();
    next.arrive(waiter.signal);
    holder.reset();  // granted, then given up on the other loop
    EXPECT_TRUE(loop.scheduler().idle());
    loop.run_once(1s);
    EXPECT_EQ(waiter.wakes, 1);
    EXPECT_EQ(next.settle(), State::granted);
}

TEST_F(GateTest, AWakeOnItsWayToAWaiterThatGaveUpIsDropped) {
    Waiter waiter(loop);
    Slot holder = slot();
    std::optional<Place> next(place());
    next->arrive(waiter.signal);
    gate->configure({.limits = {.max_in_flight = 2}});  // posted, as from any thread
    next.reset();
    loop.run_once(1s);
    EXPECT_EQ(waiter.wakes, 0);
}

TEST_F(GateTest, ReadyWakesItsOwnSession) {
    Waiter waiter(loop);
    Place upload = place({.ready = false});
    upload.arrive(waiter.signal);
    upload.ready();
    turn();
    EXPECT_EQ(waiter.wakes, 1);
    EXPECT_EQ(upload.settle(), State::granted);
}

// ── configuring ──

TEST_F(GateTest, MoreSlotsWakeWaiters) {
    Waiter first(loop), second(loop), third(loop);
    const Slot holder = slot();
    Place a = place(), b = place(), c = place();
    a.arrive(first.signal);
    b.arrive(second.signal);
    c.arrive(third.signal);
    gate->configure({.limits = {.max_in_flight = 3}});
    loop.run_once(1s);
    EXPECT_EQ(a.settle(), State::granted);
    EXPECT_EQ(b.settle(), State::granted);
    EXPECT_EQ(c.settle(), State::waiting);
    EXPECT_EQ(first.wakes + second.wakes, 2);
    EXPECT_EQ(third.wakes, 0);
}

TEST_F(GateTest, FewerSlotsStopNoHolder) {
    gate->configure({.limits = {.max_in_flight = 2}});
    Slot a = slot();
    const Slot b = slot();
    Place c = place();
    gate->configure({.limits = {.max_in_flight = 1}});
    EXPECT_EQ(gate->figures().in_flight, 2u);
    a.give_back();
    EXPECT_EQ(c.settle(), State::waiting);
}

TEST_F(GateTest, SettingsAreTheLastOnes) {
    const GateSettings settings{.limits = {.max_in_flight = 4, .order = queue::Order::arrival},
                                .hold_timeout = 7s,
                                .on_hold_timeout = OnHoldTimeout::release};
    gate->configure(settings);
    EXPECT_EQ(gate->settings().limits.max_in_flight, 4u);
    EXPECT_EQ(gate->settings().limits.order, queue::Order::arrival);
    EXPECT_EQ(gate->settings().hold_timeout, 7s);
    EXPECT_EQ(gate->settings().on_hold_timeout, OnHoldTimeout::release);
}

}  // namespace
}  // namespace ticketgate
