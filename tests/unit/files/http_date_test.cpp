#include "files/http_date.hpp"

#include <gtest/gtest.h>

#include "log/timestamp.hpp"

namespace ticketgate::files {
namespace {

TEST(HttpDate, HasThreeForms) {
    for (const char* text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                             "Sun Nov  6 08:49:37 1994"})
        EXPECT_EQ(parse_http_date(text), 784111777) << text;
}

TEST(HttpDate, IsReadAsItIsWritten) {
    for (const std::int64_t second : {0ll, 951782400ll, 1700000000ll, 4102444799ll}) {
        std::string text;
        append_http_date(text, WallTime{second * 1'000'000});
        EXPECT_EQ(parse_http_date(text), second) << text;
    }
}

TEST(HttpDate, OfAnotherFormIsNone) {
    for (const char* text :
         {"", "0", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
          "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
          "Sun, 06 Foo 1994 08:49:37 GMT", "1994-11-06T08:49:37Z", "Sun, 6 Nov 1994 08:49:37 GMT",
          "Sun, 06 Nov 1994 08:49:37 GMT x", "Sun Nov 6", "Sun Nov 06 08:49:37 19944"})
        EXPECT_FALSE(parse_http_date(text)) << text;
}

}  // namespace
}  // namespace ticketgate::files
