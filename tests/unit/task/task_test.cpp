// Coroutines as values: results that a child returns to its parent, and the lifetime of frames.
#include "task/task.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "task/scheduler.hpp"

namespace ticketgate {
namespace {

// Counts the frames that hold one.
struct Alive {
    explicit Alive(int& n) : count(n) { ++count; }
    Alive(const Alive&) = delete;
    ~Alive() { --count; }
    int& count;
};

task<int> seven() {
    co_return 7;
}
task<std::unique_ptr<int>> owned(int value) {
    co_return std::make_unique<int>(value);
}
task<void> append(std::string& out, std::string text) {
    out += text;
    co_return;
}
task<int> fails() {
    throw std::runtime_error("no");
    co_return 0;
}
task<void> fails_late(Signal& signal) {
    co_await signal;
    throw std::runtime_error("late");
}
task<int> waits(Signal& signal, int& alive, int value) {
    const Alive frame(alive);
    co_await signal;
    co_return value;
}

void run(Scheduler& scheduler) {
    while (scheduler.run_one()) {
    }
}

Detached take_value(int& out) {
    const int value = co_await seven();
    out = value + co_await seven();
}

TEST(Task, ReturnsItsValue) {
    int out = 0;
    take_value(out);
    EXPECT_EQ(out, 14);
}

Detached take_owned(std::unique_ptr<int>& out) {
    out = co_await owned(5);
}

TEST(Task, ReturnsAMoveOnlyValue) {
    std::unique_ptr<int> out;
    take_owned(out);
    ASSERT_NE(out, nullptr);
    EXPECT_EQ(*out, 5);
}

Detached append_in_turn(std::string& out) {
    co_await append(out, "a");
    co_await append(out, "b");
    out += "c";
}

TEST(Task, RunsInPlaceAndInOrder) {
    std::string out;
    append_in_turn(out);
    EXPECT_EQ(out, "abc");
}

TEST(Task, DoesNothingUntilAwaited) {
    std::string out;
    { const auto never_awaited = append(out, "x"); }
    EXPECT_EQ(out, "");
}

task<int> middle() {
    const int value = co_await fails();
    co_return value;
}
Detached catch_from(std::string& out, bool nested) {
    try {
        if (nested)
            (void)co_await middle();
        else
            (void)co_await fails();
    } catch (const std::runtime_error& error) {
        out = error.what();
    }
}

TEST(Task, ExceptionsReachTheParent) {
    for (const bool nested : {false, true}) {
        std::string out;
        catch_from(out, nested);
        EXPECT_EQ(out, "no");
    }
}

Detached catch_late(Signal& signal, std::string& out) {
    try {
        co_await fails_late(signal);
    } catch (const std::runtime_error& error) {
        out = error.what();
    }
}

TEST(Task, ExceptionsReachAParentThatWaited) {
    Scheduler scheduler;
    Signal signal(scheduler);
    std::string out;
    catch_late(signal, out);
    EXPECT_EQ(out, "");
    signal.notify();
    run(scheduler);
    EXPECT_EQ(out, "late");
}

Detached wait_for(Signal& signal, int& alive, int& out) {
    const int value = co_await waits(signal, alive, 3);
    EXPECT_EQ(alive, 1);  // the parent's own frame: the child ended with its task
    out = value;
}

TEST(Task, ASuspendedChildGivesItsValueLater) {
    Scheduler scheduler;
    Signal signal(scheduler);
    int alive = 0, out = 0;
    {
        const Alive test(alive);
        wait_for(signal, alive, out);
        EXPECT_EQ(alive, 2);
        EXPECT_EQ(out, 0);
        signal.notify();
        EXPECT_EQ(out, 0);  // nobody is resumed from inside notify
        run(scheduler);
        EXPECT_EQ(out, 3);
    }
    EXPECT_EQ(alive, 0);
}

task<void> outer(Signal& signal, int& alive) {
    const Alive frame(alive);
    (void)co_await waits(signal, alive, 1);
}
// Destroys a parent's task while its child is suspended.
Detached drop_half_way(Signal& inner, Signal& end, int& alive) {
    {
        auto child = outer(inner, alive);
        // Starts the child like an await that never completes.
        (void)child.await_suspend(std::noop_coroutine());
        EXPECT_EQ(alive, 2);
    }
    EXPECT_EQ(alive, 0);
    co_await end;
}

TEST(Task, ATaskDestroysItsFrameAndThoseOfItsChildren) {
    Scheduler scheduler;
    Signal inner(scheduler), end(scheduler);
    int alive = 0;
    drop_half_way(inner, end, alive);
    end.notify();
    run(scheduler);
}

// ── depth ──

constexpr int many = 1'000'000;

// The coroutine's frame is on the heap; this callee's frame is on the stack.
__attribute__((noinline)) std::uintptr_t stack_address() {
    return reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
}
task<std::uintptr_t> depth() {
    co_return stack_address();
}
Detached many_children(std::uintptr_t& first, std::uintptr_t& last, Signal* before) {
    if (before != nullptr) co_await *before;
    first = co_await depth();
    for (int i = 0; i < many; ++i) last = co_await depth();
}

TEST(Task, AMillionChildrenThatEndAtOnceNeedNoStack) {
    std::uintptr_t first = 0, last = 1;
    many_children(first, last, nullptr);
    EXPECT_EQ(first, last);
}

TEST(Task, AMillionChildrenThatEndAfterAResumeNeedNoStack) {
    Scheduler scheduler;
    Signal signal(scheduler);
    std::uintptr_t first = 0, last = 1;
    many_children(first, last, &signal);
    signal.notify();
    run(scheduler);
    EXPECT_EQ(first, last);
}

task<std::uintptr_t> depth_after(Signal& signal) {
    co_await signal;
    co_return stack_address();
}
Detached many_waits(Signal& signal, std::uintptr_t& first, std::uintptr_t& last) {
    first = co_await depth_after(signal);
    for (int i = 0; i < many / 10; ++i) last = co_await depth_after(signal);
}

TEST(Task, ChildrenThatWaitNeedNoStack) {
    Scheduler scheduler;
    Signal signal(scheduler);
    std::uintptr_t first = 0, last = 1;
    many_waits(signal, first, last);
    for (int i = 0; i <= many / 10; ++i) {
        signal.notify();
        run(scheduler);
    }
    EXPECT_EQ(first, last);
}

// ── Detached ──

Detached live(Signal& signal, int& alive, std::string& out) {
    const Alive frame(alive);
    out += "begun";
    co_await signal;
    out += " ended";
}

TEST(Detached, RunsAtOnceAndFreesItselfAtItsEnd) {
    Scheduler scheduler;
    Signal signal(scheduler);
    int alive = 0;
    std::string out;
    live(signal, alive, out);
    EXPECT_EQ(out, "begun");
    EXPECT_EQ(alive, 1);
    signal.notify();
    run(scheduler);
    EXPECT_EQ(out, "begun ended");
    EXPECT_EQ(alive, 0);
}

Detached lets_one_out() {
    (void)co_await fails();
}

TEST(Detached, AnEscapingExceptionStopsTheProcess) {
    EXPECT_DEATH(lets_one_out(), "left a detached coroutine");
}

}  // namespace
}  // namespace ticketgate
