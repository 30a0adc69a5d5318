#include "metrics/metric.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <thread>

namespace ticketgate::metrics {
namespace {

TEST(Counter, Counts) {
    Counter counter;
    counter.add();
    counter.add(41);
    EXPECT_EQ(counter.value(), 42u);
}

TEST(Gauge, GoesUpAndDown) {
    Gauge gauge;
    gauge.set(2.5);
    gauge.add(-4);
    EXPECT_EQ(gauge.value(), -1.5);
}

TEST(Histogram, ABoundBelongsToItsBucket) {
    Histogram histogram(std::array{0.5, 1.0, 2.0});
    for (const double value : {0.0, 0.5, 0.50001, 1.0, 2.0, 2.1, 1e9}) histogram.observe(value);
    EXPECT_EQ(histogram.count(0), 2u);
    EXPECT_EQ(histogram.count(1), 2u);
    EXPECT_EQ(histogram.count(2), 1u);
    EXPECT_EQ(histogram.count(3), 2u);
    EXPECT_DOUBLE_EQ(histogram.sum(), 0.5 + 0.50001 + 1 + 2 + 2.1 + 1e9);
}

TEST(Histogram, NotANumberIsInTheLastBucket) {
    Histogram histogram(std::array{1.0});
    histogram.observe(std::nan(""));
    EXPECT_EQ(histogram.count(1), 1u);
}

// One writer, one reader at the same time: for the thread sanitizer, and that values only rise.
TEST(Metrics, AReaderMayLookWhileAWriterWrites) {
    Counter counter;
    Histogram histogram(std::array{1.0, 2.0});
    std::jthread writer([&] {
        for (int i = 0; i < 100'000; ++i) {
            counter.add();
            histogram.observe(i % 3);
        }
    });
    std::uint64_t last = 0;
    while (last < 100'000) {
        const auto now = counter.value();
        ASSERT_GE(now, last);
        last = now;
        (void)histogram.count(2);
    }
    writer.join();
    EXPECT_EQ(histogram.count(0) + histogram.count(1) + histogram.count(2), 100'000u);
}

}  // namespace
}  // namespace ticketgate::metrics
