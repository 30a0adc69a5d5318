// The contents of scratch are valid until the coroutine suspends.
#include "task/scratch.hpp"

#include <gtest/gtest.h>

#include <string>

#include "task/task.hpp"

namespace ticketgate {
namespace {

struct Shared {
    Scheduler scheduler;
    Signal signal{scheduler};
    Scratch<std::string> scratch{scheduler};
    std::string seen;
};

task<void> fill(Shared& shared) {
    *shared.scratch.fresh() = "filled";
    co_return;
}

Detached use_at_once(Shared& shared) {
    co_await shared.signal;
    co_await fill(shared);
    shared.seen = *shared.scratch.view();
}

Detached keep_a_view(Shared& shared) {
    const auto view = shared.scratch.fresh();
    *view = "written before";
    co_await shared.signal;
    shared.seen = *view;
}

Detached look_again(Shared& shared) {
    *shared.scratch.fresh() = "written before";
    co_await shared.signal;
    shared.seen = *shared.scratch.view();
}

Detached begin_anew(Shared& shared) {
    *shared.scratch.fresh() = "written before";
    co_await shared.signal;
    *shared.scratch.fresh() = "written behind";
    shared.seen = *shared.scratch.view();
}

void resume(Shared& shared) {
    shared.signal.notify();
    EXPECT_TRUE(shared.scheduler.run_one());
}

TEST(Scratch, IsValidUntilTheSuspension) {
    Shared shared;
    use_at_once(shared);
    resume(shared);
    EXPECT_EQ(shared.seen, "filled");
}

TEST(Scratch, CanBeFilledAgainAfterASuspension) {
    Shared shared;
    begin_anew(shared);
    resume(shared);
    EXPECT_EQ(shared.seen, "written behind");
}

TEST(ScratchDeathTest, AnOldViewUsedAfterASuspensionStopsTheProcess) {
    // Inside EXPECT_DEATH: here in the parent, a coroutine that is never resumed would leak.
    EXPECT_DEATH(
        {
            Shared shared;
            keep_a_view(shared);
            resume(shared);
        },
        "resumes");
}

TEST(ScratchDeathTest, ANewViewOfOldContentsStopsTheProcess) {
    EXPECT_DEATH(
        {
            Shared shared;
            look_again(shared);
            resume(shared);
        },
        "resumes");
}

TEST(ScratchDeathTest, AViewBeforeTheFirstUseStopsTheProcess) {
    Shared shared;
    EXPECT_DEATH((void)*shared.scratch.view(), "resumes");
}

}  // namespace
}  // namespace ticketgate
