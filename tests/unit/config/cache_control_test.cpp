#include "config/cache_control.hpp"

#include <gtest/gtest.h>

namespace ticketgate::config {
namespace {

TEST(CacheControl, TakesWhatCachesUnderstand) {
    for (const char* good :
         {"no-store", "max-age=0", "public, max-age=3600", "Public,Max-Age=3600",
          "public, max-age=31536000, immutable", "private=\"a, b\", no-cache", "no-cache=\"X\"",
          "max-age=60, stale-while-revalidate=30", "community=\"a \\\" b\"", "ext=1"})
        EXPECT_EQ(why_not_cache_control(good), "") << good;
}

TEST(CacheControl, RefusesWhatTheyWouldIgnore) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "is empty"},
        {"epoch", "no directive that caches know"},
        {"max", "no directive that caches know"},
        {"-1", "no directive that caches know"},
        {"1h", "no directive that caches know, and no time; write \"max-age=3600\""},
        {"max-age", "write \"max-age=3600\""},
        {"max-age=1h", "has a number of seconds"},
        {"max-age: 3600", "write them as in"},
        {"Cache-Control: max-age=3", "write them as in"},
        {"public max-age=3600", "write them as in"},
        {"public; max-age=3600", "write them as in"},
        {"public,, max-age=3600", "is no directive"},
        {"public, max-age=3600,", "is no directive"},
        {"private=\"a", "no directive"},
    };
    for (const auto& [text, why] : cases)
        EXPECT_NE(why_not_cache_control(text).find(why), std::string::npos)
            << text << ": " << why_not_cache_control(text);
}

}  // namespace
}  // namespace ticketgate::config
