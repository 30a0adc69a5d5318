#include "files/media_types.hpp"

#include <gtest/gtest.h>

namespace ticketgate::files {
namespace {

// Empty: unknown.
std::string field_of(const MediaTypes& types, std::string_view name) {
    const MediaType* const found = types.of(name);
    return found == nullptr ? std::string() : found->field;
}

TEST(MediaTypes, ComeFromTheTable) {
    const MediaTypes types(
        "# comment\ntext/x-own\t css foo  BAR # more\n\nbroken line\nempty/type\r\n"
        "text/second foo\r\n");
    EXPECT_EQ(field_of(types, "/a/b.css"), "text/x-own; charset=utf-8");
    EXPECT_EQ(field_of(types, "a.FOO"), "text/x-own; charset=utf-8");
    EXPECT_EQ(field_of(types, "a.bar"), "text/x-own; charset=utf-8");
    EXPECT_EQ(field_of(types, "a.line"), "");
}

TEST(MediaTypes, OfTheWebAreKnownWithoutATable) {
    const MediaTypes types("");
    EXPECT_EQ(field_of(types, "x.html"), "text/html; charset=utf-8");
    EXPECT_EQ(field_of(types, "x.min.js"), "text/javascript; charset=utf-8");
    EXPECT_EQ(field_of(types, "x.woff2"), "font/woff2");
    for (const char* name : {"x", "x.", ".html", "/html", "/a.html/x", "x.unknown"})
        EXPECT_EQ(field_of(types, name), "") << name;
}

TEST(MediaTypes, OfTheWebComeBeforeTheOddOnesOfTheTable) {
    const MediaTypes types("text/vnd.trolltech.linguist ts\napplication/x-rss+xml rss\n");
    EXPECT_EQ(field_of(types, "part1.ts"), "video/mp2t");
    EXPECT_EQ(field_of(types, "feed.rss"), "application/rss+xml");
}

TEST(MediaTypes, OfTextsNameTheirCharset) {
    EXPECT_EQ(MediaType("text/html").field, "text/html; charset=utf-8");
    EXPECT_EQ(MediaType("application/javascript").field, "application/javascript; charset=utf-8");
    EXPECT_EQ(MediaType("text/html; charset=iso-8859-1").field, "text/html; charset=iso-8859-1");
    EXPECT_EQ(MediaType("image/svg+xml").field, "image/svg+xml");
}

TEST(MediaTypes, SayWhatCompressionIsFor) {
    for (const char* type : {"text/css; charset=utf-8", "image/svg+xml", "application/json",
                             "application/wasm", "application/ld+json"})
        EXPECT_TRUE(MediaType(type).compressible) << type;
    for (const char* type :
         {"image/png", "font/woff2", "application/gzip", "video/mp4", "application/octet-stream"})
        EXPECT_FALSE(MediaType(type).compressible) << type;
}

}  // namespace
}  // namespace ticketgate::files
