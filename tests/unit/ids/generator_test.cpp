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

constexpr Machine machine{.address = 0x0a000001, .process = 4711, .worker = 7, .datacenter = 21};

TEST(Generator, MakesEveryFormatInItsLength) {
    constexpr std::size_t lengths[] = {20, 36, 36, 26, 32, 19, 19, 24, 24, 27, 27, 27};
    Generator generator(machine, {3, 4});
    for (std::size_t i = 0; i < format_names.size(); ++i) {
        const auto id = generator.next(static_cast<Format>(i), now);
        EXPECT_EQ(id.view().size(), lengths[i]) << format_names[i];
        EXPECT_TRUE(acceptable(id.view())) << format_names[i];
    }
}

TEST(Generator, CanMove) {
    Generator first;
    const Id before = first.next(Format::txid, now);
    Generator second(std::move(first));
    EXPECT_LT(before, second.next(Format::txid, now));
}

TEST(Generator, CountsAFailingSource) {
    Generator generator({}, {}, Entropy([](std::span<std::uint8_t>) { return false; }));
    EXPECT_EQ(generator.entropy_failures(), 1u);
    EXPECT_EQ(generator.next(Format::txid, now).view().size(), 20u);
}

// The generator does not invent an address or a worker that the machine lacks.
TEST(Generator, MakesNoIdOfAnUnknownMachine) {
    Generator generator;
    for (std::size_t i = 0; i < format_names.size(); ++i) {
        const auto format = static_cast<Format>(i);
        const bool needs = needs_address(format) || needs_worker(format);
        EXPECT_EQ(generator.next(format, now).empty(), needs) << format_names[i];
        EXPECT_EQ(why_not(format, Machine()).empty(), !needs) << format_names[i];
        EXPECT_EQ(why_not(format, machine), "") << format_names[i];
    }
}

TEST(Format, HasANameAndIsFoundByIt) {
    for (std::size_t i = 0; i < format_names.size(); ++i)
        EXPECT_EQ(find_format(format_names[i]), static_cast<Format>(i));
    EXPECT_EQ(find_format("unique_id"), Format::httpd_2_4_47);
    EXPECT_EQ(find_format("uuid"), std::nullopt);
    EXPECT_EQ(name_of(Format::httpd_2_4_49), "httpd_2_4_49");
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
