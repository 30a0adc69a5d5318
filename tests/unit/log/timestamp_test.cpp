#include "log/timestamp.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace ticketgate {
namespace {

std::string rfc3339(std::int64_t unix_us) {
    std::string out;
    append_rfc3339(out, WallTime{unix_us});
    return out;
}

std::string clf(std::int64_t unix_us) {
    std::string out;
    append_clf(out, WallTime{unix_us});
    return out;
}

TEST(Timestamp, IsUtc) {
    EXPECT_EQ(rfc3339(1'763'626'530'123'456), "2025-11-20T08:15:30.123456Z");
    EXPECT_EQ(rfc3339(-1), "1969-12-31T23:59:59.999999Z");
    EXPECT_EQ(clf(1'763'626'530'123'456), "20/Nov/2025:08:15:30 +0000");
}

// A broken clock may show anything; the text keeps its form.
TEST(Timestamp, OfABrokenClockKeepsItsForm) {
    constexpr std::int64_t first = -62'167'219'200'000'000, last = 253'402'300'799'999'999;
    EXPECT_EQ(rfc3339(first), "0000-01-01T00:00:00.000000Z");
    EXPECT_EQ(rfc3339(last), "9999-12-31T23:59:59.999999Z");
    EXPECT_EQ(rfc3339(first - 1), rfc3339(first));
    EXPECT_EQ(rfc3339(last + 1), rfc3339(last));
    EXPECT_EQ(rfc3339(std::numeric_limits<std::int64_t>::min()), rfc3339(first));
    EXPECT_EQ(clf(std::numeric_limits<std::int64_t>::max()), "31/Dec/9999:23:59:59 +0000");
}

}  // namespace
}  // namespace ticketgate
