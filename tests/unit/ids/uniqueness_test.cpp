// A million ids of each form, through every kind of clock: none twice. And the proof that this test
// would notice: the same with a generator that is broken on purpose.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "ids/generator.hpp"

namespace ticketgate::ids {
namespace {

constexpr std::size_t million = 1'000'000;
constexpr std::int64_t start_us = 1'795'186'941'000'000;

using Clock = std::function<WallTime(std::size_t)>;
using Make = std::function<Id(Generator&, WallTime)>;

const Make request_id = [](Generator& g, WallTime now) { return g.request_id(now); };
const Make unique_id = [](Generator& g, WallTime now) { return g.unique_id(now); };

// 70,000 requests in each second.
WallTime busy(std::size_t i) {
    return {start_us + static_cast<std::int64_t>(i) * 1'000'000 / 70'000};
}

// The same, but every 50,000th reading the clock is two seconds behind itself.
WallTime stepping_back(std::size_t i) {
    return {busy(i).unix_us - static_cast<std::int64_t>(i / 50'000) * 2'000'000};
}

// Anywhere within ten seconds, in no order.
WallTime jumping(std::size_t i) {
    std::minstd_rand random(static_cast<unsigned>(i + 1));
    random.discard(2);
    return {start_us + static_cast<std::int64_t>(random() % 10'000'000)};
}

WallTime stopped(std::size_t) {
    return {start_us};
}

std::vector<Id> made(Generator& generator, const Make& make, const Clock& clock,
                     std::size_t count) {
    std::vector<Id> ids;
    ids.reserve(count);
    for (std::size_t i = 0; i < count; ++i) ids.push_back(make(generator, clock(i)));
    return ids;
}

// By their bytes in memory: millions are sorted here, without optimisation.
std::size_t duplicates(std::vector<Id> ids) {
    const auto order = [](const Id& a, const Id& b) { return std::memcmp(&a, &b, sizeof a); };
    std::sort(ids.begin(), ids.end(), [&](const Id& a, const Id& b) { return order(a, b) < 0; });
    const auto end = std::unique(ids.begin(), ids.end(),
                                 [&](const Id& a, const Id& b) { return order(a, b) == 0; });
    return static_cast<std::size_t>(ids.end() - end);
}

TEST(Unique, RequestIdsRiseUnderEveryClock) {
    for (const Clock& clock : {Clock(busy), Clock(stepping_back), Clock(jumping), Clock(stopped)}) {
        Generator generator(0);
        const auto ids = made(generator, request_id, clock, million);
        EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
        EXPECT_EQ(duplicates(ids), 0u);
    }
}

TEST(Unique, UniqueIdsUnderEveryClock) {
    for (const Clock& clock : {Clock(busy), Clock(stepping_back), Clock(jumping), Clock(stopped)}) {
        Generator generator(0);
        EXPECT_EQ(duplicates(made(generator, unique_id, clock, million)), 0u);
    }
}

TEST(Unique, AcrossFourThreadsAndTwoProcessesOfThem) {
    for (const Make& make : {request_id, unique_id}) {
        std::vector<std::vector<Id>> parts(8);
        std::vector<std::jthread> threads;
        for (std::size_t t = 0; t < parts.size(); ++t)
            threads.emplace_back([&, t] {
                Generator generator(static_cast<std::uint32_t>(t % 4));  // two of each loop number
                parts[t] = made(generator, make, busy, million / 8);
            });
        threads.clear();
        std::vector<Id> all;
        for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
        EXPECT_EQ(duplicates(all), 0u);
    }
}

TEST(Unique, WithoutEntropyOneProcessStillRepeatsNothing) {
    const auto fail = [](std::span<std::uint8_t>) { return false; };
    for (const Make& make : {request_id, unique_id}) {
        Generator a(0, Entropy(fail)), b(0, Entropy(fail));
        auto all = made(a, make, stepping_back, million / 2);
        const auto more = made(b, make, stepping_back, million / 2);
        all.insert(all.end(), more.begin(), more.end());
        EXPECT_EQ(duplicates(all), 0u);
    }
}

// An entropy source that says it works and always gives the same: roots never differ, so the second
// 65,536 unique ids of a second repeat the first, and two generators make the same request ids.
TEST(Unique, TheCheckSeesDuplicates) {
    const auto broken = [](std::span<std::uint8_t> out) {
        std::fill(out.begin(), out.end(), std::uint8_t{42});
        return true;
    };
    Generator a(0, Entropy(broken)), b(0, Entropy(broken));
    EXPECT_EQ(duplicates(made(a, unique_id, stopped, 70'000)), 70'000u - 65'536u);
    auto all = made(a, request_id, busy, 1000);
    const auto more = made(b, request_id, busy, 1000);
    all.insert(all.end(), more.begin(), more.end());
    EXPECT_EQ(duplicates(all), 1000u);
}

}  // namespace
}  // namespace ticketgate::ids
