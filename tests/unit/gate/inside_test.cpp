// Calls from inside (CONTRACT 10): they run within the hold of the request that made them, one
// after the other, and strangers wait until all of them are over.
#include <optional>
#include <vector>

#include "world.hpp"

namespace ticketgate {
namespace {

struct InsideTest : testing::Test, World {
    explicit InsideTest(GateSettings settings = {}) : World(settings) {}
    ~InsideTest() override {
        EXPECT_TRUE(gate->figures().empty());
        EXPECT_EQ(gate->figures().inside, 0u);
    }

    std::shared_ptr<Pass> pass(std::string_view id) {
        return std::make_shared<Pass>(RequestLabel(id, "::1", "POST", "/"));
    }
    Place request(std::string_view id) {
        auto its = pass(id);
        gate->take(*its, Entry(), loop);
        return Place(gate, std::move(its), loop);
    }
    Slot running(std::string_view id) { return sent(request(id)); }
    static Slot sent(Place place) {
        Slot slot = std::move(place).begin();
        (void)slot.claims_backend();
        return slot;
    }

    /// A call with this id that names its caller.
    Place call(std::string_view id, std::string_view caller, State expected = State::granted) {
        auto its = pass(id);
        EXPECT_EQ(gate->take_within(*its, named(caller), Entry(), loop), expected);
        return Place(gate, std::move(its), loop);
    }
    CalledBy named(std::string_view caller) const { return {caller, Time{}, exchanges}; }
    /// One that names none, and came now.
    State call_without_id(Pass& its, std::uint32_t all_runs) {
        exchanges.runs = all_runs;
        return gate->take_within(its, {{}, monotonic_now(), exchanges}, Entry(), loop);
    }

