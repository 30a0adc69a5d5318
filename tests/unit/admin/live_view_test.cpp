// Which queues one picture of the live page has, where the config has more than it shows.
#include "admin/live_view.hpp"

#include <gtest/gtest.h>

namespace ticketgate::admin {
namespace {

TEST(LiveView, ShowsAQueueThatAnOperatorHasPausedHoweverShortItsLineIs) {
    metrics::Registry metrics;
    net::Loop loop{0};
    GateRegistry gates{metrics, [&]() -> net::Loop& { return loop; }};
    std::vector<std::shared_ptr<LocalGate>> all;
    for (std::size_t i = 0; i <= Shown::queues; ++i)
        all.push_back(gates.find_or_make("a" + std::to_string(i), {}));
    const auto last = gates.find_or_make("z", {});
    EXPECT_EQ(shown_queues(gates).size(), Shown::queues);
    EXPECT_FALSE(shown_queues(gates).contains("z"));
    last->pause(Time::max());
    EXPECT_TRUE(shown_queues(gates).contains("z"));
}

}  // namespace
}  // namespace ticketgate::admin
