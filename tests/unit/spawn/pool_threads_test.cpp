#include "spawn/pool.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "dying.hpp"
#include "support/patience.hpp"

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

// A worker with a link that runs nothing, on a loop that its test turns.
struct OneWorker {
    OneWorker() {
        pool->configure({.min = 0, .max = 1}, 0);
        worker->link = std::make_unique<NotesWhereItEnds>(loop, ended_on);
        pool->started(*worker, loop);
        pool->idle(*worker);
    }
    ~OneWorker() {
        (void)pool->ended(*worker);
        loop.run_once({});  // the errands that keep it have run
        worker.reset();
        loop.run_once({});
    }
    // A request that gets the worker and is sent to it.
    void serve() {
        EXPECT_EQ(pool->take(std::make_shared<Waiter>(loop)), worker);
        pool->serves(*worker, "one");
    }

    net::Loop loop{0};
    std::thread::id ended_on;
    const std::shared_ptr<Pool> pool = std::make_shared<Pool>(
        "app", [](const Pool&) {}, nullptr);
    std::shared_ptr<Worker> worker = pool->add({});
};

// One that begins with it and fails at once ends later, whenever its program was seen to run.
TEST(PoolThreads, AWorkerWasStartedWhenItsProcessBegan) {
    OneWorker at;
    const auto next = at.pool->add({});
    const Time begun = next->started;
    next->link = std::make_unique<NotesWhereItEnds>(at.loop, at.ended_on);
    at.pool->started(*next, at.loop);
    EXPECT_EQ(next->started, begun);
    EXPECT_NE(begun, Time{});
    (void)at.pool->ended(*next);
    at.loop.run_once({});
}

// Its connection is kept, and it reads from it when its request is over.
TEST(PoolThreads, AWorkerToWhichNothingCanBePassedGetsNoRequest) {
    OneWorker at;
    at.serve();
    at.pool->parted(*at.worker);
    const Time parted = *at.worker->parted;
    EXPECT_TRUE(at.pool->works(*at.worker));
    EXPECT_TRUE(at.pool->orders({}, 10s, parted).stop.empty()) << "it may be dying";
    at.pool->idle(*at.worker);
    EXPECT_FALSE(at.pool->works(*at.worker));
    const auto waiter = std::make_shared<Waiter>(at.loop);
    EXPECT_EQ(at.pool->take(waiter), nullptr);
    EXPECT_EQ(at.pool->view().at(0).state, WorkerState::stopping);
    const auto later = at.pool->orders({}, 10s, parted + 100ms);
    ASSERT_EQ(later.stop.size(), 1u);
    EXPECT_EQ(later.stop[0]->ending, Ending::protocol);
    at.pool->cancel(*waiter);
}

// Its descriptors are closed, and the machine takes long over the rest: it has broken no rule.
TEST(PoolThreads, AWorkerThatDiesSlowlyIsNotToldToEnd) {
    Dying child;
    OneWorker at;
    at.worker->life = Life(child.pid);
    ASSERT_TRUE(test::eventually([&] { return at.worker->life.ends(); }));
    at.serve();
    at.pool->parted(*at.worker);
    const Time parted = *at.worker->parted;
    const auto orders = at.pool->orders({}, 10s, parted + 9s);
    EXPECT_TRUE(orders.stop.empty());
    EXPECT_EQ(orders.look_again, parted + 10s);
    EXPECT_EQ(at.worker->ending, Ending::none);
    EXPECT_EQ(at.pool->orders({}, 10s, parted + 10s).stop.size(), 1u) << "it takes too long";
}

TEST(PoolThreads, AnIdleWorkerToWhichNothingCanBePassedGetsNoRequest) {
    OneWorker at;
    at.pool->parted(*at.worker);
    const auto waiter = std::make_shared<Waiter>(at.loop);
    EXPECT_EQ(at.pool->take(waiter), nullptr);
    at.pool->cancel(*waiter);
}

TEST(PoolThreads, AWorkerThatEndsItsConnectionsIsToldToEndAfterStartTimeoutFromTheFirstOne) {
    OneWorker at;
    at.serve();
    at.pool->refuses(*at.worker);
    const Time first = *at.worker->refuses;
    at.pool->refuses(*at.worker);
    EXPECT_EQ(at.pool->orders({}, 10s, first).look_again, first + 10s);
    EXPECT_EQ(at.pool->trouble(), "") << "it may be dying";
    EXPECT_TRUE(at.pool->orders({}, 10s, first + 1s).stop.empty());
    EXPECT_NE(at.pool->trouble(), "");
    const auto orders = at.pool->orders({}, 10s, first + 10s);
    ASSERT_EQ(orders.stop.size(), 1u);
    EXPECT_EQ(orders.stop[0]->ending, Ending::late);
    EXPECT_TRUE(at.pool->works(*at.worker)) << "until it has ended";
}

// Nobody starts another one that would end the trouble.
TEST(PoolThreads, TheTroubleOfAWorkerEndsWithItBesideOneThatWorks) {
    OneWorker at;
    const auto alone = std::make_shared<Pool>(
        "app", [](const Pool&) {}, nullptr);
    for (const auto& pool : {at.pool, alone}) {
        const auto late = pool->add({});
        late->was_idle = true;
        (void)pool->orders({}, 1s, late->since + 1s);
        pool->trouble("did not wait for a request");
        (void)pool->ended(*late);
    }
    EXPECT_EQ(at.pool->trouble(), "");
    EXPECT_NE(alone->trouble(), "");
}

TEST(PoolThreads, AWorkerThatWaitsForARequestAgainIsNotToldToEnd) {
    OneWorker at;
    at.serve();
    (void)at.pool->news();
    at.pool->refuses(*at.worker);
    at.pool->idle(*at.worker);
    EXPECT_TRUE(at.pool->news().started) << "what was said of it is over";
    EXPECT_TRUE(at.pool->orders({}, 1s, monotonic_now() + 10s).stop.empty());
}

// It has ended a connection of before, and took the request's.
TEST(PoolThreads, AWorkerThatServesIsNotToldToEnd) {
    OneWorker at;
    EXPECT_EQ(at.pool->take(std::make_shared<Waiter>(at.loop)), at.worker);
    at.pool->refuses(*at.worker);
    at.pool->serves(*at.worker, "one");
    EXPECT_TRUE(at.pool->orders({}, 1s, monotonic_now() + 10s).stop.empty());
}

// A request that could not be sent to it has gone to another one.
TEST(PoolThreads, AWorkerThatIsSparedARequestHasStartTimeoutToWaitForAnother) {
    OneWorker at;
    at.serve();
    at.pool->spared(*at.worker);
    EXPECT_EQ(at.pool->view().at(0).state, WorkerState::starting);
    EXPECT_EQ(at.pool->orders({}, 10s, at.worker->since).look_again, at.worker->since + 10s);
    EXPECT_EQ(at.pool->orders({}, 10s, at.worker->since + 10s).stop.size(), 1u);
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
    (void)pool->orders({}, 10s, worker->since);  // later it may be idle for too long already
    for (int i = 0; i < 3; ++i) {
        asked = 0;
        pool->idle(*worker);
        pool->idle(*worker);
        EXPECT_EQ(asked, 0) << "the look that is planned comes in time";
    }
    EXPECT_LE(*pool->orders({}, 10s, worker->since).look_again, worker->since + 20ms);
    // The next look is planned for a time that this test does not reach.
    pool->configure({.min = 0, .max = 1, .idle_timeout = 10h}, 0);
    (void)pool->orders({}, 10h, worker->since + 1h);
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
