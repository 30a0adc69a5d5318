// When another replica is said to have this one's address.
#include "replica/shared_address.hpp"

#include <gtest/gtest.h>

namespace ticketgate::replica {
namespace {

const cluster::Instance self{"aaaa", "web-a", "web:9902"}, same{"bbbb", "web-b", "web:9902"},
    other{"cccc", "web-c", "web:9903"};
constexpr Time begun{100s};
constexpr Duration lasting = 2 * 5s + 2s;

cluster::Contents listing(const std::vector<cluster::Instance>& instances) {
    cluster::Contents out;
    for (const auto& one : instances) out.replicas.push_back({one, "1", {}, {}});
    return out;
}

TEST(SharedAddress, IsToldOfOneThatStays) {
    SharedAddress shared(self, 5s);
    const auto contents = listing({self, same, other});
    EXPECT_EQ(shared.with(begun, contents), "");
    EXPECT_EQ(shared.with(begun + lasting - 1ms, contents), "");
    EXPECT_EQ(shared.with(begun + lasting, contents), "web-b bbbb");
    EXPECT_EQ(shared.with(begun + lasting, listing({self, other})), "");
}

// The store lists it for one lease more.
TEST(SharedAddress, IsNotToldOfAProcessThatDiedThere) {
    SharedAddress shared(self, 5s);
    shared.with(begun, listing({self, same}));
    shared.with(begun + 6s, listing({self}));
    shared.with(begun + 7s, listing({self, same}));
    EXPECT_EQ(shared.with(begun + lasting, listing({self, same})), "");
    EXPECT_EQ(shared.with(begun + 7s + lasting, listing({self, same})), "web-b bbbb");
}

TEST(SharedAddress, IsNobodysWithoutOthers) {
    SharedAddress shared(self, 5s);
    shared.with(begun, listing({self, other}));
    EXPECT_EQ(shared.with(begun + 1h, listing({self, other})), "");
}

}  // namespace
}  // namespace ticketgate::replica
