// Each byte from a client costs a bounded amount of work, whatever the bytes are and however they
// arrive. The work is counted, not timed, so the numbers are the same on every machine.
#include <gtest/gtest.h>

#include <ostream>

#include "cost/heads.hpp"
#include "cost/served.hpp"
#include "cost/work.hpp"

namespace ticketgate::cost {
namespace {

struct Way {
    const char* name;
    void (*take)(std::string_view head);
};

void PrintTo(const Way& way, std::ostream* out) {
    *out << way.name;
}

constexpr Way ways[] = {
    {"served", serve}, {"trickled", trickle}, {"pipelined", serve_pipelined}, {"relayed", relay}};

// In blocks: twice the cost of the most expensive family (names that differ at their ends only),
// and ten times that of most.
constexpr std::uint64_t most_a_byte = 2000;
constexpr std::uint64_t fixed = 100'000;

// Size of a head, in bytes.
constexpr std::size_t size = 8 << 10;

std::uint64_t cost(const Way& way, const std::string& head) {
    way.take(head);  // first pass: excludes one-time work from the count
    return work_of([&] { way.take(head); });
}

class Cost : public testing::TestWithParam<Way> {};

TEST_P(Cost, GrowsNoFasterThanTheBytes) {
    for (const Family& family : families()) {
        const std::uint64_t once = cost(GetParam(), family.head(size));
        const std::uint64_t twice = cost(GetParam(), family.head(2 * size));
        EXPECT_LE(twice, once * 5 / 2 + fixed) << family.name;
    }
}

// The cost of moving the rest after each request shows in long rows only.
TEST(CostOfRows, GrowsWithTheNumberOfRequests) {
    const std::string row = small_requests(256 << 10);
    const std::uint64_t once = work_of([&] { serve_pipelined(row); });
    const std::uint64_t twice = work_of([&] { serve_pipelined(row + row); });
    EXPECT_LE(twice, once * 5 / 2);
}

void expect_bounded(const Way& way, const std::string& head, const std::string& name) {
    const std::uint64_t spent = cost(way, head);
    EXPECT_LE(spent, most_a_byte * head.size() + fixed)
        << name << ": " << spent / head.size() << " a byte";
}

TEST_P(Cost, OfAByteIsBounded) {
    for (const Family& family : families())
        expect_bounded(GetParam(), family.head(2 * size), family.name);
}

TEST_P(Cost, OfAnyHeadIsBounded) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed)
        expect_bounded(GetParam(), random_head(seed, 2 * size), "seed " + std::to_string(seed));
}

INSTANTIATE_TEST_SUITE_P(, Cost, testing::ValuesIn(ways),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace
}  // namespace ticketgate::cost
