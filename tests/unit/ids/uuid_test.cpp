#include "ids/uuid.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "ids/hex128.hpp"

namespace ticketgate::ids {
namespace {

constexpr WallTime start{1'795'186'941'000'000};

WallTime later(WallTime time, std::int64_t ms) {
    return {time.unix_us + ms * 1000};
}
Entropy constant(std::uint8_t byte) {
    return Entropy([byte](std::span<std::uint8_t> out) {
        for (auto& b : out) b = byte;
        return true;
    });
}

// RFC 9562, appendix A.6 and A.3.
TEST(Uuid, TheExamplesOfTheRfc) {
    EXPECT_EQ(encode_uuid(make_uuid7(0x017f22e279b0, 0xcc3, 0x18c4dc0c0c07398f)).view(),
              "017f22e2-79b0-7cc3-98c4-dc0c0c07398f");
    EXPECT_EQ(encode_uuid(make_uuid4(0x919108f752d13320, 0xdbacf847db4148a8)).view(),
              "919108f7-52d1-4320-9bac-f847db4148a8");
}

TEST(Uuid, DecodesEitherCase) {
    const Uuid expected{0x017f22e279b07cc3, 0x98c4dc0c0c07398f};
    EXPECT_EQ(decode_uuid("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), expected);
    EXPECT_EQ(decode_uuid("017F22E2-79B0-7CC3-98C4-DC0C0C07398F"), expected);
    EXPECT_EQ(expected.version(), 7u);
    EXPECT_TRUE(expected.of_rfc());
    EXPECT_EQ(expected.unix_ms(), 0x017f22e279b0u);
}

TEST(Uuid, RefusesToDecodeOtherTexts) {
    for (const char* text :
         {"", "017f22e2-79b0-7cc3-98c4-dc0c0c07398", "017f22e279b07cc398c4dc0c0c07398f",
          "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e2-79b0-7cc3-98c4+dc0c0c07398f",
          "{17f22e2-79b0-7cc3-98c4-dc0c0c07398}", "017f22e2-79b0-7cc39-8c4-dc0c0c07398f"})
        EXPECT_FALSE(decode_uuid(text)) << text;
}

TEST(Uuid4, HasVersionAndVariantWhateverTheBits) {
    for (const std::uint8_t byte : std::array<std::uint8_t, 3>{0x00, 0xff, 0x5a}) {
        auto entropy = constant(byte);
        const auto uuid = decode_uuid(Uuid4(entropy).next(start).view());
        EXPECT_EQ(uuid->version(), 4u);
        EXPECT_TRUE(uuid->of_rfc());
    }
}

TEST(Uuid7, HoldsTheRealTime) {
    Entropy entropy;
    Uuid7 uuid(entropy);
    EXPECT_EQ(decode_uuid(uuid.next(start).view())->unix_ms(), 1'795'186'941'000u);
    const auto second = decode_uuid(uuid.next(later(start, 7)).view());
    EXPECT_EQ(second->unix_ms(), 1'795'186'941'007u);
    EXPECT_EQ(second->version(), 7u);
    EXPECT_TRUE(second->of_rfc());
}

TEST(Uuid7, RisesWhenTheClockStandsOrStepsBack) {
    Entropy entropy;
    Uuid7 uuid(entropy);
    Id last = uuid.next(start);
    for (const int ms : {0, 0, -1, -3'600'000, 0, 1, 1, -86'400'000, 2, 1000, 999}) {
        const Id id = uuid.next(later(start, ms));
        EXPECT_LT(last, id) << ms;
        last = id;
    }
    EXPECT_EQ(decode_uuid(last.view())->unix_ms(), 1'795'186'942'000u);
}

// All ones: the low field carries into the high one with every second step.
TEST(Uuid7, ACarryBetweenItsFieldsKeepsTheOrder) {
    auto entropy = constant(0xff);
    Uuid7 uuid(entropy);
    Id last = uuid.next(start);
    for (int i = 0; i < 70'000; ++i) {
        const Id id = uuid.next(start);
        ASSERT_LT(last, id);
        last = id;
    }
    EXPECT_EQ(decode_uuid(last.view())->unix_ms(), 1'795'186'941'000u);
}

TEST(Hex128, IsTheBitsInOrder) {
    auto entropy = constant(0xa5);
    EXPECT_EQ(Hex128(entropy).next(start).view(), "a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5");
}

}  // namespace
}  // namespace ticketgate::ids
