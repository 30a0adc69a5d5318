// The values of the process without memory: each allocation is the first to fail once. A reader of
// /metrics may lose its answer; the process goes on.
#include <gtest/gtest.h>

#include <cmath>

#include "../../support/no_memory.hpp"
#include "metrics/process.hpp"
#include "metrics/registry.hpp"

namespace ticketgate::metrics {
namespace {

// False: there was not enough memory.
bool collects(const Registry& registry, int pieces) {
    const NoMemory shortage(pieces);
    try {
        return !registry.collect().empty();
    } catch (const std::bad_alloc&) {
        return false;
    }
}

TEST(ProcessWithoutMemory, LosesOneAnswerAtMost) {
    Registry registry;
    register_process(registry);
    int pieces = 0;
    while (!collects(registry, pieces)) ASSERT_LT(++pieces, 100'000);
    EXPECT_GT(pieces, 10) << "no shortage has struck";
    for (const auto& family : registry.collect())
        EXPECT_FALSE(std::isnan(family.series.at(0).value)) << family.name;
}

}  // namespace
}  // namespace ticketgate::metrics
