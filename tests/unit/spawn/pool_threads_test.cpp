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

}  // namespace
}  // namespace ticketgate::spawn
