#include "cluster/rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace ticketgate::cluster {
namespace {

const std::vector<std::string> three{"9b1f", "02c4", "e7d0"};

std::vector<std::uint32_t> ranks(std::string_view queue) {
    std::vector<std::uint32_t> out;
    out.reserve(three.size());
    for (const std::string& one : three) out.push_back(rank(queue, one, three));
    return out;
}

TEST(Rank, GivesEachReplicaAPlaceOfItsOwn) {
    for (const std::string queue : {"app", "cart", "x"}) {
        auto places = ranks(queue);
        std::ranges::sort(places);
        EXPECT_EQ(places, (std::vector<std::uint32_t>{0, 1, 2})) << queue;
    }
}

TEST(Rank, SpreadsTheQueuesOverTheReplicas) {
    std::array<int, 3> first{};
    for (int i = 0; i < 3000; ++i) {
        const auto places = ranks("queue" + std::to_string(i));
        ++first[static_cast<std::size_t>(std::ranges::find(places, 0U) - places.begin())];
    }
    for (const int queues : first) EXPECT_NEAR(queues, 1000, 150);
}

TEST(Rank, KeepsTheOrderOfTheOthersWhenOneIsLost) {
    const std::vector<std::string> two{three[0], three[2]};
    for (int i = 0; i < 100; ++i) {
        const std::string queue = "queue" + std::to_string(i);
        EXPECT_EQ(rank(queue, three[0], three) < rank(queue, three[2], three),
                  rank(queue, three[0], two) < rank(queue, three[2], two));
    }
}

}  // namespace
}  // namespace ticketgate::cluster
