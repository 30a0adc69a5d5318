// The buffer between loops and exporter: its bound, its order, and what it counts.
#include "trace/buffer.hpp"

#include <gtest/gtest.h>

#include "requests.hpp"

namespace ticketgate::trace {
namespace {

Finished numbered(Finished request, std::uint64_t number) {
    request.number = number;
    return request;
}

TEST(Buffer, KeepsNothingWithoutALimit) {
    Buffer buffer;
    buffer.push(answered());
    EXPECT_EQ(buffer.spans(), 0u);
    EXPECT_EQ(buffer.dropped(), 1u);
}

TEST(Buffer, DropsAndCountsWhatDoesNotFit) {
    Buffer buffer;
    buffer.limit(9);
    buffer.push(queued());
    buffer.push(queued());
    EXPECT_EQ(buffer.spans(), 8u);
    buffer.push(queued());
    EXPECT_EQ(buffer.dropped(), 4u) << "never a part of a request";
    buffer.push(answered());
    EXPECT_EQ(buffer.spans(), 9u);
    buffer.push(answered());
    EXPECT_EQ(buffer.dropped(), 5u);
    buffer.lose(2);
    EXPECT_EQ(buffer.dropped(), 7u);
}

TEST(Buffer, GivesTheOldestFirstInBatches) {
    Buffer buffer;
    buffer.limit(100);
    for (std::uint64_t i = 1; i <= 5; ++i) buffer.push(numbered(queued(), i));
    const auto first = buffer.take(8);
    ASSERT_EQ(first.size(), 2u);
    EXPECT_EQ(first[0].number, 1u);
    EXPECT_EQ(first[1].number, 2u);
    EXPECT_EQ(buffer.take(11).size(), 2u) << "a request is not split";
    EXPECT_EQ(buffer.take(1).size(), 1u) << "and one is always given";
    EXPECT_EQ(buffer.spans(), 0u);
    EXPECT_TRUE(buffer.take(8).empty());
}

TEST(Buffer, TellsOnceWhenItBecomesHalfFull) {
    Buffer buffer;
    int told = 0;
    buffer.on_half_full([&] { ++told; });
    buffer.limit(16);
    buffer.push(queued());
    EXPECT_EQ(told, 0);
    buffer.push(queued());
    EXPECT_EQ(told, 1);
    buffer.push(queued());
    EXPECT_EQ(told, 1);
    EXPECT_EQ(buffer.clear(), 12u);
    buffer.push(queued());
    buffer.push(queued());
    EXPECT_EQ(told, 2);
}

// Its clients choose the path and the state of a request: a number of spans is no bound of memory.
TEST(Buffer, IsBoundedInBytes) {
    Buffer buffer;
    buffer.limit(1000);
    int told = 0;
    buffer.on_half_full([&] { ++told; });
    Finished large = answered();
    large.path.assign(most_path, 'x');
    large.state.assign(most_state, 's');
    const std::size_t most = 1000 * Buffer::bytes_per_span, fit = most / large.bytes();
    ASSERT_GT(large.bytes(), sizeof(Finished) + most_path + most_state);
    ASSERT_LT(fit, 500u);
    for (int i = 0; i < 1000; ++i) buffer.push(large);
    EXPECT_EQ(buffer.spans(), fit);
    EXPECT_EQ(buffer.dropped(), 1000 - fit);
    EXPECT_LE(buffer.bytes(), most);
    EXPECT_EQ(told, 1) << "half of the bytes";
    EXPECT_EQ(buffer.take(10).size(), 10u);
    EXPECT_EQ(buffer.bytes(), (fit - 10) * large.bytes());
    buffer.push(large);
    EXPECT_EQ(buffer.spans(), fit - 9);
    EXPECT_EQ(buffer.clear(), fit - 9);
    EXPECT_EQ(buffer.bytes(), 0u);
}

TEST(Buffer, KeepsAllSpansOfOrdinaryRequests) {
    Buffer buffer;
    buffer.limit(1000);
    Finished request = answered();
    request.path.assign(200, 'x');
    for (int i = 0; i < 1000; ++i) buffer.push(request);
    EXPECT_EQ(buffer.spans(), 1000u);
}

TEST(Buffer, KeepsWhatIsThereUnderALowerLimit) {
    Buffer buffer;
    buffer.limit(8);
    buffer.push(queued());
    buffer.push(queued());
    buffer.limit(4);
    EXPECT_EQ(buffer.spans(), 8u);
    buffer.push(answered());
    EXPECT_EQ(buffer.dropped(), 1u);
}

}  // namespace
}  // namespace ticketgate::trace
