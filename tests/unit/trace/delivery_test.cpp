// What becomes of a batch by the collector's reply: taken, tried again after a pause, or dropped.
#include "trace/delivery.hpp"

#include <gtest/gtest.h>

namespace ticketgate::trace {
namespace {

TEST(Delivery, KnowsTheRepliesOfOtlp) {
    for (const unsigned status : {200u, 202u}) EXPECT_EQ(reply_of(status), Reply::taken);
    for (const unsigned status : {429u, 502u, 503u, 504u})
        EXPECT_EQ(reply_of(status), Reply::later);
    for (const unsigned status : {301u, 400u, 401u, 404u, 413u, 500u, 501u})
        EXPECT_EQ(reply_of(status), Reply::refused) << status;
}

TEST(Delivery, GoesOnAtOnceAfterASuccess) {
    Delivery delivery;
    const auto next = delivery.after(Reply::taken, 0s, 0);
    EXPECT_FALSE(next.again || next.lost);
    EXPECT_EQ(next.pause, 0s);
    EXPECT_FALSE(delivery.failing() || delivery.changed());
}

TEST(Delivery, TriesABatchFiveTimesWithLongerPauses) {
    Delivery delivery;
    const Duration pauses[] = {1s, 2s, 4s, 8s, 16s};
    for (unsigned i = 0; i < most_tries; ++i) {
        const auto next = delivery.after(i % 2 == 0 ? Reply::none : Reply::later, 0s, 0);
        EXPECT_EQ(next.pause, pauses[i]);
        EXPECT_EQ(next.again, i + 1 < most_tries);
        EXPECT_EQ(next.lost, i + 1 == most_tries);
        EXPECT_TRUE(delivery.failing());
        EXPECT_EQ(delivery.changed(), i == 0) << "told once";
    }
    const auto other = delivery.after(Reply::none, 0s, 0);
    EXPECT_TRUE(other.again) << "the next batch has its own tries";
    EXPECT_EQ(other.pause, longest_pause);
    (void)delivery.after(Reply::taken, 0s, 0);
    EXPECT_FALSE(delivery.failing());
    EXPECT_TRUE(delivery.changed());
    EXPECT_EQ(delivery.after(Reply::none, 0s, 0).pause, 1s);
}

TEST(Delivery, DropsARefusedBatchAtOnceButPauses) {
    Delivery delivery;
    const auto next = delivery.after(Reply::refused, 0s, 0);
    EXPECT_FALSE(next.again);
    EXPECT_TRUE(next.lost);
    EXPECT_EQ(next.pause, 1s);
}

TEST(Delivery, PausesAsLongAsTheCollectorAsks) {
    Delivery delivery;
    EXPECT_EQ(delivery.after(Reply::later, 7s, 0).pause, 7s);
    EXPECT_EQ(delivery.after(Reply::later, 1h, 0).pause, longest_pause);
    EXPECT_EQ(delivery.after(Reply::later, 0s, 0).pause, 4s);
}

TEST(Delivery, PausesUpToAQuarterLongerByChance) {
    EXPECT_EQ(Delivery().after(Reply::none, 0s, 512).pause, 1125ms);
    EXPECT_EQ(Delivery().after(Reply::none, 0s, 1024 + 512).pause, 1125ms);
    EXPECT_LT(Delivery().after(Reply::none, 0s, 1023).pause, 1250ms);
}

}  // namespace
}  // namespace ticketgate::trace
