// When a problem of the store is told.
#include "replica/telling.hpp"

#include <gtest/gtest.h>

namespace ticketgate::replica {
namespace {

using Tell = Telling::Tell;

constexpr Time begun{100s};

TEST(Telling, TellsAProblemAndItsEndOnce) {
    Telling telling;
    EXPECT_EQ(telling.at(begun, ""), Tell::nothing);
    EXPECT_EQ(telling.at(begun, "refused"), Tell::problem);
    EXPECT_EQ(telling.at(begun + 1h, "refused"), Tell::nothing);
    EXPECT_EQ(telling.at(begun + 1h, ""), Tell::over);
    EXPECT_EQ(telling.at(begun + 1h, ""), Tell::nothing);
}

TEST(Telling, HoldsAnotherReasonBackAndTellsItBehindTheLimit) {
    Telling telling;
    telling.at(begun, "refused");
    EXPECT_EQ(telling.at(begun + 10ms, "lost its data"), Tell::nothing);
    EXPECT_EQ(telling.at(begun + Telling::between - 1ms, "lost its data"), Tell::nothing);
    EXPECT_EQ(telling.at(begun + Telling::between, "lost its data"), Tell::problem);
    EXPECT_EQ(telling.at(begun + 3 * Telling::between, "lost its data"), Tell::nothing);
}

TEST(Telling, DoesNotRepeatAReasonThatCameBackWithinTheLimit) {
    Telling telling;
    telling.at(begun, "refused");
    telling.at(begun + 10ms, "timed out");
    EXPECT_EQ(telling.at(begun + 20ms, "refused"), Tell::nothing);
    EXPECT_EQ(telling.at(begun + 2 * Telling::between, "refused"), Tell::nothing);
}

TEST(Telling, TellsEachProblemThatBeginsAnewAtOnce) {
    Telling telling;
    telling.at(begun, "refused");
    EXPECT_EQ(telling.at(begun + 10ms, ""), Tell::over);
    EXPECT_EQ(telling.at(begun + 20ms, "timed out"), Tell::problem);
}

}  // namespace
}  // namespace ticketgate::replica
