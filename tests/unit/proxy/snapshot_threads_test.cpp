// One snapshot serves all loops.
#include <thread>
#include <vector>

#include "configs.hpp"

namespace ticketgate {
namespace {

// Combinations with regex routes are made when first met, on whichever loop that is.
TEST(SnapshotThreads, EveryLoopFindsTheSameRoutes) {
    for (int round = 0; round < 20; ++round) {
        const Served served(shop);
        std::vector<const Route*> found(4);
        std::vector<std::thread> loops;
        for (auto& route : found) {
            loops.emplace_back([&served, &route] {
                for (int i = 0; i < 50; ++i) {
                    route = served.find("/shop/x.php");
                    EXPECT_EQ(route->gate->name(), "cart");
                }
            });
        }
        for (auto& loop : loops) loop.join();
        for (const Route* route : found) EXPECT_EQ(route, found[0]);
    }
}

}  // namespace
}  // namespace ticketgate
