#include "spawn/plan.hpp"

#include <gtest/gtest.h>

namespace ticketgate::spawn {
namespace {

using enum WorkerState;

const Time start{1000s};
const Bounds bounds{.min = 1, .max = 4, .idle_timeout = 10s};

std::vector<Standing> standing(std::initializer_list<WorkerState> states, Duration ago = 0s) {
    std::vector<Standing> out;
    for (const auto state : states) out.push_back({state, start - ago});
    return out;
}

Plan now(const std::vector<Standing>& workers, std::size_t waiting = 0, Time may_start = start) {
    return plan(bounds, workers, waiting, may_start, start);
}

TEST(Plan, StartsTheLeast) {
    EXPECT_EQ(now({}).start, 1u);
    EXPECT_EQ(now(standing({starting})).start, 0u);
}

TEST(Plan, StartsOneForEachRequestThatHasNone) {
    EXPECT_EQ(now(standing({busy}), 2).start, 2u);
    EXPECT_EQ(now(standing({busy, starting}), 2).start, 1u);
    EXPECT_EQ(now(standing({busy, starting, starting}), 2).start, 0u);
}

TEST(Plan, StartsNoMoreThanTheMostThatMayExist) {
    EXPECT_EQ(now(standing({busy, busy}), 9).start, 2u);
    EXPECT_EQ(now(standing({busy, stopping, stopping}), 9).start, 1u);
    EXPECT_EQ(now(standing({stopping, stopping, stopping, stopping}), 9).start, 0u);
}

TEST(Plan, WaitsAfterFailedStarts) {
    const Plan later = now({}, 3, start + 2s);
    EXPECT_EQ(later.start, 0u);
    EXPECT_EQ(later.look_again, start + 2s);
}

TEST(Plan, StopsThoseThatAreIdleForTooLongButTheLeast) {
    auto workers = standing({idle, idle, busy}, 20s);
    workers[0].since = start - 11s;
    EXPECT_EQ(now(workers).stop, (std::vector<std::size_t>{1, 0}));
    EXPECT_EQ(now(standing({idle, idle}, 20s)).stop, (std::vector<std::size_t>{0}));
    EXPECT_TRUE(now(standing({idle}, 20s)).stop.empty());
}

TEST(Plan, TellsWhenTheNextOneHasBeenIdleForLong) {
    const Plan later = now(standing({idle, idle}, 4s));
    EXPECT_TRUE(later.stop.empty());
    EXPECT_EQ(later.look_again, start + 6s);
}

TEST(Plan, StopsNoneWhileARequestWaits) {
    EXPECT_TRUE(now(standing({idle, idle}, 20s), 1).stop.empty());
}

TEST(Plan, StopsIdleOnesAboveALoweredLimitAtOnce) {
    const auto workers = standing({busy, idle, idle, idle, idle, idle});
    EXPECT_EQ(now(workers).stop.size(), 2u);
}

TEST(StartPause, DoublesAndEnds) {
    StartPause pause;
    EXPECT_LE(pause.until(), start);
    pause.failed(start);
    EXPECT_EQ(pause.until(), start + 100ms);
    for (const Time together : {start, start + 99ms}) pause.failed(together);
    EXPECT_EQ(pause.until(), start + 100ms) << "of the same start";
    pause.failed(pause.until());
    EXPECT_EQ(pause.until(), start + 300ms);
    for (int i = 0; i < 40; ++i) pause.failed(pause.until());
    const Time before = pause.until();
    pause.failed(before);
    EXPECT_EQ(pause.until(), before + 30s);
    pause.served(before + 1s);
    EXPECT_LE(pause.until(), start);
}

// It was there before: that it serves says nothing of the starts that fail beside it.
TEST(StartPause, IsNotEndedByAWorkerThatWasStartedBeforeTheLastFailure) {
    StartPause pause;
    pause.failed(start);
    pause.failed(start + 50ms);
    pause.served(start + 10ms);
    EXPECT_EQ(pause.until(), start + 100ms);
    pause.served(start + 60ms);
    EXPECT_LE(pause.until(), start);
}

}  // namespace
}  // namespace ticketgate::spawn
