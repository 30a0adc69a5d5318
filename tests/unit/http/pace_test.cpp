#include "http/pace.hpp"

#include <gtest/gtest.h>

namespace ticketgate::http {
namespace {

using std::chrono::seconds;

// Feeds `bytes` every `step` for `length`. Returns when the pace was too slow, or `never`.
Duration too_slow_after(Pace pace, std::uint64_t bytes, Duration step, Duration length) {
    const Time begin{};
    pace.start(begin);
    for (Duration at = step; at <= length; at += step)
        if (!pace.took(bytes, begin + at)) return at;
    return never;
}

TEST(Pace, AClientThatKeepsTheRateMayGoOnForEver) {
    EXPECT_EQ(too_slow_after(Pace(500, 30s), 500, 1s, 24h), never);
    EXPECT_EQ(too_slow_after(Pace(500, 30s), 10000, 20s, 24h), never) << "in bursts too";
}

TEST(Pace, ATrickleEndsSoonAfterThePatience) {
    EXPECT_EQ(too_slow_after(Pace(500, 30s), 1, 1s, 24h), 31s);
    // At half the rate each second costs half a second of patience.
    EXPECT_EQ(too_slow_after(Pace(500, 30s), 250, 1s, 24h), 60s);
}

TEST(Pace, AFastStartDoesNotExcuseASlowEnd) {
    Pace pace(500, 30s);
    const Time begin{};
    pace.start(begin);
    EXPECT_TRUE(pace.took(1 << 30, begin + 1s));
    EXPECT_TRUE(pace.took(1, begin + 30s));
    EXPECT_FALSE(pace.took(1, begin + 32s));
}

TEST(Pace, TimeInWhichNobodyReadsDoesNotCount) {
    Pace pace(500, 30s);
    const Time begin{};
    pace.start(begin);
    EXPECT_TRUE(pace.took(1, begin + 20s));
    pace.pause();
    EXPECT_TRUE(pace.took(1, begin + 1000s));
    EXPECT_TRUE(pace.took(1, begin + 1009s));
    EXPECT_FALSE(pace.took(1, begin + 1011s)) << "a pause gives nothing back";
}

TEST(Pace, StartingAgainWhileItRunsChangesNothing) {
    Pace pace(500, 30s);
    const Time begin{};
    pace.start(begin);
    pace.start(begin + 29s);
    EXPECT_FALSE(pace.took(1, begin + 31s));
}

TEST(Pace, WithoutARateNoClientIsTooSlow) {
    EXPECT_EQ(too_slow_after(Pace(0, 1s), 1, 1h, 100h), never);
    EXPECT_EQ(too_slow_after(Pace(), 0, 1h, 100h), never);
}

}  // namespace
}  // namespace ticketgate::http
