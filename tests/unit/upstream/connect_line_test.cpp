#include "upstream/connect_line.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <deque>

namespace ticketgate {
namespace {

struct Waiter final : Observer {
    void notify() override { ++turns; }
    ConnectLine::Place place{*this};
    int turns = 0;
};

struct Connecting : testing::Test {
    Connecting() : waiters(3) {
        EXPECT_TRUE(line.may_try(waiters[0].place));
        line.failed(waiters[0].place, EAGAIN, loop);
        for (const std::size_t later : {1, 2}) EXPECT_FALSE(line.may_try(waiters[later].place));
    }
    ~Connecting() override {
        for (Waiter& one : waiters) line.leave(one.place);
    }
    void pass_time() {
        while (loop.next_deadline()) {
            loop.run_once(1s);
            if (waiters[0].turns + waiters[1].turns + waiters[2].turns != turns_before) break;
        }
        turns_before = waiters[0].turns + waiters[1].turns + waiters[2].turns;
    }

    net::Loop loop{0};
    ConnectLine line;
    std::deque<Waiter> waiters;
    int turns_before = 0;
};

TEST_F(Connecting, OnlyTheFirstOfTheLineTriesAgain) {
    for (int i = 1; i <= 3; ++i) {
        EXPECT_FALSE(line.may_try(waiters[0].place)) << "a pause comes first";
        pass_time();
        EXPECT_EQ(waiters[0].turns, i);
        EXPECT_TRUE(line.may_try(waiters[0].place));
        line.failed(waiters[0].place, EAGAIN, loop);
    }
    for (const int later : {1, 2}) {
        EXPECT_EQ(waiters[static_cast<std::size_t>(later)].turns, 0);
        EXPECT_FALSE(line.may_try(waiters[static_cast<std::size_t>(later)].place));
    }
}

TEST_F(Connecting, TheNextOneTriesAtOnceBehindOneThatIsThrough) {
    pass_time();
    line.leave(waiters[0].place);
    EXPECT_EQ(waiters[1].turns, 1);
    EXPECT_TRUE(line.may_try(waiters[1].place));
    EXPECT_FALSE(line.may_try(waiters[2].place));
}

TEST_F(Connecting, OneThatLeavesFromTheMidstChangesNothing) {
    line.leave(waiters[1].place);
    EXPECT_EQ(waiters[0].turns + waiters[2].turns, 0);
    pass_time();
    line.leave(waiters[0].place);
    EXPECT_EQ(waiters[2].turns, 1);
}

TEST_F(Connecting, ATurnThatIsNotUsedComesAgain) {
    pass_time();
    pass_time();
    EXPECT_EQ(waiters[0].turns, 2);
}

// Each byte of an upload wakes its request. On a busy machine a pause may be over before the
// wake-up: then the next one is tried.
TEST_F(Connecting, AWakeUpInAPauseDoesNotPutTheTurnOff) {
    auto turn = loop.next_deadline();
    loop.run_once(Duration{0});
    while (line.may_try(waiters[0].place)) {
        line.failed(waiters[0].place, EAGAIN, loop);
        turn = loop.next_deadline();
        loop.run_once(Duration{0});
    }
    EXPECT_EQ(loop.next_deadline(), turn);
    const int turns_so_far = waiters[0].turns;
    turns_before = turns_so_far;
    pass_time();
    EXPECT_EQ(waiters[0].turns, turns_so_far + 1);
}

TEST_F(Connecting, WithoutALineEverybodyMayTry) {
    for (Waiter& one : waiters) line.leave(one.place);
    EXPECT_FALSE(loop.next_deadline());
    for (Waiter& one : waiters) EXPECT_TRUE(line.may_try(one.place));
}

}  // namespace
}  // namespace ticketgate
