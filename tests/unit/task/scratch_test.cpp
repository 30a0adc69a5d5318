// What a coroutine of a loop puts into scratch is good until it suspends.
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

TEST(Scratch, IsGoodUntilTheSuspension) {
    Shared shared;
    use_at_once(shared);
    resume(shared);
    EXPECT_EQ(shared.seen, "filled");
}

TEST(Scratch, CanBeFilledAgainBehindASuspension) {
    Shared shared;
    begin_anew(shared);
    resume(shared);
    EXPECT_EQ(shared.seen, "written behind");
}

TEST(ScratchDeathTest, AViewDiesWhenItIsUsedBehindASuspension) {
    // In the child that dies: a coroutine that is never resumed would be a leak here.
    EXPECT_DEATH(
        {
            Shared shared;
            keep_a_view(shared);
            resume(shared);
        },
        "resumes");
}

TEST(ScratchDeathTest, SoDoesANewLookAtOldContents) {
    EXPECT_DEATH(
        {
            Shared shared;
            look_again(shared);
            resume(shared);
        },
        "resumes");
}

TEST(ScratchDeathTest, NobodyLooksBeforeTheFirstUse) {
    Shared shared;
    EXPECT_DEATH((void)*shared.scratch.view(), "resumes");
}

}  // namespace
}  // namespace ticketgate
