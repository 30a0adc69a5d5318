#include "ids/entropy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace ticketgate::ids {
namespace {

TEST(Entropy, GivesTheBytesOfItsSourceInOrder) {
    std::uint8_t next = 0;
    Entropy entropy([&](std::span<std::uint8_t> out) {
        for (auto& byte : out) byte = next++;
        return true;
    });
    std::array<std::uint8_t, 10> got{};
    entropy.fill(got);
    for (std::uint8_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], i);
}

TEST(Entropy, TheKernelDoesNotRepeat) {
    Entropy a, b;
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 2000; ++i) seen.insert({a.u64(), b.u64()});
    EXPECT_EQ(seen.size(), 4000u);
    EXPECT_EQ(a.failures(), 0u);
}

TEST(Entropy, AFailingSourceNeitherStopsNorRepeats) {
    int asked = 0;
    const auto fail = [&](std::span<std::uint8_t>) { return ++asked == 0; };
    Entropy a(fail), b(fail);
    std::set<std::uint64_t> seen;
    for (int i = 0; i < 2000; ++i) seen.insert({a.u64(), b.u64()});
    EXPECT_EQ(seen.size(), 4000u);
    EXPECT_EQ(a.failures(), 4u);  // once a page, not once a number
    EXPECT_EQ(asked, 8);
}

TEST(Entropy, ComesBackWhenTheSourceDoes) {
    bool works = false;
    Entropy entropy([&](std::span<std::uint8_t> out) {
        for (auto& byte : out) byte = 0x5a;
        return works;
    });
    EXPECT_NE(entropy.u64(), 0x5a5a5a5a5a5a5a5au);
    works = true;
    for (int i = 0; i < 511; ++i) (void)entropy.u64();
    EXPECT_EQ(entropy.u64(), 0x5a5a5a5a5a5a5a5au);
    EXPECT_EQ(entropy.failures(), 1u);
}

TEST(Entropy, TheKernelFillsAnySize) {
    for (const std::size_t size : {0u, 1u, 256u, 257u, 65536u}) {
        std::vector<std::uint8_t> out(size);
        EXPECT_TRUE(kernel_random(out));
    }
}

}  // namespace
}  // namespace ticketgate::ids
