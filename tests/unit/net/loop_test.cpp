// One loop, turned by the test.
#include "net/loop.hpp"

#include "sockets.hpp"
#include "task/task.hpp"

namespace ticketgate::net {
namespace {

TEST(Loop, RunsWhatWasPostedInOrder) {
    Loop loop(0);
    std::string log;
    loop.post([&] { log += 'a'; });
    loop.post([&] {
        log += 'b';
        loop.post([&] { log += 'c'; });
    });
    EXPECT_EQ(log, "");
    EXPECT_TRUE(run_until(loop, [&] { return log.size() == 3; }));
    EXPECT_EQ(log, "abc");
}

TEST(Loop, FreesPostedJobsThatNeverRan) {
    const auto owned = std::make_shared<int>(0);
    {
        Loop loop(0);
        loop.post([owned] {});
        EXPECT_EQ(owned.use_count(), 2);
    }
    EXPECT_EQ(owned.use_count(), 1);
}

TEST(Loop, TellsItsIndex) {
    EXPECT_EQ(Loop(3).index(), 3u);
}

Detached append_when(Signal& signal, std::string& log, char name) {
    co_await signal;
    log += name;
}

TEST(Loop, ResumesNotifiedWaitersBeforeItSleeps) {
    Loop loop(0);
    Signal signal(loop.scheduler());
    std::string log;
    append_when(signal, log, 'a');
    signal.notify();
    loop.before_sleep([&] {
        EXPECT_EQ(log, "a");
        return Duration{0};
    });
    loop.run_once(never);
    EXPECT_EQ(log, "a");
}

TEST(Loop, SleepsNoLongerThanItsHookSays) {
    Loop loop(0);
    int asked = 0;
    loop.before_sleep([&] {
        ++asked;
        return Duration(1ms);
    });
    loop.run_once(never);  // would not return
    EXPECT_EQ(asked, 1);
}

struct Alarm {
    explicit Alarm(Loop& loop) : signal(loop.scheduler()), deadline(signal) {}
    Signal signal;
    Deadline deadline;
};

TEST(Loop, DeadlinesFireInTime) {
    Loop loop(0);
    Alarm alarm(loop);
    std::string log;
    append_when(alarm.signal, log, 'a');
    // A deadline counts from the time the loop woke, not from the time it is armed.
    const Time begin = monotonic_now();
    loop.run_once(Duration{0});
    loop.arm(alarm.deadline, 20ms);
    for (int i = 0; log.empty() && i < 100; ++i) loop.run_once(never);
    EXPECT_EQ(log, "a");
    EXPECT_TRUE(alarm.deadline.expired());
    EXPECT_GE(monotonic_now() - begin, 20ms);
}

TEST(Loop, DeadlinesMayCountFromAnEarlierMoment) {
    Loop loop(0);
    Alarm early(loop), late(loop);
    std::string log;
    append_when(early.signal, log, 'e');
    append_when(late.signal, log, 'l');
    loop.arm(late.deadline, 1h);
    loop.arm_from(early.deadline, 1h, monotonic_now() - 1h);
    loop.run_once(never);
    EXPECT_EQ(log, "e");
    EXPECT_FALSE(late.deadline.expired());
    late.signal.notify();
    loop.run_once(Duration{0});
}

TEST(Loop, DeferredJobsRunAfterTheEventsAtHand) {
    Loop loop(0);
    std::string log;
    loop.post([&] {
        loop.defer([&] {
            log += 'd';
            loop.defer([&] { log += 'e'; });
        });
        log += 'p';
    });
    loop.post([&] { log += 'q'; });
    loop.run_once(1s);
    EXPECT_EQ(log, "pqde");
}

Detached move_and_tell(Loop& from, Loop& to, std::string& log) {
    log += '1';
    co_await from.move_to(to);
    log += '2';
}

TEST(Loop, ResumesAtOnceAMoveToItself) {
    Loop loop(0);
    std::string log;
    move_and_tell(loop, loop, log);
    EXPECT_EQ(log, "12");
}

TEST(Loop, AMoveBeginsAfterTheCoroutineHasLeftTheStack) {
    Loop loop(0), other(1);
    std::string log;
    loop.post([&] {
        move_and_tell(loop, other, log);
        log += '-';
    });
    loop.run_once(1s);
    EXPECT_EQ(log, "1-");
    other.run_once(1s);
    EXPECT_EQ(log, "1-2");
}

// Two of these coroutines wake each other without end.
Detached wake_each_other(Signal& mine, Signal& other, const bool& enough) {
    while (!enough) {
        other.notify();
        co_await mine;
    }
    other.notify();
}

TEST(Loop, BusyCoroutinesDoNotKeepItFromItsSockets) {
    Loop loop(0);
    Signal a(loop.scheduler()), b(loop.scheduler());
    bool enough = false;
    wake_each_other(a, b, enough);
    wake_each_other(b, a, enough);
    const auto [near, far] = unix_pair();
    SocketStream stream(loop, near);
    const Peer peer(far);
    Ear ear;
    stream.observe(&ear);
    catch_up(loop);
    const int before = ear.heard;
    peer.send("x");
    for (int i = 0; i < 3; ++i) loop.run_once(Duration{0});
    EXPECT_GT(ear.heard, before);
    enough = true;
    catch_up(loop);
}

TEST(Loop, StopEndsRunAfterThePostedJobs) {
    Loop loop(0);
    std::string log;
    loop.post([&] { log += 'a'; });
    loop.stop();
    loop.post([&] { log += 'b'; });
    loop.run();
    EXPECT_EQ(log, "ab");
}

}  // namespace
}  // namespace ticketgate::net
