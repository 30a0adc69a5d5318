#include "spawn/pool.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace ticketgate::spawn {
namespace {

class NotesWhereItEnds final : public Link {
 public:
    NotesWhereItEnds(net::Loop& loop, std::thread::id& ended_on)
        : loop_(loop), ended_on_(ended_on) {}
    ~NotesWhereItEnds() override {
        ended_on_ = std::this_thread::get_id();
        loop_.stop();
    }
    void arrive(net::Loop&) noexcept override {}
    bool leave() noexcept override { return true; }
    bool close() noexcept override { return true; }
    bool process_ended() noexcept override { return true; }

 private:
    net::Loop& loop_;
    std::thread::id& ended_on_;
};

// The streams of a link are in the tables of its loop.
TEST(PoolThreads, AWorkerIsFreedOnItsLoopWhoeverDropsItLast) {
    net::Loop loop(0);
    std::thread::id loops_thread, ended_on;
    const auto pool = std::make_shared<Pool>(
        "app", [](const Pool&) {}, nullptr);
    std::shared_ptr<Worker> worker = pool->add({});
    worker->link = std::make_unique<NotesWhereItEnds>(loop, ended_on);
    pool->started(*worker, loop);
    (void)pool->ended(*worker);
    loop.run_once({});  // the errands that keep it have run
    EXPECT_EQ(worker.use_count(), 1);
    std::jthread thread([&] {
        loops_thread = std::this_thread::get_id();
        loop.run();
    });
    worker.reset();
    thread.join();
    EXPECT_EQ(ended_on, loops_thread);
}

TEST(PoolThreads, AWorkerIsFreedAtOnceWhenTheLoopsHaveStopped) {
    net::Loop loop(0);
    std::thread::id ended_on;
    const auto pool = std::make_shared<Pool>(
        "app", [](const Pool&) {}, nullptr);
    std::shared_ptr<Worker> worker = pool->add({});
    worker->link = std::make_unique<NotesWhereItEnds>(loop, ended_on);
    pool->started(*worker, loop);
    loop.run_once({});
    pool->stop();
    (void)pool->ended(*worker);
    worker.reset();
    EXPECT_EQ(ended_on, std::this_thread::get_id());
}

// The next look comes in time for start_timeout and idle_timeout, however short they are.
TEST(PoolThreads, IsLookedAtWhenAStartIsOverdue) {
    const auto pool = std::make_shared<Pool>(
        "app", [](const Pool&) {}, nullptr);
    pool->configure({.min = 1, .max = 1}, 0);
    const auto worker = pool->add({});
    const Time begun = worker->since;
    EXPECT_EQ(pool->orders({}, 50ms, begun).look_again, begun + 50ms);
    const auto orders = pool->orders({}, 50ms, begun + 50ms);
    ASSERT_EQ(orders.stop.size(), 1u);
    EXPECT_EQ(orders.stop[0]->ending, Ending::late);
    (void)pool->ended(*worker);
}

TEST(PoolThreads, AsksForALookWhenAWorkerAboveMinWillBeIdleForTooLongBeforeTheNextOne) {
    net::Loop loop(0);
    std::thread::id ended_on;
    int asked = 0;
    const auto pool = std::make_shared<Pool>(
        "app", [&](const Pool&) { ++asked; }, nullptr);
    pool->configure({.min = 0, .max = 1, .idle_timeout = 20ms}, 0);
    std::shared_ptr<Worker> worker = pool->add({});
    worker->link = std::make_unique<NotesWhereItEnds>(loop, ended_on);
    pool->started(*worker, loop);
    pool->idle(*worker);
    (void)pool->orders({}, 10s, monotonic_now());
    for (int i = 0; i < 3; ++i) {
        asked = 0;
        pool->idle(*worker);
        pool->idle(*worker);
        EXPECT_EQ(asked, 0) << "the look that is planned comes in time";
    }
    EXPECT_LE(*pool->orders({}, 10s, worker->since).look_again, worker->since + 20ms);
    pool->configure({.min = 0, .max = 1, .idle_timeout = 10s}, 0);
    (void)pool->orders({}, 10s, monotonic_now());
    pool->configure({.min = 0, .max = 1, .idle_timeout = 20ms}, 0);
    asked = 0;
    pool->idle(*worker);
    pool->idle(*worker);
    EXPECT_EQ(asked, 1);
    (void)pool->ended(*worker);
    loop.run_once({});  // the errands that keep it have run
    worker.reset();
    loop.run_once({});
}

}  // namespace
}  // namespace ticketgate::spawn
