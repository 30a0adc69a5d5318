#include "ids/txid.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/bytes.hpp"
#include "vectors.hpp"

namespace ticketgate::ids {
namespace {

constexpr std::uint64_t low54 = (std::uint64_t{1} << 54) - 1;
constexpr WallTime start{1'795'186'941'000'000};

WallTime later(WallTime time, std::int64_t ms) {
    return {time.unix_us + ms * 1000};
}

// All bytes are equal.
Entropy constant(std::uint8_t byte) {
    return Entropy([byte](std::span<std::uint8_t> out) {
        for (auto& b : out) b = byte;
        return true;
    });
}

TEST(Txid, KnownAnswers) {
    const auto file = vectors("txid.json");
    std::size_t count = 0;
    for (const auto& v : file.at("vectors").as_array()) {
        // The random field is the low 54 bits of the twelve bytes.
        const auto entropy = from_hex(text(v, "entropy_hex"));
        ASSERT_EQ(entropy.size(), 12u);
        const auto low = load_be<std::uint64_t>(entropy.data() + 4) & low54;
        const auto id = encode_txid(number<std::uint64_t>(v, "unix_ms"), low);
        EXPECT_EQ(id.view(), text(v, "expected"));
        const auto packed = from_hex(text(v, "packed_hex"));
        std::string encoded(base32_size(packed.size()), '?');
        encode_base32hex(packed, encoded.data());
        EXPECT_EQ(encoded, text(v, "expected"));
        ++count;
    }
    EXPECT_EQ(count, 68u);
}

TEST(Txid, HasThePrefixesOfTheOriginalsTests) {
    const auto file = vectors("txid.json");
    for (const auto& v : file.at("upstream_test_prefixes").as_array())
        EXPECT_EQ(encode_txid(number<std::uint64_t>(v, "unix_ms"), 0).view().substr(0, 5),
                  text(v, "first5"));
}

TEST(Txid, DecodesWhatTheRealModuleMade) {
    const auto file = vectors("txid.json");
    for (const auto& v : file.at("observed_nginx_1_22_1").at("samples").as_array()) {
        const auto parts = decode_txid(text(v, "txid"));
        ASSERT_TRUE(parts);
        EXPECT_EQ(parts->unix_ms, number<std::uint64_t>(v, "decoded_42bit"));
        EXPECT_EQ(parts->random, std::stoull(text(v, "low54_hex"), nullptr, 16));
        EXPECT_EQ(encode_txid(parts->unix_ms, parts->random).view(), text(v, "txid"));
    }
}

TEST(Txid, RefusesToDecodeOtherTexts) {
    const auto file = vectors("txid.json");
    for (const auto& v : file.at("invalid").as_array())
        EXPECT_FALSE(decode_txid(text(v, "text"))) << text(v, "why");
    EXPECT_FALSE(decode_txid(""));
}

TEST(Txid, HoldsTheRealTime) {
    Entropy entropy;
    Txid txid(entropy);
    EXPECT_EQ(decode_txid(txid.next(start).view())->unix_ms, 1'795'186'941'000u);
    EXPECT_EQ(decode_txid(txid.next(later(start, 7)).view())->unix_ms, 1'795'186'941'007u);
}

TEST(Txid, RisesWhenTheClockStandsOrStepsBack) {
    Entropy entropy;
    Txid txid(entropy);
    Id last = txid.next(start);
    for (const int ms : {0, 0, -1, -3'600'000, 0, 1, 1, -86'400'000, 2, 1000, 999}) {
        const Id id = txid.next(later(start, ms));
        EXPECT_LT(last, id) << ms;
        last = id;
    }
    EXPECT_EQ(decode_txid(last.view())->unix_ms, 1'795'186'942'000u);
}

TEST(Txid, AFullMillisecondRunsIntoTheNext) {
    auto entropy = constant(0xff);
    Txid txid(entropy);
    Id last = txid.next(start);
    std::uint64_t last_ms = decode_txid(last.view())->unix_ms;
    // The highest start leaves half the field free, 2^53 / 2^16 steps, so this many do not
    // overflow it.
    for (int i = 0; i < 100'000; ++i) {
        const Id id = txid.next(start);
        ASSERT_LT(last, id);
        last = id;
    }
    EXPECT_EQ(decode_txid(last.view())->unix_ms, last_ms);
}

TEST(Txid, TimesBefore1970AndTheEndOfTheFieldDoNotBreak) {
    Entropy entropy;
    Txid txid(entropy);
    EXPECT_EQ(decode_txid(txid.next({-5'000'000}).view())->unix_ms, 0u);
    EXPECT_EQ(encode_txid((std::uint64_t{1} << 42) + 5, 0).view(), encode_txid(5, 0).view());
}

}  // namespace
}  // namespace ticketgate::ids
