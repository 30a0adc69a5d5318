// Signals and the order in which they wake.
#include "task/scheduler.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "task/task.hpp"

namespace ticketgate {
namespace {

struct Wakes {
    Scheduler scheduler;
    std::string log;

    int run() {
        int resumed = 0;
        while (scheduler.run_one()) ++resumed;
        return resumed;
    }
};

Detached wait_times(Signal& signal, std::string& log, char name, int times) {
    for (int i = 0; i < times; ++i) {
        co_await signal;
        log += name;
    }
}

TEST(Signal, WakesItsWaiter) {
    Wakes wakes;
    Signal signal(wakes.scheduler);
    wait_times(signal, wakes.log, 'a', 1);
    EXPECT_TRUE(wakes.scheduler.idle());
    EXPECT_FALSE(wakes.scheduler.run_one());
    signal.notify();
    EXPECT_FALSE(wakes.scheduler.idle());
    EXPECT_EQ(wakes.log, "");
    EXPECT_EQ(wakes.run(), 1);
    EXPECT_EQ(wakes.log, "a");
}

TEST(Signal, ANotifyBeforeTheWaitIsKept) {
    Wakes wakes;
    Signal signal(wakes.scheduler);
    signal.notify();
    wait_times(signal, wakes.log, 'a', 1);
    EXPECT_EQ(wakes.log, "a");  // without suspending
    EXPECT_TRUE(wakes.scheduler.idle());
}

TEST(Signal, SeveralNotifiesBeforeTheWaitAreOne) {
    Wakes wakes;
    Signal signal(wakes.scheduler);
    signal.notify();
    signal.notify();
    wait_times(signal, wakes.log, 'a', 2);
    EXPECT_EQ(wakes.log, "a");
    signal.notify();
    wakes.run();
    EXPECT_EQ(wakes.log, "aa");
}

TEST(Signal, SeveralNotifiesOfAWaiterAreOneWake) {
    Wakes wakes;
    Signal signal(wakes.scheduler);
    wait_times(signal, wakes.log, 'a', 2);
    signal.notify();
    signal.notify();
    EXPECT_EQ(wakes.run(), 1);
    EXPECT_EQ(wakes.log, "a");
    signal.notify();
    EXPECT_EQ(wakes.run(), 1);
    EXPECT_EQ(wakes.log, "aa");
}

// A notify between a wake-up and the next wait must not be lost.
Detached notify_itself(Signal& signal, std::string& log) {
    co_await signal;
    signal.notify();
    log += "1";
    co_await signal;
    log += "2";
}

TEST(Signal, ANotifyWhileItsWaiterRunsIsKept) {
    Wakes wakes;
    Signal signal(wakes.scheduler);
    notify_itself(signal, wakes.log);
    signal.notify();
    wakes.run();
    EXPECT_EQ(wakes.log, "12");
}

TEST(Scheduler, WakesInTheOrderOfNotify) {
    Wakes wakes;
    Signal a(wakes.scheduler), b(wakes.scheduler), c(wakes.scheduler);
    wait_times(a, wakes.log, 'a', 2);
    wait_times(b, wakes.log, 'b', 1);
    wait_times(c, wakes.log, 'c', 1);
    c.notify();
    a.notify();
    b.notify();
    c.notify();  // is in the list already and keeps its place
    EXPECT_EQ(wakes.run(), 3);
    EXPECT_EQ(wakes.log, "cab");
    a.notify();
    wakes.run();
}

Detached pass_on(Signal& from, Signal& to, std::string& log, char name) {
    co_await from;
    log += name;
    to.notify();
    log += '.';
}

TEST(Scheduler, DoesNotResumeOneWaiterInsideAnother) {
    Wakes wakes;
    Signal a(wakes.scheduler), b(wakes.scheduler), c(wakes.scheduler);
    pass_on(a, b, wakes.log, 'a');
    pass_on(b, c, wakes.log, 'b');
    a.notify();
    wakes.run();
    EXPECT_EQ(wakes.log, "a.b.");
}

TEST(Scheduler, UrgentOnesGoBeforeTheOthers) {
    Wakes wakes;
    Signal a(wakes.scheduler), b(wakes.scheduler), run(wakes.scheduler, true);
    wait_times(a, wakes.log, 'a', 1);
    wait_times(b, wakes.log, 'b', 1);
    wait_times(run, wakes.log, 'r', 1);
    a.notify();
    run.notify();
    EXPECT_FALSE(wakes.scheduler.idle());
    b.notify();
    EXPECT_EQ(wakes.run(), 3);
    EXPECT_EQ(wakes.log, "rab");
    EXPECT_TRUE(wakes.scheduler.idle());
}

TEST(Scheduler, AnUrgentNotifyMovesItsWaiterUp) {
    Wakes wakes;
    Signal a(wakes.scheduler), b(wakes.scheduler), c(wakes.scheduler);
    wait_times(a, wakes.log, 'a', 1);
    wait_times(b, wakes.log, 'b', 2);
    wait_times(c, wakes.log, 'c', 2);
    a.notify();
    b.notify();
    b.notify_first();
    c.notify_first();
    c.notify();  // does not move it back
    EXPECT_EQ(wakes.run(), 3);
    EXPECT_EQ(wakes.log, "bca");
    c.notify();
    b.notify();
    wakes.run();
    EXPECT_EQ(wakes.log, "bcacb");  // urgent the first time only
}

TEST(Scheduler, AnUrgentNotifyBeforeTheWaitIsKept) {
    Wakes wakes;
    Signal signal(wakes.scheduler);
    signal.notify_first();
    wait_times(signal, wakes.log, 'a', 1);
    EXPECT_EQ(wakes.log, "a");
}

// Slots are granted in order of number, so their holders must run in that order.
TEST(Scheduler, AnUrgentOneNotifiedAgainKeepsItsPlace) {
    Wakes wakes;
    Signal first(wakes.scheduler), second(wakes.scheduler);
    wait_times(first, wakes.log, '1', 1);
    wait_times(second, wakes.log, '2', 1);
    first.notify_first();
    second.notify_first();
    first.notify_first();
    wakes.run();
    EXPECT_EQ(wakes.log, "12");
}

TEST(Scheduler, OneTurnWakesOneWaiter) {
    Wakes wakes;
    Signal a(wakes.scheduler), b(wakes.scheduler);
    wait_times(a, wakes.log, 'a', 1);
    wait_times(b, wakes.log, 'b', 1);
    b.notify();
    a.notify();
    EXPECT_TRUE(wakes.scheduler.run_one());
    EXPECT_EQ(wakes.log, "b");
    EXPECT_TRUE(wakes.scheduler.run_one());
    EXPECT_EQ(wakes.log, "ba");
}

TEST(Signal, DestroyedWhileNotifiedIsForgotten) {
    Wakes wakes;
    Signal kept(wakes.scheduler);
    {
        Signal gone(wakes.scheduler);
        gone.await_suspend(std::noop_coroutine());
        gone.notify();
        EXPECT_FALSE(wakes.scheduler.idle());
        wait_times(kept, wakes.log, 'k', 1);
        kept.notify();
    }
    EXPECT_EQ(wakes.run(), 1);
    EXPECT_EQ(wakes.log, "k");
}

// In the product a signal usually lies in the frame that waits on it.
task<void> wait_on_own(Scheduler& scheduler, Observer*& out) {
    Signal own(scheduler);
    out = &own;
    co_await own;
}

TEST(Signal, AFrameThatDiesNotifiedIsNotResumed) {
    Wakes wakes;
    Observer* signal = nullptr;
    {
        auto waiting = wait_on_own(wakes.scheduler, signal);
        ASSERT_TRUE(waiting.await_suspend(std::noop_coroutine()));
        signal->notify();
    }
    EXPECT_TRUE(wakes.scheduler.idle());
    EXPECT_FALSE(wakes.scheduler.run_one());
}

TEST(Signal, MovesToAnotherScheduler) {
    Wakes old_place, new_place;
    Signal signal(old_place.scheduler);
    wait_times(signal, new_place.log, 'a', 2);
    signal.notify();
    old_place.run();
    signal.move_to(new_place.scheduler);
    signal.notify();
    EXPECT_TRUE(old_place.scheduler.idle());
    EXPECT_EQ(new_place.run(), 1);
    EXPECT_EQ(new_place.log, "aa");
}

}  // namespace
}  // namespace ticketgate
