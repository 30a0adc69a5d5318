#include "net/loop_thread.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ticketgate::net {
namespace {

TEST(LoopThread, RunsItsLoopFromRunOn) {
    Loop loop(0);
    std::atomic<int> turns = 0;
    LoopThread thread;
    loop.post([&] { ++turns; });
    loop.post([&] { loop.stop(); });
    EXPECT_EQ(turns, 0);
    thread.run(loop);
    thread.join();
    EXPECT_EQ(turns, 1);
}

TEST(LoopThread, EndsWithoutALoopAndWithOneThatRuns) {
    Loop loop(0);
    std::vector<LoopThread> threads(3);
    threads[1].run(loop);
}

TEST(LoopThread, MayMoveBeforeItRuns) {
    Loop loop(0);
    LoopThread first;
    LoopThread second(std::move(first));
    loop.post([&] { loop.stop(); });
    second.run(loop);
    second.join();
}

}  // namespace
}  // namespace ticketgate::net
