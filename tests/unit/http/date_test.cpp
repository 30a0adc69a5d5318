#include "http/date.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ticketgate::http {
namespace {

std::string line_at(std::int64_t unix_s) {
    const DateLine line = date_line(WallTime{unix_s * 1'000'000 + 999'999});
    return {line.data(), line.size()};
}

TEST(Date, IsThatOfTheStandard) {
    EXPECT_EQ(line_at(784111777), "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n") << "RFC 9110 5.6.7";
    EXPECT_EQ(line_at(0), "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
    EXPECT_EQ(line_at(951782400), "Date: Tue, 29 Feb 2000 00:00:00 GMT\r\n");
    EXPECT_EQ(line_at(1798761599), "Date: Thu, 31 Dec 2026 23:59:59 GMT\r\n");
}

}  // namespace
}  // namespace ticketgate::http
