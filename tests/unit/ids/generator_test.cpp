#include "ids/generator.hpp"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

namespace ticketgate::ids {
namespace {

static_assert(std::is_trivially_copyable_v<Id>);
constexpr WallTime now{1'795'186'941'000'000};

TEST(Id, HoldsWhatFitsAndNothingElse) {
    EXPECT_TRUE(Id().empty());
    EXPECT_EQ(Id().view(), "");
    const std::string full(Id::capacity, 'x');
    EXPECT_EQ(Id::from(full)->view(), full);
    EXPECT_FALSE(Id::from(full + "x"));
    EXPECT_EQ(Id::from("")->view(), "");
}

TEST(Generator, MakesBothForms) {
    Generator generator(3);
    EXPECT_EQ(generator.request_id(now).view().size(), 20u);
    EXPECT_EQ(generator.unique_id(now).view().size(), 27u);
    EXPECT_TRUE(acceptable(generator.request_id(now).view()));
    EXPECT_TRUE(acceptable(generator.unique_id(now).view()));
}

TEST(Generator, CanMove) {
    Generator first(3);
    const Id before = first.request_id(now);
    Generator second(std::move(first));
    EXPECT_LT(before, second.request_id(now));
}

TEST(Generator, CountsAFailingSource) {
    Generator generator(0, Entropy([](std::span<std::uint8_t>) { return false; }));
    EXPECT_EQ(generator.entropy_failures(), 1u);
    EXPECT_EQ(generator.request_id(now).view().size(), 20u);
}

TEST(Acceptable, SixteenTo128Characters) {
    EXPECT_FALSE(acceptable(""));
    EXPECT_FALSE(acceptable(std::string(15, 'a')));
    EXPECT_TRUE(acceptable(std::string(16, 'a')));
    EXPECT_TRUE(acceptable(std::string(128, 'a')));
    EXPECT_FALSE(acceptable(std::string(129, 'a')));
}

TEST(Acceptable, OnlyTheseCharacters) {
    const std::string good =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~+/=@:-";
    EXPECT_TRUE(acceptable(good));
    for (int c = 0; c < 256; ++c) {
        const std::string id = "0123456789abcde" + std::string(1, static_cast<char>(c));
        EXPECT_EQ(acceptable(id), good.find(static_cast<char>(c)) != std::string::npos) << c;
    }
}

}  // namespace
}  // namespace ticketgate::ids
