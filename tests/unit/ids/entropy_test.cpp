#include "ids/entropy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <set>

#include "ids/chacha.hpp"
#include "vectors.hpp"

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
    EXPECT_EQ(a.failures(), 4u);  // one for each page, not for each number
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
        EXPECT_TRUE(random_page(out));
    }
}

// RFC 8439 2.3.2.
TEST(Chacha, TheVectorOfTheRfc) {
    ChachaKey key;
    std::iota(key.begin(), key.end(), std::uint8_t{0});
    const ChachaNonce nonce{0, 0, 0, 9, 0, 0, 0, 0x4a, 0, 0, 0, 0};
    std::array<std::uint8_t, 64> out;
    chacha(key, out, 20, 1, nonce);
    EXPECT_EQ(std::vector(out.begin(), out.end()),
              from_hex("10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
                       "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"));
}

// Blocks made four at a time equal those made one by one.
TEST(Chacha, BlocksFollowTheirCounter) {
    const ChachaKey key{1, 2, 3};
    std::array<std::uint8_t, 640> all;
    chacha(key, all);
    for (std::uint32_t i = 0; i < 10; ++i) {
        std::array<std::uint8_t, 64> one;
        chacha(key, one, 8, i);
        EXPECT_TRUE(std::equal(one.begin(), one.end(), &all[i * 64])) << i;
    }
}

}  // namespace
}  // namespace ticketgate::ids
