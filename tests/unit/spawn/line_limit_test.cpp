#include "spawn/line_limit.hpp"

#include <gtest/gtest.h>

namespace ticketgate::spawn {
namespace {

constexpr std::uint32_t burst = LineLimit::burst, per_second = LineLimit::per_second;
const Time start{1h};

// How many of so many lines are taken at that time, of a worker that has said its first ones.
std::uint32_t taken(LineLimit& limit, std::uint32_t lines, Time now, std::size_t bytes = 10) {
    Speech speech{.first_lines = LineLimit::first_lines};
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < lines; ++i)
        count += limit.takes(std::string(bytes, 'x'), speech, now) ? 1 : 0;
    EXPECT_EQ(speech.dropped, lines - count);
    return count;
}

TEST(LineLimit, TakesABurstThenASteadyRate) {
    LineLimit limit;
    EXPECT_EQ(taken(limit, 10000, start), burst);
    EXPECT_EQ(taken(limit, 10000, start), 0u);
    EXPECT_EQ(taken(limit, 10000, start + 1s), per_second);
    EXPECT_EQ(taken(limit, 10000, start + 3s), 2 * per_second);
    EXPECT_EQ(taken(limit, 10000, start + 1h), burst);
}

TEST(LineLimit, NeverDropsAWorkerThatKeepsToTheRate) {
    LineLimit limit;
    for (std::uint32_t i = 0; i < 20 * burst; ++i)
        EXPECT_EQ(taken(limit, 1, start + i * (Duration(1s) / per_second)), 1u);
}

TEST(LineLimit, CountsALongLineByItsLength) {
    LineLimit limit;
    EXPECT_EQ(taken(limit, 10000, start, LineLimit::line_bytes * 8), burst / 8);
    LineLimit other;
    EXPECT_EQ(taken(other, 10000, start, LineLimit::line_bytes + 1), burst / 2);
}

// However much the others write, and without a debt that would silence them afterwards.
TEST(LineLimit, TakesTheFirstLinesOfEachWorker) {
    LineLimit limit;
    (void)taken(limit, 10000, start);
    for (int worker = 0; worker < 100; ++worker) {
        Speech speech;
        std::uint32_t count = 0;
        for (int i = 0; i < 1000; ++i) count += limit.takes("why", speech, start) ? 1 : 0;
        EXPECT_EQ(count, LineLimit::first_lines);
    }
    EXPECT_EQ(taken(limit, 10000, start + 1s), per_second);
}

TEST(LineLimit, CountsWhatItDropsAndKeepsTheLast) {
    LineLimit limit;
    Speech one, other;
    for (std::uint32_t i = 0; i < burst + 7; ++i) (void)limit.takes(std::to_string(i), one, start);
    for (std::uint32_t i = 0; i < 30; ++i) (void)limit.takes("other", other, start);
    EXPECT_EQ(one.dropped, 7u);
    EXPECT_EQ(one.last, std::to_string(burst + 6));
    EXPECT_EQ(other.dropped, 30 - LineLimit::first_lines);
}

TEST(LineLimit, LetsAWorkerBeReportedAtOnceThenAtIntervals) {
    Speech speech;
    EXPECT_FALSE(is_to_report(speech, start, true));
    speech.dropped = 1;
    EXPECT_TRUE(is_to_report(speech, start, false));
    speech.reported = start;
    EXPECT_FALSE(is_to_report(speech, start + 4s, false));
    EXPECT_TRUE(is_to_report(speech, start + 4s, true));
    EXPECT_TRUE(is_to_report(speech, start + 5s, false));
}

}  // namespace
}  // namespace ticketgate::spawn
