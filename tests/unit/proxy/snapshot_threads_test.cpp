// One snapshot serves all loops.
#include <thread>
#include <vector>

#include "configs.hpp"

namespace ticketgate {
namespace {

// The first loop that meets a combination of regex routes makes it.
TEST(SnapshotThreads, EveryLoopFindsTheSameRoutes) {
    for (int round = 0; round < 20; ++round) {
        const Served served(shop);
        std::vector<std::shared_ptr<const Route>> found(4);
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
        for (const auto& route : found) EXPECT_EQ(route, found[0]);
    }
}

// A combination that another loop evicts from the cache lives on while it is used.
TEST(SnapshotThreads, RoutesOutliveTheirEvictionFromTheCache) {
    const Served served(
        "route_cache: 1\n"
        "defaults: {upstream: app}\n"
        "routes: [{regex: a, wait_timeout: 1s}, {regex: b, wait_timeout: 2s}]\n");
    std::vector<std::thread> loops;
    for (const auto& [path, wait] : {std::pair{"/a", 1s}, std::pair{"/b", 2s}}) {
        loops.emplace_back([&served, path = path, wait = wait] {
            for (int i = 0; i < 2000; ++i) {
                const auto route = served.find(path);
                EXPECT_EQ(route->settings.wait_timeout, wait);
            }
        });
    }
    for (auto& loop : loops) loop.join();
    EXPECT_EQ(served.snapshot->combinations(), 1u);
}

}  // namespace
}  // namespace ticketgate
