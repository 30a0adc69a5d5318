#include "files/conditions.hpp"

#include <gtest/gtest.h>

namespace ticketgate::files {
namespace {

constexpr const char* before = "Tue, 14 Nov 2023 22:13:19 GMT";
constexpr const char* same = "Tue, 14 Nov 2023 22:13:20 GMT";
constexpr const char* after = "Tue, 14 Nov 2023 22:13:21 GMT";
const Validators file{"\"a-1\"", 1700000000, true};

struct Case {
    Preconditions asked;
    Verdict verdict;
};

TEST(Conditions, DecideInTheOrderOfTheRfc) {
    using enum Verdict;
    const Case cases[] = {
        {{}, go_on},
        {{.if_match = "\"a-1\""}, go_on},
        {{.if_match = "\"x\", \"a-1\""}, go_on},
        {{.if_match = "*"}, go_on},
        {{.if_match = "\"x\""}, failed},
        {{.if_match = "W/\"a-1\""}, failed},
        {{.if_match = "nonsense"}, failed},
        {{.if_none_match = "\"a-1\""}, not_modified},
        {{.if_none_match = "W/\"a-1\""}, not_modified},
        {{.if_none_match = "\"a,b\" , \"a-1\""}, not_modified},
        {{.if_none_match = "*"}, not_modified},
        {{.if_none_match = "\"x\""}, go_on},
        {{.if_none_match = "\"a-1"}, go_on},
        {{.if_modified_since = before}, go_on},
        {{.if_modified_since = same}, not_modified},
        {{.if_modified_since = after}, not_modified},
        {{.if_modified_since = "yesterday"}, go_on},
        {{.if_unmodified_since = before}, failed},
        {{.if_unmodified_since = same}, go_on},
        {{.if_unmodified_since = "yesterday"}, go_on},
        // the tag counts, not the date beside it
        {{.if_none_match = "\"x\"", .if_modified_since = same}, go_on},
        {{.if_match = "\"a-1\"", .if_unmodified_since = before}, go_on},
        {{.if_match = "\"x\"", .if_none_match = "\"a-1\""}, failed},
    };
    for (const Case& one : cases)
        EXPECT_EQ(judge(one.asked, file), one.verdict)
            << one.asked.if_match << " " << one.asked.if_none_match << " "
            << one.asked.if_modified_since << " " << one.asked.if_unmodified_since;
}

TEST(Conditions, OfARangeNeedAStrongValidator) {
    EXPECT_TRUE(range_applies(std::nullopt, file));
    EXPECT_TRUE(range_applies("\"a-1\"", file));
    EXPECT_TRUE(range_applies(same, file));
    for (const char* other : {"W/\"a-1\"", "\"b\"", before, after, "nonsense", ""})
        EXPECT_FALSE(range_applies(other, file)) << other;
    EXPECT_FALSE(range_applies(same, {"\"a-1\"", 1700000000, false}));
    EXPECT_FALSE(range_applies("W/\"a-1\"", {"W/\"a-1\"", 1700000000, true}));
}

TEST(EntityTag, DiffersWithTimeSizeAndCoding) {
    EXPECT_EQ(entity_tag(255, 16, "", false), "\"ff-10\"");
    EXPECT_EQ(entity_tag(255, 16, "gzip", false), "\"ff-10-gzip\"");
    EXPECT_EQ(entity_tag(255, 16, "", true), "W/\"ff-10\"");
    EXPECT_EQ(entity_tag(-1, 0, "", false), "\"ffffffffffffffff-0\"");
}

}  // namespace
}  // namespace ticketgate::files
