// The times that the queue measures for views, metrics and Retry-After.
#include <array>

#include "line.hpp"

namespace ticketgate::queue {
namespace {

void hold_for(Line& line, Duration time) {
    Ticket& ticket = line.hold();
    line.now += time;
    line.leave(ticket);
}

TEST(QueueTime, TicketsKnowWhenTheyWereTakenAndGranted) {
    Line line;
    Ticket& holder = line.hold();
    line.now += 1s;
    Ticket& next = line.take();
    line.now += 2s;
    line.leave(holder);
    EXPECT_EQ(holder.granted, start);
    EXPECT_EQ(next.taken, start + 1s);
    EXPECT_EQ(next.granted, start + 3s);
}

TEST(QueueTime, OldestWaitIsThatOfTheHeadOfTheLine) {
    Line line;
    EXPECT_EQ(line.queue.oldest_wait(line.now), 0s);
    Ticket& holder = line.hold();
    line.now += 5s;
    EXPECT_EQ(line.queue.oldest_wait(line.now), 0s);  // a running ticket does not wait
    Ticket& upload = line.take_uploading();
    line.now += 2s;
    line.take();
    line.now += 1s;
    EXPECT_EQ(line.queue.oldest_wait(line.now), 3s);
    line.cancel(upload);
    EXPECT_EQ(line.queue.oldest_wait(line.now), 1s);
    line.leave(holder);
    EXPECT_EQ(line.queue.oldest_wait(line.now), 0s);
}

TEST(QueueTime, OldestHoldIsThatOfTheFirstGranted) {
    Line line({.max_in_flight = 2});
    EXPECT_EQ(line.queue.oldest_hold(line.now), 0s);
    Ticket& first = line.hold();
    line.now += 4s;
    Ticket& second = line.hold();
    line.now += 1s;
    EXPECT_EQ(line.queue.oldest_hold(line.now), 5s);
    line.leave(first);
    EXPECT_EQ(line.queue.oldest_hold(line.now), 1s);
    line.leave(second);
    EXPECT_EQ(line.queue.oldest_hold(line.now), 0s);
}

TEST(QueueTime, MeanHoldBeginsWithTheFirst) {
    Line line;
    EXPECT_EQ(line.queue.mean_hold(), 0s);
    hold_for(line, 400ms);
    EXPECT_EQ(line.queue.mean_hold(), 400ms);
}

TEST(QueueTime, MeanHoldFollowsSlowly) {
    Line line;
    hold_for(line, 100ms);
    hold_for(line, 10s);
    EXPECT_GT(line.queue.mean_hold(), 100ms);
    EXPECT_LT(line.queue.mean_hold(), 5s);  // one slow request must not dominate the mean
    for (int i = 0; i < 100; ++i) hold_for(line, 10s);
    EXPECT_GT(line.queue.mean_hold(), 9900ms);
    EXPECT_LE(line.queue.mean_hold(), 10s);
    for (int i = 0; i < 100; ++i) hold_for(line, 1s);
    EXPECT_LT(line.queue.mean_hold(), 1100ms);
    EXPECT_GE(line.queue.mean_hold(), 1s);
}

TEST(QueueTime, MeanHoldCountsTimeOfHoldingNotOfWaiting) {
    Line line;
    Ticket& first = line.hold();
    Ticket& second = line.take();
    line.now += 2s;
    line.leave(first);
    line.now += 2s;
    line.leave(second);
    EXPECT_EQ(line.queue.mean_hold(), 2s);
}

TEST(QueueTime, MeanHoldIgnoresASlotThatWasGivenBackUnused) {
    Line line;
    hold_for(line, 400ms);
    Ticket& ticket = line.take();
    line.drop(ticket);
    EXPECT_EQ(line.queue.mean_hold(), 400ms);
}

struct Retry {
    std::uint32_t max_in_flight;
    Duration hold;
    int waiting;
    std::uint32_t least, most;
};

// A ticket behind `waiting` others waits about (waiting + 1) holds, divided by the slots.
constexpr Retry retries[] = {
    {1, 0s, 0, 1, 1},       {1, 10ms, 0, 1, 1},       {1, 10ms, 50, 1, 1},
    {1, 2s, 0, 2, 3},       {1, 2s, 4, 10, 11},       {2, 2s, 4, 5, 6},
    {10, 2s, 4, 1, 2},      {1, 1500ms, 1, 3, 4},     {1, 10min, 1, 1200, 1201},
    {1, 2h, 0, 3600, 3600}, {1, 1h, 500, 3600, 3600},
};

TEST(QueueTime, RetryAfterIsTheExpectedWait) {
    for (const Retry& r : retries) {
        Line line({.max_in_flight = r.max_in_flight});
        hold_for(line, r.hold);
        for (std::uint32_t i = 0; i < r.max_in_flight; ++i) line.hold();
        for (int i = 0; i < r.waiting; ++i) line.take();
        EXPECT_GE(line.queue.retry_after(line.now), r.least) << to_s(r.hold) << " s, " << r.waiting;
        EXPECT_LE(line.queue.retry_after(line.now), r.most) << to_s(r.hold) << " s, " << r.waiting;
    }
}

TEST(QueueTime, RetryAfterIsOneBeforeAnythingIsKnown) {
    Line line;
    line.hold();
    for (int i = 0; i < 1000; ++i) line.take();
    EXPECT_EQ(line.queue.retry_after(line.now), 1u);
}

// Of an operator's figures: zero if a slot is free, and no whole seconds.
TEST(QueueTime, ANewcomerWaitsForAFreeSlotOnly) {
    Line line;
    EXPECT_EQ(line.queue.newcomer_wait(line.now), 0s);
    hold_for(line, 10ms);
    EXPECT_EQ(line.queue.newcomer_wait(line.now), 0s) << "what was before does not matter";
    line.hold();
    EXPECT_NEAR(to_s(line.queue.newcomer_wait(line.now)), 0.01, 1e-6);
    EXPECT_NEAR(to_s(line.queue.newcomer_wait(line.now + 2ms)), 0.008, 1e-6) << "what is left";
    EXPECT_NEAR(to_s(line.queue.newcomer_wait(line.now + 24h)), 3600, 1e-3);
}

TEST(QueueTime, ANewcomerPassesAnUploadUnlessTheOrderIsThatOfArrival) {
    for (const bool held_before : {false, true}) {
        Line ready({.order = Order::ready}), arrival({.order = Order::arrival});
        for (Line* line : {&ready, &arrival}) {
            if (held_before) hold_for(*line, 10ms);
            line->take({.ready = false});
            line->now += 1h;
        }
        EXPECT_EQ(ready.queue.newcomer_wait(ready.now), 0s);
        EXPECT_EQ(arrival.queue.newcomer_wait(arrival.now), Duration::max())
            << "nobody knows when the upload ends";
    }
}

TEST(QueueTime, NobodyKnowsHowLongTheFirstHoldLasts) {
    Line line;
    Ticket& first = line.hold();
    EXPECT_EQ(line.queue.newcomer_wait(line.now), Duration::max());
    line.now += 3s;
    line.leave(first);
    line.hold();
    EXPECT_EQ(line.queue.newcomer_wait(line.now), 3s);
}

// As many slots as there are, but for one, come free each 100 ms; one is held for the whole time.
struct Busy {
    explicit Busy(std::uint32_t slots) : line({.max_in_flight = slots}) {
        line.hold();
        for (std::uint32_t i = 1; i < slots; ++i) holders.push_back(&line.hold());
        for (int i = 0; i < 4; ++i) line.take();
        line.granted.clear();
    }
    /// One slot after the other comes free, and somebody else joins the line.
    void turns(int count, Duration hold) {
        for (; count > 0; --count) {
            line.now += hold / static_cast<int>(holders.size());
            line.take();
            line.leave(*holders.front());
            holders.erase(holders.begin());
            ASSERT_EQ(line.granted.size(), 1u);
            holders.push_back(&line.granted.front());
            line.granted.clear();
        }
    }
    Line line;
    std::vector<Ticket*> holders;
};

TEST(QueueTime, OneLongHoldDoesNotMakeTheOthersLong) {
    for (const std::uint32_t slots : {2u, 8u}) {
        Busy busy(slots);
        busy.turns(400, 150ms);
        const double turn = 0.15 / (slots - 1);
        EXPECT_GT(busy.line.queue.oldest_hold(busy.line.now), 5s);
        EXPECT_NEAR(to_s(busy.line.queue.newcomer_wait(busy.line.now)), 5 * turn, turn / 2)
            << slots;
        EXPECT_EQ(busy.line.queue.retry_after(busy.line.now), 1u);
    }
}

TEST(QueueTime, ALineStallsWhileNoSlotComesFree) {
    for (const std::uint32_t slots : {2u, 8u}) {
        Busy busy(slots);
        busy.turns(40, 150ms);
        EXPECT_EQ(busy.line.queue.stalled(busy.line.now), 0s);
        busy.line.now += 90s;
        EXPECT_EQ(busy.line.queue.stalled(busy.line.now), 90s) << slots;
        EXPECT_GE(busy.line.queue.retry_after(busy.line.now), 90u);
    }
}

TEST(QueueTime, ALineOfOneStallsForAsLongAsItsSlotIsHeld) {
    Line line;
    EXPECT_EQ(line.queue.stalled(line.now), 0s);
    Ticket& holder = line.hold();
    line.now += 10s;
    EXPECT_EQ(line.queue.stalled(line.now), 0s) << "nobody waits";
    line.take();
    EXPECT_EQ(line.queue.stalled(line.now), 10s);
    line.leave(holder);
    EXPECT_EQ(line.queue.stalled(line.now), 0s);
}

TEST(QueueTime, ALineWithAFreeSlotStallsSinceItsHeadCame) {
    Line line({.order = Order::arrival});
    hold_for(line, 10ms);
    line.now += 1h;
    Ticket& upload = line.take_uploading();
    EXPECT_EQ(line.queue.stalled(line.now), 0s);
    line.now += 5s;
    EXPECT_EQ(line.queue.stalled(line.now), 5s);
    EXPECT_EQ(line.queue.retry_after(line.now), 1u) << "the hour before does not count";
    line.cancel(upload);
    EXPECT_EQ(line.queue.stalled(line.now), 0s);
}

TEST(QueueTime, UploadsThatHoldNobodyUpAreNoLineThatStalls) {
    Line line;
    hold_for(line, 10ms);
    Ticket& upload = line.take_uploading();
    line.now += 1min;
    EXPECT_EQ(line.queue.stalled(line.now), 0s) << "a slot is free for the next that is ready";
    line.hold();
    line.now += 20s;
    EXPECT_EQ(line.queue.stalled(line.now), 0s);
    line.take();
    EXPECT_EQ(line.queue.stalled(line.now), 20s) << "this one waits for the slot";
    line.cancel(upload);
    EXPECT_EQ(line.queue.stalled(line.now), 20s);
}

// A limit that was lowered from three to one while three are held: two ends let nobody in.
struct Lowered {
    Lowered() {
        hold_for(line, 2s);
        for (Ticket*& holder : holders) holder = &line.hold();
        waits = &line.take();
        line.resize({.max_in_flight = 1});
    }
    Line line{{.max_in_flight = 3}};
    std::array<Ticket*, 3> holders{};
    Ticket* waits = nullptr;
};

TEST(QueueTime, TheEndOfASlotAboveALoweredLimitIsNoSlotThatComesFree) {
    Lowered at;
    Queue& queue = at.line.queue;
    EXPECT_EQ(queue.ends_needed(), 3u);
    for (const int ended : {0, 1}) {
        at.line.now += 20s;
        EXPECT_EQ(queue.stalled(at.line.now), (ended + 1) * 20s) << ended;
        at.line.leave(*at.holders.at(ended));
        EXPECT_EQ(queue.stalled(at.line.now), (ended + 1) * 20s) << ended;
        EXPECT_EQ(queue.ends_needed(), 2u - ended);
    }
    EXPECT_TRUE(at.waits->waiting());
    EXPECT_DOUBLE_EQ(queue.slot_seconds(at.line.now), 2 + 60 + 40) << "all holds count";
    at.line.leave(*at.holders[2]);
    EXPECT_EQ(at.waits->state, State::granted);
    EXPECT_EQ(queue.stalled(at.line.now), 0s);
    EXPECT_EQ(queue.ends_needed(), 1u);
}

TEST(QueueTime, ANewcomerWaitsForTheEndsOfTheSlotsAboveALoweredLimitToo) {
    Lowered at;
    const Queue& queue = at.line.queue;
    EXPECT_EQ(queue.newcomer_wait(at.line.now), 8s) << "three ends, and one that waits";
    EXPECT_EQ(queue.retry_after(at.line.now), 8u);
    at.line.now += 2s;
    at.line.leave(*at.holders[0]);
    EXPECT_EQ(queue.newcomer_wait(at.line.now), 6s);
}

TEST(QueueTime, ALineWithAFreeSlotNeedsNoEnd) {
    Line line({.max_in_flight = 2});
    line.hold();
    EXPECT_EQ(line.queue.ends_needed(), 0u);
    line.hold();
    EXPECT_EQ(line.queue.ends_needed(), 1u);
}

TEST(QueueTime, SlotSecondsCountHoldsThatHaveNotEnded) {
    Line line({.max_in_flight = 2});
    Ticket& first = line.hold();
    line.now += 10s;
    EXPECT_DOUBLE_EQ(line.queue.slot_seconds(line.now), 10);
    line.hold();
    line.now += 5s;
    EXPECT_DOUBLE_EQ(line.queue.slot_seconds(line.now), 20);
    line.leave(first);
    line.now += 1s;
    EXPECT_DOUBLE_EQ(line.queue.slot_seconds(line.now), 21);
}

// A stuck backend ends no holds, so the current hold must count as well.
TEST(QueueTime, RetryAfterCountsTheHoldThatLastsLongerThanUsual) {
    Line line;
    hold_for(line, 10ms);
    line.hold();
    EXPECT_EQ(line.queue.retry_after(line.now), 1u);
    EXPECT_EQ(line.queue.retry_after(line.now + 4s), 4u);
    line.take();
    EXPECT_EQ(line.queue.retry_after(line.now + 4s), 5u) << "who follows it is not slow as well";
    EXPECT_EQ(line.queue.retry_after(line.now + 24h), 3600u);
}

}  // namespace
}  // namespace ticketgate::queue
