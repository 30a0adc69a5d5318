// The memory of frames: reused, never shared, and it may be freed on another thread.
#include "task/frames.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace ticketgate::task_frames {
namespace {

TEST(Frames, AreReused) {
    for (const std::size_t size : {1u, 100u, 128u, 129u, 1000u, 2048u}) {
        void* first = allocate(size);
        release(first, size);
        void* second = allocate(size);
        EXPECT_EQ(first, second) << size;
        release(second, size);
    }
}

TEST(Frames, AreReusedWithinOneSizeClass) {
    void* first = allocate(129);
    release(first, 129);
    void* second = allocate(136);
    EXPECT_EQ(first, second);
    std::memset(second, 1, 136);  // ASan reports a block that is too small
    release(second, 136);
}

TEST(Frames, AreNotReusedForAnotherSizeClass) {
    void* small = allocate(136);
    release(small, 136);
    void* large = allocate(137);
    EXPECT_NE(small, large);
    std::memset(large, 1, 137);
    release(large, 137);
}

TEST(Frames, InUseAreNeverShared) {
    std::set<void*> in_use;
    std::vector<std::pair<void*, std::size_t>> frames;
    for (int round = 0; round < 3; ++round) {
        for (std::size_t size = 1; size < 5000; size += 37) {
            void* frame = allocate(size);
            EXPECT_TRUE(in_use.insert(frame).second);
            std::memset(frame, round, size);
            frames.emplace_back(frame, size);
        }
        if (round == 1) continue;
        for (const auto& [frame, size] : frames) release(frame, size);
        frames.clear();
        in_use.clear();
    }
}

TEST(Frames, ReturnABurstToTheHeap) {
    std::vector<void*> burst(1000);
    for (void*& frame : burst) frame = allocate(512);
    for (void* frame : burst)
        release(frame, 512);  // most go back to the heap: no leak, no double free
    std::set<void*> again;
    for (void*& frame : burst) again.insert(frame = allocate(512));
    EXPECT_EQ(again.size(), burst.size());
    for (void* frame : burst) release(frame, 512);
}

TEST(Frames, MayBeFreedOnAnotherThread) {
    void* frame = allocate(300);
    std::thread other([frame] {
        release(frame, 300);
        void* mine = allocate(300);
        EXPECT_EQ(mine, frame);
        release(mine, 300);
    });
    other.join();  // the thread's pool ends with it
    void* fresh = allocate(300);
    std::memset(fresh, 1, 300);
    release(fresh, 300);
}

TEST(Frames, ServeSharedObjectsToo) {
    const Allocator<std::string> allocator;
    const void* first = nullptr;
    {
        const auto object = std::allocate_shared<std::string>(allocator, "one");
        first = object.get();
    }
    const auto object = std::allocate_shared<std::string>(allocator, "two");
    EXPECT_EQ(object.get(), first);
    EXPECT_EQ(*object, "two");
}

}  // namespace
}  // namespace ticketgate::task_frames
