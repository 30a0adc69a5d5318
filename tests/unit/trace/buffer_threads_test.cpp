// The buffer with loops that fill it and an exporter that empties it, at one time.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "requests.hpp"
#include "trace/buffer.hpp"

namespace ticketgate::trace {
namespace {

TEST(BufferThreads, GiveOrDropEachSpanOnce) {
    constexpr std::size_t threads = 3, requests = 2000;
    Buffer buffer;
    std::atomic<int> told = 0;
    buffer.on_half_full([&] { ++told; });
    buffer.limit(64);
    std::vector<std::thread> loops;
    std::atomic<std::size_t> ended = 0;
    for (std::size_t i = 0; i < threads; ++i)
        loops.emplace_back([&] {
            for (std::size_t j = 0; j < requests; ++j) buffer.push(queued());
            ++ended;
        });
    std::size_t taken = 0;
    while (ended < threads || buffer.spans() != 0)
        for (const auto& request : buffer.take(16)) taken += request.spans();
    for (auto& loop : loops) loop.join();
    EXPECT_EQ(taken + buffer.dropped(), threads * requests * 4);
    EXPECT_GT(taken, 0u);
}

}  // namespace
}  // namespace ticketgate::trace