    struct Elsewhere final : Exchanges {
        std::uint32_t under_way() const override { return runs; }
        Time ended_elsewhere(const Gate&) const override { return ended; }
        std::uint32_t runs = 0;
        Time ended{};
    } exchanges;
};

TEST_F(InsideTest, ACallRunsWithinTheHoldOfItsCaller) {
    std::optional<Slot> caller(running("caller"));
    Place stranger = request("stranger");
    std::optional<Slot> call(this->call("call", "caller").begin());
    EXPECT_TRUE(*call);
    EXPECT_EQ(call->number(), 3u) << "of the queue's one total order";
    EXPECT_EQ(call->token(), caller->token()) << "or a backend would refuse the caller behind it";
    EXPECT_EQ(gate->figures().in_flight, 1u);
    EXPECT_EQ(gate->figures().inside, 1u);
    call.reset();
    EXPECT_EQ(stranger.settle(), State::waiting);
    caller.reset();
    EXPECT_EQ(stranger.settle(), State::granted);
}

TEST_F(InsideTest, TheSlotStaysHeldUntilTheCallsAreOver) {
    std::optional<Slot> caller(running("caller"));
    Place stranger = request("stranger");
    std::optional<Slot> first(call("first", "caller").begin());
    std::optional<Place> second(call("second", "caller", State::waiting));
    caller.reset();
    EXPECT_EQ(stranger.settle(), State::waiting) << "the caller is over, its calls are not";
    first.reset();
    EXPECT_EQ(second->settle(), State::granted);
    EXPECT_EQ(stranger.settle(), State::waiting);
    std::optional<Slot> last(std::move(*second).begin());
    second.reset();
    EXPECT_EQ(stranger.settle(), State::waiting);
    last.reset();
    EXPECT_EQ(stranger.settle(), State::granted);
    EXPECT_EQ(observations(registry, holds), 1) << "one slot was held, once";
}

TEST_F(InsideTest, ACallThatIsGivenUpFreesTheSlotOfACallerThatIsOver) {
    for (const bool granted : {true, false}) {
        std::optional<Slot> caller(running("caller"));
        Place stranger = request("stranger");
        std::optional<Place> first(call("first", "caller")), second;
        if (!granted) second.emplace(call("second", "caller", State::waiting));
        caller.reset();
        if (second) (void)second->cancel(GivenUp::client_closed);
        EXPECT_EQ(stranger.settle(), State::waiting);
        first.reset();
        EXPECT_EQ(stranger.settle(), State::granted);
    }
}

TEST_F(InsideTest, CallsOfOneCallerRunOneAfterTheOther) {
    Slot caller = running("caller");
    std::optional<Slot> first(call("first", "caller").begin());
    Place second = call("second", "caller", State::waiting);
    Place third = call("third", "caller", State::waiting);
    first.reset();
    EXPECT_EQ(second.settle(), State::granted);
    EXPECT_EQ(third.settle(), State::waiting);
}

TEST_F(InsideTest, ACallMayCallInTurn) {
    std::optional<Slot> caller(running("caller"));
    Place stranger = request("stranger");
    std::optional<Slot> child(call("child", "caller").begin());
    std::optional<Slot> grandchild(call("grandchild", "child").begin());
    EXPECT_TRUE(*grandchild);
    EXPECT_EQ(gate->figures().inside, 2u);
    const GateView view = gate->view(10);
    ASSERT_EQ(view.inside.size(), 2u);
    EXPECT_EQ(view.inside[0].inside_of, caller->number());
    EXPECT_EQ(view.inside[1].inside_of, child->number());
    child.reset();
    caller.reset();
    EXPECT_EQ(stranger.settle(), State::waiting);
    grandchild.reset();
    EXPECT_EQ(stranger.settle(), State::granted);
}

// Where ids are kept, a call may have the id of its caller.
TEST_F(InsideTest, OfTwoWithOneIdTheInnermostIsTheCaller) {
    Slot caller = running("same");
    Slot child = call("same", "same").begin();
    Slot grandchild = call("same", "same").begin();
    EXPECT_EQ(gate->view(10).inside.at(1).inside_of, child.number());
}

TEST_F(InsideTest, AnUnknownCallerChangesNothing) {
    Slot holder = running("holder");
    Place granted_next = request("next");
    auto call = pass("call");
    for (const char* id : {"next", "nobody", "holde", "holder2"})
        EXPECT_EQ(gate->take_within(*call, named(id), Entry(), loop), State::idle) << id;
    EXPECT_EQ(gate->figures().inside, 0u);
}

TEST_F(InsideTest, ARequestThatIsOverMakesNoCall) {
    std::optional<Slot> caller(running("caller"));
    std::optional<Slot> child(call("child", "caller").begin());
    caller.reset();
    auto late = pass("late");
    EXPECT_EQ(gate->take_within(*late, named("caller"), Entry(), loop), State::idle);
    child.reset();
}

TEST_F(InsideTest, AGrantedRequestThatHasNotBegunMakesNoCall) {
    Place granted = request("granted");
    auto call = pass("call");
    EXPECT_EQ(gate->take_within(*call, named("granted"), Entry(), loop), State::idle);
}

TEST_F(InsideTest, WithoutAnIdTheOnlyRunOfTheProcessIsTheCaller) {
    Slot caller = running("caller");
    auto other = pass("other"), call = pass("call");
    EXPECT_EQ(call_without_id(*other, 2), State::idle) << "an exchange elsewhere may have made it";
    EXPECT_EQ(call_without_id(*call, 1), State::granted);
    const Place place(gate, call, loop);
    EXPECT_EQ(call->inside_of(), caller.number());
}

TEST_F(InsideTest, WithoutAnIdTheOutermostRequestCountsAsTheCaller) {
    std::optional<Slot> caller(running("caller"));
    Slot child = call("child", "caller").begin();
    auto second = pass("second"), third = pass("third");
    EXPECT_EQ(call_without_id(*second, 2), State::waiting);
    EXPECT_EQ(second->inside_of(), caller->number());
    const Place waits(gate, second, loop);
    const Time before_its_end = monotonic_now();
    caller.reset();
    exchanges.runs = 1;
    EXPECT_EQ(gate->take_within(*third, {{}, before_its_end, exchanges}, Entry(), loop),
              State::idle)
        << "the caller may have made it before its end";
    EXPECT_EQ(call_without_id(*third, 1), State::granted) << "only the child still runs";
    EXPECT_EQ(third->inside_of(), child.number());
    const Place runs_within(gate, third, loop);
}

TEST_F(InsideTest, WithoutAnIdTheCallerRanWhenTheCallCame) {
    std::optional<Slot> caller(running("caller"));
    std::optional<Slot> first(call("first", "caller").begin());
    Place second = call("second", "caller", State::waiting);
    const Time before = monotonic_now();
    caller.reset();
    first.reset();
    const Slot now_runs = std::move(second).begin();
    auto late = pass("late");
    exchanges.runs = 1;
    EXPECT_EQ(gate->take_within(*late, {{}, before, exchanges}, Entry(), loop), State::idle)
        << "the first may have made it";
}

struct TwoSlots : InsideTest {
    TwoSlots() : InsideTest({.limits = {.max_in_flight = 2}}) {}
};

TEST_F(TwoSlots, WithoutAnIdTheCallerIsNotKnownWhileTwoSlotsAreHeld) {
    Slot one = running("one"), two = running("two");
    auto call = pass("call");
    EXPECT_EQ(call_without_id(*call, 2), State::idle);
}

TEST_F(TwoSlots, WithoutAnIdARequestOfTheQueueThatHasJustEndedMayHaveMadeIt) {
    Slot one = running("one");
    std::optional<Slot> two(running("two"));
    const Time before = monotonic_now();
    two.reset();
    auto call = pass("call");
    exchanges.runs = 1;
    EXPECT_EQ(gate->take_within(*call, {{}, before, exchanges}, Entry(), loop), State::idle);
    EXPECT_EQ(call_without_id(*call, 1), State::granted);
    EXPECT_EQ(call->inside_of(), one.number());
    const Place place(gate, call, loop);
}

// An exchange that has ended since, or the holder before this one, may have made it.
TEST_F(InsideTest, WithoutAnIdACallThatMayBeOlderHasNoKnownCaller) {
    const Time before = monotonic_now();
    const Slot caller = running("caller");
    auto call = pass("call");
    exchanges.runs = 1;
    for (const Time arrived_after : {Time{}, before})
        EXPECT_EQ(gate->take_within(*call, {{}, arrived_after, exchanges}, Entry(), loop),
                  State::idle);
    exchanges.ended = monotonic_now() + 1h;
    EXPECT_EQ(call_without_id(*call, 1), State::idle);
    exchanges.ended = monotonic_now();
    EXPECT_EQ(call_without_id(*call, 1), State::granted);
    const Place place(gate, call, loop);
}

struct FewCalls : InsideTest {
    FewCalls() : InsideTest({.limits = {}, .max_inside = 2}) {}
};

TEST_F(FewCalls, NoMoreRunAndWaitBesideEachOtherThanMaxInside) {
    Slot caller = running("caller");
    Slot first = call("first", "caller").begin();
    const Place second = call("second", "caller", State::waiting);
    auto third = pass("third");
    EXPECT_EQ(gate->take_within(*third, named("caller"), Entry(), loop), State::full);
}

TEST_F(FewCalls, NoCallRunsDeeperThanMaxInside) {
    Slot caller = running("caller");
    Slot child = call("child", "caller").begin();
    Slot grandchild = call("grandchild", "child").begin();
    auto deeper = pass("deeper");
    EXPECT_EQ(gate->take_within(*deeper, named("grandchild"), Entry(), loop), State::full);
}

// A second request may now run beside them: none of the calls may begin, and each that runs is a
// violation.
TEST_F(InsideTest, AReleasedCallerTakesItsCallsWithIt) {
    Slot caller = running("caller");
    Slot child = sent(call("child", "caller"));
    Slot grandchild = sent(call("grandchild", "child"));
    Place waits = call("waits", "caller", State::waiting);
    Place stranger = request("stranger");
    EXPECT_EQ(gate->release({caller.number()}).how, Release::failed_open);
    EXPECT_EQ(stranger.settle(), State::granted);
    EXPECT_EQ(waits.settle(), State::revoked);
    EXPECT_FALSE(std::move(waits).begin());
    EXPECT_TRUE(caller.taken_away());
    EXPECT_TRUE(child.taken_away());
    EXPECT_TRUE(grandchild.taken_away());
    EXPECT_EQ(metric(registry, violations), 3);
    auto late = pass("late");
    EXPECT_EQ(gate->take_within(*late, named("child"), Entry(), loop), State::idle);
}

TEST_F(InsideTest, AReleasedCallerRevokesACallThatHasNotBegun) {
    Slot caller = running("caller");
    Place granted = call("granted", "caller");
    EXPECT_EQ(gate->release({caller.number()}).how, Release::failed_open);
    EXPECT_FALSE(std::move(granted).begin());
}

TEST_F(InsideTest, ACallIsReleasedByItself) {
    std::optional<Slot> caller(running("caller"));
    Slot child = sent(call("child", "caller"));
    Place sibling = call("sibling", "caller", State::waiting);
    Place stranger = request("stranger");
    EXPECT_EQ(gate->release({child.number()}).how, Release::failed_open);
    EXPECT_TRUE(child.taken_away());
    EXPECT_EQ(sibling.settle(), State::granted);
    EXPECT_EQ(stranger.settle(), State::waiting);
}

// The wake-ups reach the sessions and runs of all of them.
TEST_F(InsideTest, AReleaseWakesEachCall) {
    Slot caller = running("caller");
    Slot child = sent(call("child", "caller"));
    Place waits = call("waits", "caller", State::waiting);
    Signal of_caller(loop.scheduler()), of_child(loop.scheduler()), of_waiting(loop.scheduler());
    caller.observe(&of_caller);
    child.observe(&of_child);
    waits.arrive(of_waiting);
    (void)gate->release({caller.number()});
    loop.run_once(Duration{0});
    EXPECT_TRUE(of_caller.await_ready());
    EXPECT_TRUE(of_child.await_ready());
    EXPECT_TRUE(of_waiting.await_ready());
    caller.observe(nullptr);
    child.observe(nullptr);
}

}  // namespace
}  // namespace ticketgate
