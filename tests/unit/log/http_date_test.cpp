#include <gtest/gtest.h>

#include <string>

#include "log/timestamp.hpp"

namespace ticketgate {
namespace {

std::string date_at(std::int64_t unix_s) {
    std::string out;
    append_http_date(out, WallTime{unix_s * 1'000'000 + 999'999});
    return out;
}

TEST(HttpDate, IsThatOfTheStandard) {
    EXPECT_EQ(date_at(784111777), "Sun, 06 Nov 1994 08:49:37 GMT") << "RFC 9110 5.6.7";
    EXPECT_EQ(date_at(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    EXPECT_EQ(date_at(951782400), "Tue, 29 Feb 2000 00:00:00 GMT");
    EXPECT_EQ(date_at(1798761599), "Thu, 31 Dec 2026 23:59:59 GMT");
}

}  // namespace
}  // namespace ticketgate
