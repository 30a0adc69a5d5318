#include "fcgi/script.hpp"

#include <gtest/gtest.h>

#include "http/target.hpp"

namespace ticketgate::fcgi {
namespace {

// The target of a request as it arrives.
Script script(std::string_view path, const Scripts& scripts = {}) {
    std::string normal;
    EXPECT_TRUE(http::normalise_path(path, normal));
    return find_script(normal, scripts);
}

TEST(Script, IsTheFirstSegmentThatEndsInPhp) {
    EXPECT_EQ(script("/a.php"), (Script{"/a.php", ""}));
    EXPECT_EQ(script("/x/a.php/b/c"), (Script{"/x/a.php", "/b/c"}));
    EXPECT_EQ(script("/a.php/"), (Script{"/a.php", "/"}));
    EXPECT_EQ(script("/a.php/b.php"), (Script{"/a.php", "/b.php"}));
    EXPECT_EQ(script("/a.phpx/b.php"), (Script{"/a.phpx/b.php", ""}));
}

TEST(Script, OfOtherPathsIsTheFrontController) {
    for (const char* path : {"/", "/shop/cart", "/shop/", "/upload.jpg", "/.php", "/a.PHP", "*"})
        EXPECT_EQ(script(path), (Script{"/index.php", ""})) << path;
}

TEST(Script, WithoutFrontControllerIsTheIndexOfTheFolder) {
    const Scripts none{.root = "/w", .front = "", .index = "index.php"};
    EXPECT_EQ(script("/", none), (Script{"/index.php", ""}));
    EXPECT_EQ(script("/admin/", none), (Script{"/admin/index.php", ""}));
    EXPECT_EQ(script("/admin", none), (Script{"/admin/index.php", ""}));
    EXPECT_EQ(script("/a.php/x", none), (Script{"/a.php", "/x"}));
    EXPECT_EQ(script("*", none), (Script{"/index.php", ""}));
}

TEST(Script, WithoutSplitIsAlwaysTheOne) {
    const Scripts one{.root = "/w", .front = "/app.php", .split = false};
    for (const char* path : {"/", "/app.php", "/vendor/evil.php", "/a.php/b"})
        EXPECT_EQ(script(path, one), (Script{"/app.php", ""})) << path;
}

// SCRIPT_FILENAME always ends in .php: otherwise PHP with cgi.fix_pathinfo could run an uploaded
// picture for /picture.jpg/x.php where security.limit_extensions is off.
TEST(Script, AlwaysEndsInPhp) {
    for (const char* path : {"/a.jpg", "/a.jpg/", "/a.jpg%00.php", "/a.jpg/b.php/c.gif", "/%2ephp"})
        for (const Scripts& scripts : {Scripts{}, Scripts{.root = "/w", .front = ""}}) {
            std::string normal;
            if (!http::normalise_path(path, normal)) continue;
            EXPECT_TRUE(find_script(normal, scripts).name.ends_with(".php")) << path;
        }
}

TEST(Script, CannotLeaveTheRoot) {
    for (const char* path : {"/../a.php", "/x/../../a.php", "/%2e%2e/a.php", "/..%2fa.php",
                             "/..%5c..%5ca.php", "//a.php", "/x%2f..%2f../a.php"})
        EXPECT_EQ(script(path), (Script{"/a.php", ""})) << path;
}

TEST(Script, IsDecodedOnce) {
    EXPECT_EQ(script("/a%20b.php/%C3%A4"), (Script{"/a b.php", "/\xC3\xA4"}));
    EXPECT_EQ(script("/a.php/%252e%252e/%3F%23"), (Script{"/a.php", "/%2e%2e/?#"}));
    EXPECT_EQ(script("/%61.ph%70"), (Script{"/a.php", ""}));
}

TEST(Script, IsToldWithThePathInfoOfTheConfig) {
    Scripts scripts;
    EXPECT_EQ(told_script({"/a.php", "/i"}, scripts), (Script{"/a.php", "/i"}));
    for (const char* value : {"", "/p"}) {
        scripts.params = {{"APP_ENV", "x"}, {"PATH_INFO", value}};
        EXPECT_EQ(told_script({"/a.php", "/i"}, scripts), (Script{"/a.php", value}));
    }
}

TEST(Script, HasNoControlCharacters) {
    EXPECT_EQ(script("/a%0D%0Ab.php/%7F%09"), (Script{"/a%0D%0Ab.php", "/%7F%09"}));
}

}  // namespace
}  // namespace ticketgate::fcgi
