// The history behind the charts of the live page.
#include "admin/history.hpp"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>

namespace ticketgate::admin {
namespace {

using Readings = std::vector<History::Reading>;

constexpr double bounds[] = {1, 2, 4};

TEST(Quantile, LiesWithinItsBucket) {
    const std::uint64_t counts[] = {10, 10, 0, 0};
    EXPECT_DOUBLE_EQ(*quantile(counts, bounds, 0.5), 1.0);
    EXPECT_DOUBLE_EQ(*quantile(counts, bounds, 0.75), 1.5);
    EXPECT_DOUBLE_EQ(*quantile(counts, bounds, 0.25), 0.5);
}

TEST(Quantile, OfNothingIsNothing) {
    const std::uint64_t counts[] = {0, 0, 0, 0};
    EXPECT_FALSE(quantile(counts, bounds, 0.5).has_value());
}

TEST(Quantile, AboveTheLastBoundIsThatBound) {
    const std::uint64_t counts[] = {0, 0, 0, 7};
    EXPECT_DOUBLE_EQ(*quantile(counts, bounds, 0.5), 4.0);
}

GateCounts counts(std::uint64_t fast, std::uint64_t refused) {
    GateCounts counts;
    counts.waits[0] = counts.holds[0] = fast;
    counts.refused = refused;
    return counts;
}

boost::json::object lists_of(const History& history, const std::string& queue) {
    const auto all = history.of({queue});
    return all.at("queues").at(queue).as_object();
}

TEST(History, ShowsWhatHappenedBetweenTwoReadings) {
    History history;
    history.add({{"q", counts(1000, 5)}});
    EXPECT_TRUE(lists_of(history, "q").at("admitted").as_array().empty())
        << "nobody knows when these were counted";
    history.add({{"q", counts(1020, 8)}});
    const auto lists = lists_of(history, "q");
    EXPECT_DOUBLE_EQ(lists.at("admitted").at(0).as_double(), 2.0);
    EXPECT_DOUBLE_EQ(lists.at("refused").at(0).as_double(), 0.3);
    EXPECT_GT(lists.at("wait_p50").at(0).as_double(), 0);
    EXPECT_LE(lists.at("hold_p99").at(0).as_double(), 0.001);
    history.add({{"q", counts(1020, 8)}});
    EXPECT_TRUE(lists_of(history, "q").at("wait_p99").at(1).is_null()) << "no request, no wait";
}

// A step of ten seconds has no share in a percentile that its requests do not have.
TEST(History, HasThePercentilesOfTheWholeTime) {
    History history;
    GateCounts now;
    history.add({{"q", now}});
    EXPECT_TRUE(lists_of(history, "q").at("whole").as_object().at("wait_p50").is_null());
    EXPECT_EQ(lists_of(history, "q").at("seconds").as_double(), 0);
    now.waits[0] = now.holds[0] = 98;
    history.add({{"q", now}});
    now.waits.back() = now.holds.back() = 2;
    now.refused = 4;
    history.add({{"q", now}});
    history.add({{"q", now}});
    const auto lists = lists_of(history, "q");
    const auto& whole = lists.at("whole").as_object();
    EXPECT_LE(whole.at("wait_p50").as_double(), 0.001);
    EXPECT_LE(whole.at("wait_p95").as_double(), 0.001);
    EXPECT_GT(whole.at("wait_p99").as_double(), 1);
    EXPECT_EQ(whole.at("hold_p99"), whole.at("wait_p99"));
    EXPECT_DOUBLE_EQ(whole.at("admitted").as_double(), 100.0 / 30);
    EXPECT_DOUBLE_EQ(whole.at("refused").as_double(), 4.0 / 30);
    EXPECT_EQ(lists.at("seconds").as_double(), 30);
    EXPECT_GT(lists.at("wait_p50").at(1).as_double(), 1) << "the last step with requests";
}

TEST(History, EndsAfterAQuarterOfAnHour) {
    History history;
    for (std::size_t i = 0; i < History::points + 20; ++i) history.add({{"q", counts(i, 0)}});
    EXPECT_EQ(lists_of(history, "q").at("admitted").as_array().size(), History::points);
    EXPECT_EQ(History::points * History::step, 15min);
}

TEST(History, ForgetsAQueueThatIsGone) {
    History history;
    history.add({{"q", counts(1, 0)}, {"other", counts(1, 0)}});
    history.add({{"other", counts(2, 0)}});
    EXPECT_FALSE(history.of({"q", "other"}).at("queues").as_object().contains("q"));
    history.add({{"q", counts(9, 0)}, {"other", counts(2, 0)}});
    EXPECT_TRUE(lists_of(history, "q").at("admitted").as_array().empty()) << "it begins anew";
}

}  // namespace
}  // namespace ticketgate::admin
