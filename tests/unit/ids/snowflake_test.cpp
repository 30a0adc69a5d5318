#include "ids/snowflake.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "vectors.hpp"

namespace ticketgate::ids {
namespace {

constexpr std::int64_t start_ms = 1'795'186'941'000;
constexpr Machine machine{.address = {}, .process = 1, .worker = 7, .datacenter = 21};

WallTime at(std::int64_t ms) {
    return {ms * 1000};
}
SnowflakeParts parts_of(const Id& id) {
    return unpack_snowflake(*decode_snowflake(id.view()));
}

TEST(Snowflake, KnownAnswers) {
    const auto file = vectors("noeq.json");
    std::size_t count = 0;
    for (const auto& v : file.at("vectors").as_array()) {
        const SnowflakeParts parts{
            number<std::int64_t>(v, "unix_ms"), number<std::uint32_t>(v, "datacenter"),
            number<std::uint32_t>(v, "worker"), number<std::uint32_t>(v, "sequence")};
        ++count;
        const auto packed = pack_snowflake(parts);
        EXPECT_EQ(encode_snowflake(packed).view(), text(v, "id_unsigned"));
        EXPECT_EQ(decode_snowflake(text(v, "id_unsigned")), packed);
        if (parts.unix_ms < snowflake_epoch_ms) continue;  // before the epoch: negative
        EXPECT_EQ(unpack_snowflake(packed), parts);
    }
    EXPECT_EQ(count, 24u);
}

TEST(Snowflake, RefusesToDecodeOtherTexts) {
    for (const char* text : {"", "-1", "01", "1x", "18446744073709551616", "1.0", " 1"})
        EXPECT_FALSE(decode_snowflake(text)) << text;
}

TEST(Snowflake, CountsWithinAMillisecondAndRunsIntoTheNext) {
    Snowflake snowflake(machine);
    for (std::uint32_t i = 0; i < 4096; ++i) {
        const SnowflakeParts expected{start_ms, 21, 7, i};
        ASSERT_EQ(parts_of(snowflake.next(at(start_ms))), expected);
    }
    const SnowflakeParts ahead{start_ms + 1, 21, 7, 0};
    EXPECT_EQ(parts_of(snowflake.next(at(start_ms))), ahead);
}

TEST(Snowflake, RisesWhenTheClockStandsOrStepsBack) {
    Snowflake snowflake(machine);
    auto last = *decode_snowflake(snowflake.next(at(start_ms)).view());
    for (const int ms : {0, 0, -1, -3'600'000, 0, 1, 1, -86'400'000, 2, 1000, 999}) {
        const auto id = *decode_snowflake(snowflake.next(at(start_ms + ms)).view());
        EXPECT_LT(last, id) << ms;
        last = id;
    }
    EXPECT_EQ(unpack_snowflake(last).unix_ms, start_ms + 1000);
}

TEST(Snowflake, ThreadsShareTheSequenceByResidue) {
    std::set<std::string> seen;
    for (std::uint32_t lane = 0; lane < 3; ++lane) {
        Snowflake snowflake(machine, {lane, 3});
        for (std::uint32_t i = 0; i < 2048; ++i) {
            const auto id = snowflake.next(at(start_ms));
            ASSERT_EQ(parts_of(id).sequence % 4, lane);
            ASSERT_EQ(parts_of(id).unix_ms, start_ms + i / 1024);
            ASSERT_TRUE(seen.emplace(id.view()).second);
        }
    }
}

}  // namespace
}  // namespace ticketgate::ids
