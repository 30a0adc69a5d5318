#include "disk/readers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <new>
#include <thread>
#include <vector>

#include "support/patience.hpp"

namespace ticketgate::disk {
namespace {

// Holds back the work of tasks until it is opened.
class Door {
 public:
    void open() {
        const std::scoped_lock lock(lock_);
        open_ = true;
        changed_.notify_all();
    }
    void pass() {
        std::unique_lock lock(lock_);
        ++waiting_;
        changed_.wait(lock, [this] { return open_; });
    }
    int waiting() {
        const std::scoped_lock lock(lock_);
        return waiting_;
    }

 private:
    std::mutex lock_;
    std::condition_variable changed_;
    bool open_ = false;
    int waiting_ = 0;
};

class Counted final : public Task {
 public:
    explicit Counted(std::atomic<int>& count, Door* door = nullptr) : count_(count), door_(door) {}

 private:
    void work() override {
        if (door_ != nullptr) door_->pass();
        ++count_;
    }
    std::atomic<int>& count_;
    Door* const door_;
};

class Waiter final : public Observer {
 public:
    void notify() override { ++notified; }
    int notified = 0;
};

TEST(ReadersThreads, GiveEachTaskBackToItsLoop) {
    net::Loop loop(0);
    Readers readers;
    std::atomic<int> count{0};
    Waiter waiter;
    std::vector<std::shared_ptr<Task>> tasks;
    for (int i = 0; i < 100; ++i) {
        tasks.push_back(std::make_shared<Counted>(count));
        tasks.back()->notify(&waiter);
        EXPECT_TRUE(readers.submit("/a", tasks.back(), loop));
    }
    EXPECT_TRUE(test::eventually([&] {
        loop.run_once(1ms);
        return waiter.notified == 100;
    }));
    EXPECT_EQ(count, 100);
    for (const auto& task : tasks) EXPECT_TRUE(task->done());
}

class WithoutMemory final : public Task {
    void work() override { throw std::bad_alloc(); }
};

TEST(ReadersThreads, GiveATaskBackThatHasNoMemoryAndGoOn) {
    net::Loop loop(0);
    Readers readers;
    readers.limit({.threads = 1, .max_waiting = 9});
    std::atomic<int> count{0};
    Waiter waiter;
    const auto failing = std::make_shared<WithoutMemory>();
    const auto next = std::make_shared<Counted>(count);
    for (const std::shared_ptr<Task>& task :
         {std::shared_ptr<Task>(failing), std::shared_ptr<Task>(next)}) {
        task->notify(&waiter);
        EXPECT_TRUE(readers.submit("/a", task, loop));
    }
    EXPECT_TRUE(test::eventually([&] {
        loop.run_once(1ms);
        return waiter.notified == 2;
    }));
    EXPECT_TRUE(failing->done() && failing->failed());
    EXPECT_FALSE(next->failed());
    EXPECT_EQ(count, 1);
}

TEST(ReadersThreads, RefuseWhatIsTooMuch) {
    net::Loop loop(0);
    std::atomic<int> count{0};
    Door door;
    Readers readers;
    readers.limit({.threads = 2, .max_waiting = 3});
    int taken = 0;
    for (int i = 0; i < 2; ++i)
        taken += readers.submit("/a", std::make_shared<Counted>(count, &door), loop);
    EXPECT_TRUE(test::eventually([&] { return door.waiting() == 2; }));
    for (int i = 0; i < 10; ++i)
        taken += readers.submit("/a", std::make_shared<Counted>(count, &door), loop);
    EXPECT_EQ(taken, 5);
    // the next part of an answer that has begun
    EXPECT_TRUE(
        readers.submit("/a", std::make_shared<Counted>(count, &door), loop, Readers::For::begun));
    door.open();
    EXPECT_TRUE(test::eventually([&] { return count == 6; }));
    EXPECT_TRUE(readers.submit("/a", std::make_shared<Counted>(count), loop));
}

TEST(ReadersThreads, DoNoWorkThatNobodyWants) {
    net::Loop loop(0);
    std::atomic<int> count{0}, other{0};
    Door door;
    Readers readers;
    readers.limit({.threads = 1, .max_waiting = 10});
    EXPECT_TRUE(readers.submit("/a", std::make_shared<Counted>(other, &door), loop));
    const auto left = std::make_shared<Counted>(count);
    EXPECT_TRUE(readers.submit("/a", left, loop));
    left->notify(nullptr);
    const auto last = std::make_shared<Counted>(other);
    EXPECT_TRUE(readers.submit("/a", last, loop));
    door.open();
    EXPECT_TRUE(test::eventually([&] {
        loop.run_once(1ms);
        return last->done();
    }));
    EXPECT_EQ(count, 0);
    EXPECT_EQ(other, 2);
}

// A disk that hangs has its own threads and its own places.
TEST(ReadersThreads, ServeOneRootThoughAnotherHangs) {
    net::Loop loop(0);
    std::atomic<int> hung{0}, count{0};
    Door door;
    Readers readers;
    readers.limit({.threads = 2, .max_waiting = 3});
    while (readers.submit("/hangs", std::make_shared<Counted>(hung, &door), loop)) {
    }
    EXPECT_TRUE(test::eventually([&] { return door.waiting() == 2; }));
    for (int i = 0; i < 5; ++i)
        EXPECT_TRUE(readers.submit("/healthy", std::make_shared<Counted>(count), loop));
    EXPECT_TRUE(test::eventually([&] { return count == 5; }));
    EXPECT_EQ(hung, 0);
    EXPECT_EQ(door.waiting(), 2);
    door.open();
    EXPECT_TRUE(test::eventually([&] { return hung == 5; }));
}

// The idle threads of a higher limit heard the call for a task, left, and told nobody.
TEST(ReadersThreads, ServeEveryTaskAfterTheLimitIsLowered) {
    net::Loop loop(0);
    std::atomic<int> count{0};
    Door door;
    Readers readers;
    readers.limit({.threads = 8, .max_waiting = 100});
    for (int i = 0; i < 8; ++i)
        EXPECT_TRUE(readers.submit("/a", std::make_shared<Counted>(count, &door), loop));
    EXPECT_TRUE(test::eventually([&] { return door.waiting() == 8; }));
    door.open();
    EXPECT_TRUE(test::eventually([&] { return count == 8; }));
    readers.limit({.threads = 1, .max_waiting = 100});
    for (int i = 9; i < 30; ++i) {
        EXPECT_TRUE(readers.submit("/a", std::make_shared<Counted>(count), loop));
        EXPECT_TRUE(test::eventually([&] { return count == i; }));
    }
}

TEST(ReadersThreads, ServeWhatWaitsAfterTheLimitIsRaised) {
    net::Loop loop(0);
    std::atomic<int> count{0};
    Door door;
    Readers readers;
    readers.limit({.threads = 1, .max_waiting = 100});
    for (int i = 0; i < 4; ++i)
        EXPECT_TRUE(readers.submit("/a", std::make_shared<Counted>(count, &door), loop));
    EXPECT_TRUE(test::eventually([&] { return door.waiting() == 1; }));
    readers.limit({.threads = 3, .max_waiting = 100});
    EXPECT_TRUE(test::eventually([&] { return door.waiting() == 3; }));
    door.open();
    EXPECT_TRUE(test::eventually([&] { return count == 4; }));
}

TEST(ReadersThreads, CloseWhatMayWaitAlsoWhenTheyAreGone) {
    std::function<void(Descriptor, std::uint64_t)> close;
    const auto is_closed = [&] {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        const Descriptor reader(ends[0]);
        close(Descriptor(ends[1]), 7);
        char byte = 0;
        return ::read(reader.get(), &byte, 1) == 0;  // waits for the last writer's close
    };
    {
        Readers readers;
        close = readers.closer();
        EXPECT_TRUE(is_closed());
    }
    EXPECT_TRUE(is_closed());
}

// The disk holds a thread for ever: the end does not wait for it.
TEST(ReadersThreads, EndThoughADiskHangs) {
    std::atomic<int> count{0};
    Door door;
    {
        net::Loop loop(0);
        Readers readers;
        EXPECT_TRUE(readers.submit("/a", std::make_shared<Counted>(count, &door), loop));
        EXPECT_TRUE(test::eventually([&] { return door.waiting() == 1; }));
    }
    EXPECT_EQ(count, 0);
    door.open();
    EXPECT_TRUE(test::eventually([&] { return count == 1; }));
}

}  // namespace
}  // namespace ticketgate::disk
