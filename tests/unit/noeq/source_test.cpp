// The ids of the service under clocks that stop, step back and start again.
#include "noeq/source.hpp"

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate::noeq {
namespace {

using Made = IdSource::Made;
constexpr std::int64_t start_us = 1'795'186'941'000'000;

// A clock that the test sets and that advances while the source sleeps.
struct SourceTest : testing::Test {
    Clocks clocks() {
        return {[this] { return WallTime{now_us}; },
                [this](Duration wait) {
                    ++sleeps;
                    if (runs) now_us += wait.count() / 1000;
                }};
    }
    IdSource source(std::optional<StateFile> state = std::nullopt) {
        return IdSource(21, 7, std::move(state), clocks());
    }
    std::vector<std::uint64_t> ids(IdSource& source, std::uint32_t count) {
        std::string out = "kept";
        made = source.make(count, out);
        std::vector<std::uint64_t> found;
        for (std::size_t at = 4; at < out.size(); at += 8)
            found.push_back(
                load_be<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(&out[at])));
        EXPECT_TRUE(out.starts_with("kept"));
        return found;
    }
    StateFile state() { return StateFile(path); }

    std::int64_t now_us = start_us;
    bool runs = true;
    int sleeps = 0;
    Made made = Made::all;
    test::TemporaryFolder folder;
    const std::string path = folder.path() + "/state";
};

TEST_F(SourceTest, GivesTheIdsAskedForInOrder) {
    auto s = source();
    const auto first = ids(s, 3);
    ASSERT_EQ(first.size(), 3u);
    const ids::SnowflakeParts expected{start_us / 1000, 21, 7, 0};
    EXPECT_EQ(ids::unpack_snowflake(first[0]), expected);
    EXPECT_EQ(first[1], first[0] + 1);
    EXPECT_EQ(first[2], first[0] + 2);
}

TEST_F(SourceTest, SleepsIntoTheNextMillisecondWhenTheCurrentOneIsFull) {
    auto s = source();
    std::uint64_t last = 0;
    for (int i = 0; i < 100; ++i)
        for (const auto id : ids(s, 255)) {
            ASSERT_GT(id, last);
            last = id;
        }
    EXPECT_EQ(sleeps, 100 * 255 / 4096);
    EXPECT_EQ(ids::unpack_snowflake(last).unix_ms, start_us / 1000 + sleeps);
}

TEST_F(SourceTest, AClockThatStandsStillIsNotWaitedForForEver) {
    auto s = source();
    runs = false;
    for (int i = 0; i < 16; ++i) (void)ids(s, 255);
    EXPECT_TRUE(ids(s, 255).empty());
    EXPECT_EQ(made, Made::behind);
    EXPECT_EQ(s.behind_ms(), 0);
}

TEST_F(SourceTest, AClockThatStepsBackGivesNothingUntilItHasCaughtUp) {
    auto s = source();
    const auto before = ids(s, 2);
    now_us -= 30'000;
    EXPECT_TRUE(ids(s, 1).empty());
    EXPECT_EQ(made, Made::behind);
    EXPECT_EQ(s.behind_ms(), 30);
    now_us = start_us;
    EXPECT_EQ(ids(s, 1).at(0), before[1] + 1);
}

TEST_F(SourceTest, ACrashAndAClockBehindRepeatNothing) {
    std::uint64_t last = 0;
    {
        auto s = source(state());
        for (int i = 0; i < 5000; ++i) {
            last = ids(s, 1).at(0);
            now_us += 1000;
        }
    }
    // The state after a crash: the reservation is ahead of the ids made.
    ASSERT_TRUE(state().reserve(now_us / 1000 + 700));
    now_us -= 2'000'000;
    auto s = source(state());
    EXPECT_TRUE(ids(s, 1).empty());
    EXPECT_EQ(made, Made::behind);
    EXPECT_EQ(s.behind_ms(), 2700);
    now_us += 2'701'000;
    EXPECT_GT(ids(s, 1).at(0), last);
}

TEST_F(SourceTest, TheFileIsAlwaysAheadOfTheIds) {
    auto s = source(state());
    for (int i = 0; i < 3000; ++i) {
        const auto id = ids(s, 1).at(0);
        std::int64_t reserved = 0;
        FILE* file = std::fopen(path.c_str(), "r");
        ASSERT_EQ(std::fscanf(file, "%ld", &reserved), 1);
        std::fclose(file);
        ASSERT_GE(reserved, ids::unpack_snowflake(id).unix_ms);
        ASSERT_LE(reserved, now_us / 1000 + 1000);
        now_us += 1000;
    }
}

TEST_F(SourceTest, AnOrderlyEndNeedsNoWait) {
    std::uint64_t last = 0;
    {
        auto s = source(state());
        last = ids(s, 3).back();
    }
    now_us += 1000;
    auto s = source(state());
    EXPECT_GT(ids(s, 1).at(0), last);
    now_us -= 1000;
    EXPECT_TRUE(ids(s, 1).empty());
}

}  // namespace
}  // namespace ticketgate::noeq
