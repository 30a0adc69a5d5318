#include "files/ranges.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace ticketgate::files {

void PrintTo(const Range& range, std::ostream* out) {
    *out << range.from << "+" << range.size;
}

namespace {

using How = Ranges::How;

TEST(Ranges, AreCutToTheFile) {
    const std::pair<const char*, std::vector<Range>> cases[] = {
        {"bytes=0-0", {{0, 1}}},
        {"bytes=0-99", {{0, 100}}},
        {"bytes=0-1000", {{0, 100}}},
        {"bytes=99-", {{99, 1}}},
        {"bytes=-1", {{99, 1}}},
        {"bytes=-1000", {{0, 100}}},
        {"BYTES=1-2", {{1, 2}}},
        {"bytes= 1-2 , 4-5", {{1, 2}, {4, 2}}},
        {"bytes=5-6,1-2", {{5, 2}, {1, 2}}},
        {"bytes=0-0,200-300", {{0, 1}}},
        {"bytes=0-99999999999999999999999", {{0, 100}}},
        {"bytes=-99999999999999999999999", {{0, 100}}},
        {"bytes=0-0,,2-2", {{0, 1}, {2, 1}}},
    };
    for (const auto& [field, parts] : cases) {
        const Ranges read = read_ranges(field, 100);
        EXPECT_EQ(read.how, How::parts) << field;
        EXPECT_EQ(read.parts, parts) << field;
    }
}

TEST(Ranges, ThatDoNotCountGiveTheWholeFile) {
    for (const char* field : {"", "bytes", "bytes=", "bytes=,", "lines=0-1", "bytes=a-b", "bytes=1",
                              "bytes=-", "bytes=2-1", "bytes=0-0,x", "bytes=+1-2", "bytes=0-1,1-2",
                              "bytes=0-50,-90", "bytes=1-2 3-4", "bytes 0-1"})
        EXPECT_EQ(read_ranges(field, 100).how, How::whole) << field;
}

TEST(Ranges, BeyondTheEndCannotBeSatisfied) {
    for (const char* field : {"bytes=100-", "bytes=100-200", "bytes=-0", "bytes=200-300,400-",
                              "bytes=99999999999999999999999-"})
        EXPECT_EQ(read_ranges(field, 100).how, How::unsatisfiable) << field;
    for (const char* field : {"bytes=0-", "bytes=-1", "bytes=0-0"})
        EXPECT_EQ(read_ranges(field, 0).how, How::unsatisfiable) << field;
}

TEST(Ranges, AreAtMostSixteen) {
    std::string field = "bytes=0-0";
    for (int i = 1; i < 16; ++i) field += "," + std::to_string(2 * i) + "-" + std::to_string(2 * i);
    EXPECT_EQ(read_ranges(field, 100).parts.size(), 16u);
    EXPECT_EQ(read_ranges(field + ",90-90", 100).how, How::whole);
}

}  // namespace
}  // namespace ticketgate::files
