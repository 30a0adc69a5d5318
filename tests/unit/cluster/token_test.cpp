#include "cluster/token.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ticketgate::cluster {
namespace {

constexpr WallTime at(std::int64_t seconds) {
    return {seconds * 1'000'000};
}

TEST(Epochs, FollowTheClock) {
    EXPECT_EQ(next_epoch(0, at(1'800'000'000)), 1'800'000'000U);
}

TEST(Epochs, RiseWhateverTheClockSays) {
    EXPECT_EQ(next_epoch(1'800'000'000, at(1'800'000'000)), 1'800'000'001U);
    EXPECT_EQ(next_epoch(1'800'000'000, at(1'700'000'000)), 1'800'000'001U);
    EXPECT_EQ(next_epoch(1'800'000'000, at(-5)), 1'800'000'001U);
}

TEST(Epochs, DoNotBelieveAClockThatShowsAYearBehind2200) {
    EXPECT_EQ(next_epoch(1'800'000'000, at(static_cast<std::int64_t>(last_clock))), 1'800'000'001U);
    EXPECT_EQ(next_epoch(0, at(static_cast<std::int64_t>(last_clock) * 10)), first_epoch);
}

TEST(Tokens, HaveNineteenDigits) {
    EXPECT_EQ(std::to_string(numbers_before(first_epoch) + 1).size(), 19U);
    EXPECT_EQ(std::to_string(numbers_before(last_clock) + 2 * grants_an_epoch).size(), 19U);
    EXPECT_LT(numbers_before(last_clock), std::uint64_t{1} << 63);
}

TEST(Tokens, OfAnEpochStayBelowThoseOfTheNext) {
    EXPECT_LT(numbers_before(1'800'000'000) + grants_an_epoch, numbers_before(1'800'000'001));
    EXPECT_EQ(numbers_before(1'795'340'032), 1'927'731'680'659'898'368U);
}

}  // namespace
}  // namespace ticketgate::cluster
