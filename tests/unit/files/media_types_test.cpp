#include "files/media_types.hpp"

#include <gtest/gtest.h>

namespace ticketgate::files {
namespace {

TEST(MediaTypes, ComeFromTheTable) {
    const MediaTypes types(
        "# comment\ntext/x-own\t css foo  BAR # more\n\nbroken line\nempty/type\r\n"
        "text/second foo\r\n");
    EXPECT_EQ(types.of("/a/b.css"), "text/x-own");
    EXPECT_EQ(types.of("a.FOO"), "text/x-own");
    EXPECT_EQ(types.of("a.bar"), "text/x-own");
    EXPECT_EQ(types.of("a.line"), "");
}

TEST(MediaTypes, OfTheWebAreKnownWithoutATable) {
    const MediaTypes types("");
    EXPECT_EQ(types.of("x.html"), "text/html");
    EXPECT_EQ(types.of("x.min.js"), "text/javascript");
    EXPECT_EQ(types.of("x.woff2"), "font/woff2");
    for (const char* name : {"x", "x.", ".html", "/html", "/a.html/x", "x.unknown"})
        EXPECT_EQ(types.of(name), "") << name;
}

TEST(MediaTypes, OfTheWebComeBeforeTheOddOnesOfTheTable) {
    const MediaTypes types("text/vnd.trolltech.linguist ts\napplication/x-rss+xml rss\n");
    EXPECT_EQ(types.of("part1.ts"), "video/mp2t");
    EXPECT_EQ(types.of("feed.rss"), "application/rss+xml");
}

TEST(MediaTypes, OfTextsNameTheirCharset) {
    EXPECT_EQ(with_charset("text/html"), "text/html; charset=utf-8");
    EXPECT_EQ(with_charset("application/javascript"), "application/javascript; charset=utf-8");
    EXPECT_EQ(with_charset("text/html; charset=iso-8859-1"), "text/html; charset=iso-8859-1");
    EXPECT_EQ(with_charset("image/svg+xml"), "image/svg+xml");
}

TEST(MediaTypes, SayWhatCompressionIsFor) {
    for (const char* type : {"text/css; charset=utf-8", "image/svg+xml", "application/json",
                             "application/wasm", "application/ld+json"})
        EXPECT_TRUE(is_compressible(type)) << type;
    for (const char* type :
         {"image/png", "font/woff2", "application/gzip", "video/mp4", "application/octet-stream"})
        EXPECT_FALSE(is_compressible(type)) << type;
}

}  // namespace
}  // namespace ticketgate::files
