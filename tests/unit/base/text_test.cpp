#include "base/text.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace ticketgate {
namespace {

using namespace std::string_view_literals;

TEST(Text, ComparesWithoutCase) {
    EXPECT_TRUE(iequals("Transfer-Encoding", "tRANSFER-eNCODING"));
    EXPECT_TRUE(iequals("", ""));
    EXPECT_FALSE(iequals("a", "ab"));
    EXPECT_FALSE(iequals("[", "{"));  // 32 apart, but no letters
    EXPECT_FALSE(iequals("\xc3\x84"sv, "\xe3\x84"sv));
}

TEST(Text, TrimsSpacesAndTabsOnly) {
    EXPECT_EQ(trim(" \t a b\t "), "a b");
    EXPECT_EQ(trim(" \t"), "");
    EXPECT_EQ(trim(""), "");
    EXPECT_EQ(trim("\r\na"), "\r\na");
}

std::vector<std::string> elements(std::string_view list) {
    std::vector<std::string> found;
    for_each_element(list, [&](std::string_view e) { found.emplace_back(e); });
    return found;
}

TEST(Text, SplitsAListAndSkipsEmptyElements) {
    using List = std::vector<std::string>;
    EXPECT_EQ(elements("a, b ,c"), (List{"a", "b", "c"}));
    EXPECT_EQ(elements(",, a,\t,b,"), (List{"a", "b"}));
    EXPECT_EQ(elements(""), List{});
    EXPECT_EQ(elements(" , "), List{});
    EXPECT_EQ(elements("chunked"), List{"chunked"});
}

TEST(Text, FindsAnElementOfAList) {
    EXPECT_TRUE(list_has("keep-alive, Upgrade", "upgrade"));
    EXPECT_FALSE(list_has("keep-alive, Upgrades", "upgrade"));
    EXPECT_FALSE(list_has("", "upgrade"));
    EXPECT_FALSE(list_has("a b", "a"));
}

TEST(Text, ReadsDurations) {
    EXPECT_EQ(parse_duration("500ms"), 500ms);
    EXPECT_EQ(parse_duration("2s"), 2s);
    EXPECT_EQ(parse_duration("1m"), 1min);
    EXPECT_EQ(parse_duration("1h"), 1h);
    EXPECT_EQ(parse_duration("1.5s"), 1500ms);
    EXPECT_EQ(parse_duration("0s"), 0ms);
    EXPECT_EQ(parse_duration("0.25ms"), 0ms);
}

TEST(Text, RefusesBadDurations) {
    for (const auto* text :
         {"", "5", "s", "-1s", "+1s", "1 s", " 1s", "1s ", "1d", "1S", "1e3s", "1ss", ".5s",
          "never", "inf", "nan", "0x10s", "1s2", "99999999999999999h"})
        EXPECT_FALSE(parse_duration(text)) << text;
    EXPECT_FALSE(parse_duration("1s\0"sv));
}

TEST(Text, ReadsSizes) {
    EXPECT_EQ(parse_size("512"), 512u);
    EXPECT_EQ(parse_size("512B"), 512u);
    EXPECT_EQ(parse_size("64KiB"), 65536u);
    EXPECT_EQ(parse_size("8MiB"), 8u << 20);
    EXPECT_EQ(parse_size("1GiB"), 1u << 30);
    EXPECT_EQ(parse_size("2kB"), 2000u);
    EXPECT_EQ(parse_size("1.5MiB"), 1572864u);
    EXPECT_EQ(parse_size("0"), 0u);
}

TEST(Text, RefusesBadSizes) {
    for (const auto* text : {"", "B", "-1", "64 KiB", "64K", "64KB", "64kib", "1e3", "0x10",
                             "64KiBB", "9999999999GiB"})
        EXPECT_FALSE(parse_size(text)) << text;
}

TEST(Text, PrintsWhatItReads) {
    EXPECT_EQ(print_duration(0ms), "0ms");
    EXPECT_EQ(print_duration(1500ms), "1500ms");
    EXPECT_EQ(print_duration(30s), "30s");
    EXPECT_EQ(print_duration(90s), "90s");
    EXPECT_EQ(print_duration(2h), "2h");
    EXPECT_EQ(print_duration(never), "never");
    EXPECT_EQ(print_size(0), "0B");
    EXPECT_EQ(print_size(1000), "1000B");
    EXPECT_EQ(print_size(65536), "64KiB");
    EXPECT_EQ(print_size(3ull << 30), "3GiB");
    for (const milliseconds value : {1ms, 999ms, 61000ms, 3'600'000ms, 86'400'001ms})
        EXPECT_EQ(parse_duration(print_duration(value)), value);
    for (const std::uint64_t value : {1ull, 1023ull, 1536ull, 1048577ull, 5ull << 40})
        EXPECT_EQ(parse_size(print_size(value)), value);
}

TEST(Text, NamesTheNearestWord) {
    constexpr std::array known{"wait_timeout"sv, "hold_timeout"sv, "max_waiting"sv,
                               "max_in_flight"sv};
    EXPECT_EQ(nearest("wait_timeuot", known), "wait_timeout");
    EXPECT_EQ(nearest("Max-Waiting", known), "max_waiting");
    EXPECT_EQ(nearest("hold_timeout", known), "hold_timeout");
    EXPECT_EQ(nearest("colour", known), "");
    EXPECT_EQ(nearest("", known), "");
}

TEST(Text, CountsEdits) {
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("abc", ""), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("same", "SAME"), 0u);
}

}  // namespace
}  // namespace ticketgate
