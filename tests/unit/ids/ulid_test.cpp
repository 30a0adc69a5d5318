#include "ids/ulid.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ticketgate::ids {
namespace {

constexpr WallTime start{1'795'186'941'000'000};

WallTime later(WallTime time, std::int64_t ms) {
    return {time.unix_us + ms * 1000};
}

// The time of the specification's own example, and the ends of the range.
TEST(Ulid, KnownAnswers) {
    EXPECT_EQ(encode_ulid({1469918176385, 0, 0}).view().substr(0, 10), "01ARYZ6S41");
    EXPECT_EQ(encode_ulid({0, 0, 0}).view(), "00000000000000000000000000");
    EXPECT_EQ(encode_ulid({0xffffffffffff, 0xffff, ~std::uint64_t{0}}).view(),
              "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
    EXPECT_EQ(encode_ulid({0, 0, 1}).view(), "00000000000000000000000001");
}

TEST(Ulid, UsesEveryLetterOfItsAlphabet) {
    constexpr std::string_view digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    for (std::uint64_t value = 0; value < 32; ++value)
        for (const unsigned place : {0u, 5u, 10u, 35u, 55u}) {
            const auto id = encode_ulid({0, 0, value << place});
            EXPECT_EQ(id.view()[25 - place / 5], digits[value]) << value;
        }
}

TEST(Ulid, DecodesWhatItEncodesInEitherCase) {
    const UlidParts parts{1469918176385, 0xd67f, 0x9ba3f3e0b6e5ed5b};
    std::string text(encode_ulid(parts).view());
    EXPECT_EQ(decode_ulid(text), parts);
    for (char& c : text) c = static_cast<char>(std::tolower(c));
    EXPECT_EQ(decode_ulid(text), parts);
}

TEST(Ulid, RefusesToDecodeOtherTexts) {
    for (const char* text :
         {"", "01ARYZ6S41TSV4RRFFQ69G5FA", "01ARYZ6S41TSV4RRFFQ69G5FAVX",
          "81ARYZ6S41TSV4RRFFQ69G5FAV", "01ARYZ6S41TSV4RRFFQ69G5FAI", "01ARYZ6S41TSV4RRFFQ69G5FAL",
          "01ARYZ6S41TSV4RRFFQ69G5FAU", "01ARYZ6S41TSV4RRFFQ69G5F-V"})
        EXPECT_FALSE(decode_ulid(text)) << text;
}

TEST(Ulid, RisesWhenTheClockStandsOrStepsBack) {
    Entropy entropy;
    Ulid ulid(entropy);
    Id last = ulid.next(start);
    for (const int ms : {0, 0, -1, -3'600'000, 0, 1, 1, -86'400'000, 2, 1000, 999}) {
        const Id id = ulid.next(later(start, ms));
        EXPECT_LT(last, id) << ms;
        last = id;
    }
    EXPECT_EQ(decode_ulid(last.view())->unix_ms, 1'795'186'942'000u);
}

TEST(Ulid, ACarryBetweenItsFieldsKeepsTheOrder) {
    Entropy entropy([](std::span<std::uint8_t> out) {
        for (auto& b : out) b = 0xff;
        return true;
    });
    Ulid ulid(entropy);
    Id last = ulid.next(start);
    for (int i = 0; i < 70'000; ++i) {
        const Id id = ulid.next(start);
        ASSERT_LT(last, id);
        last = id;
    }
    EXPECT_EQ(decode_ulid(last.view())->unix_ms, 1'795'186'941'000u);
}

}  // namespace
}  // namespace ticketgate::ids
