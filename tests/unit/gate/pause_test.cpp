// Pauses (CONTRACT 11): nobody is admitted, who runs goes on, places and clocks stay.
#include <optional>
#include <thread>

#include "world.hpp"

namespace ticketgate {
namespace {

struct PauseTest : testing::Test, World {
    ~PauseTest() override { EXPECT_TRUE(gate->figures().empty()); }
};

TEST_F(PauseTest, AdmitsNobodyWhileWhoRunsGoesOn) {
    std::optional<Slot> runs(slot());
    Place first = place();
    gate->pause(until_resumed);
    EXPECT_TRUE(gate->figures().paused());
    EXPECT_EQ(gate->figures().in_flight, 1u);
    runs.reset();
    EXPECT_EQ(first.settle(), State::waiting) << "a slot is free";
    Place newcomer = place();
    EXPECT_EQ(newcomer.settle(), State::waiting);
    EXPECT_EQ(gate->figures().in_flight, 0u);
}

TEST_F(PauseTest, ThenTheLineGoesOnOneByOneInItsOrder) {
    gate->pause(until_resumed);
    Place first = place(), second = place(), third = place();
    gate->resume();
    EXPECT_FALSE(gate->figures().paused());
    EXPECT_EQ(first.settle(), State::granted);
    EXPECT_EQ(second.settle(), State::waiting);
    { const Slot slot = std::move(first).begin(); }
    EXPECT_EQ(second.settle(), State::granted);
    EXPECT_EQ(third.settle(), State::waiting);
}

TEST_F(PauseTest, KeepsNobodyFromItsGrant) {
    Place granted = place();
    gate->pause(until_resumed);
    const Slot slot = std::move(granted).begin();
    EXPECT_TRUE(slot) << "it was granted before the pause";
}

TEST_F(PauseTest, StopsNoClock) {
    gate->pause(until_resumed);
    Place late = place({.deadline = monotonic_now()});
    EXPECT_EQ(late.settle(), State::expired);
    EXPECT_EQ(observations(registry, waits, "timeout"), 1);
}

TEST_F(PauseTest, EndsByItselfWithTheNextCall) {
    Time until{};
    do {  // again where this thread stands still until the end: then it is no pause
        until = monotonic_now() + 1s;
        gate->pause(until);
    } while (gate->paused_until() != until);
    Place first = place(), second = place();
    while (monotonic_now() < until) std::this_thread::yield();
    EXPECT_FALSE(gate->figures().paused());
    EXPECT_EQ(first.settle(), State::granted);
    EXPECT_EQ(second.settle(), State::waiting);
}

TEST_F(PauseTest, WithAnEndIsPartOfTheWaitThatIsTold) {
    EXPECT_EQ(gate->figures().retry_after, 1u);
    gate->pause(monotonic_now() + 100s);
    const auto told = gate->figures();
    EXPECT_GE(told.retry_after, 90u);
    EXPECT_LE(told.retry_after, 101u);
    EXPECT_GT(told.pause_left, 90s);
    gate->pause(until_resumed);
    EXPECT_EQ(gate->figures().retry_after, 1u) << "nobody knows its end";
    EXPECT_EQ(gate->figures().newcomer_wait, Duration::max());
    gate->pause(monotonic_now() + 100s);
    EXPECT_GT(gate->figures().newcomer_wait, 90s);
    gate->resume();
    EXPECT_EQ(gate->figures().newcomer_wait, 0s) << "a slot is free";
}

TEST_F(PauseTest, OutlastsNewSettings) {
    gate->pause(until_resumed);
    Place first = place();
    gate->configure({.limits = {.max_in_flight = 3}});
    EXPECT_TRUE(gate->figures().paused());
    EXPECT_EQ(first.settle(), State::waiting);
}

TEST_F(PauseTest, GathersNoMoreThanMaxWaitingAndTheFreeSlots) {
    gate->pause(until_resumed);
    Place first = place({.max_waiting = 1}), second = place({.max_waiting = 1}),
          third = place({.max_waiting = 1});
    EXPECT_EQ(second.settle(), State::waiting);
    EXPECT_EQ(third.settle(), State::full);
}

TEST_F(PauseTest, HasAGauge) {
    EXPECT_EQ(metric(registry, "ticketgate_queue_paused"), 0);
    gate->pause(until_resumed);
    EXPECT_EQ(metric(registry, "ticketgate_queue_paused"), 1);
    gate->resume();
    EXPECT_EQ(metric(registry, "ticketgate_queue_paused"), 0);
}

// A call within a hold belongs to a request that runs: that could not end without it.
TEST_F(PauseTest, LetsCallsFromInsideRun) {
    struct Elsewhere final : Exchanges {
        std::uint32_t under_way() const override { return 1; }
        Time ended_elsewhere(const Gate&) const override { return {}; }
    } exchanges;
    auto its = std::make_shared<Pass>(RequestLabel("caller", "::1", "GET", "/"));
    gate->take(*its, Entry(), loop);
    const Slot caller = Place(gate, std::move(its), loop).begin();
    gate->pause(until_resumed);
    auto call = std::make_shared<Pass>();
    EXPECT_EQ(gate->take_within(*call, {"caller", Time{}, exchanges}, Entry(), loop),
              State::granted);
    const Slot runs = Place(gate, std::move(call), loop).begin();
}

// Of a clustered queue: each of the two reasons is enough, and a pause asks no store for a term.
struct Term final : Permit {
    bool holds() const override { return held; }
    void missed() override { ++misses; }
    Whereabouts where() const override { return {}; }
    void doubted() override {}
    bool give_word(std::string_view, std::uint64_t, std::uint64_t) override { return false; }
    bool held = true;
    int misses = 0;
};

TEST(PauseAndPermit, AreTwoReasonsNotToGrant) {
    metrics::Registry registry;
    net::Loop loop{0};
    Term term;
    const auto gate = std::make_shared<LocalGate>("q", GateSettings{}, loop, registry, &term);
    auto pass = std::make_shared<Pass>();
    gate->pause(until_resumed);
    gate->take(*pass, Entry(), loop);
    Place place(gate, std::move(pass), loop);
    EXPECT_EQ(place.settle(), State::waiting);
    EXPECT_EQ(term.misses, 0);
    term.held = false;
    gate->resume();
    EXPECT_EQ(place.settle(), State::waiting);
    EXPECT_GT(term.misses, 0);
    gate->pause(until_resumed);
    term.held = true;
    EXPECT_EQ(place.settle(), State::waiting) << "a new term ends no pause";
    gate->resume();
    EXPECT_EQ(place.settle(), State::granted);
}

}  // namespace
}  // namespace ticketgate
