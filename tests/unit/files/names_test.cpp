#include "files/names.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ticketgate::files {
namespace {

const std::vector<std::string> patterns{"*.bak", "*~", "composer.json", "#*#", "a*b*c"};

TEST(FilePath, IsTheDecodedNormalForm) {
    std::string path;
    EXPECT_TRUE(file_path("/a%20b/%C3%BC%25%3F", path));
    EXPECT_EQ(path, "/a b/\xC3\xBC%?");
    for (const char* bad : {"*", "", "a", "/a%00", "/a%0", "/a%", "/a%GG"})
        EXPECT_FALSE(file_path(bad, path)) << bad;
}

TEST(FilePath, IsEncodedForALocation) {
    EXPECT_EQ(encoded_path("/a b/\"<>\r\n?#%\xC3\xBC/"), "/a%20b/%22%3C%3E%0D%0A%3F%23%25%C3%BC/");
    EXPECT_EQ(encoded_path("/a-._~!$&'()*+,;=:@/"), "/a-._~!$&'()*+,;=:@/");
}

TEST(Hidden, AreDotsAndPatterns) {
    for (const char* path :
         {"/.env", "/a/.git/config", "/.git", "/..", "/a/..b", "/. ", "/a/.well-known/x", "/x.bak",
          "/x.BAK", "/a/x.bak/y", "/x~", "/composer.json", "/Composer.JSON", "/#x#", "/##",
          "/aXbYc", "/abc", "/a/abbcbc"})
        EXPECT_TRUE(is_hidden(path, patterns)) << path;
    for (const char* path : {"/", "/a", "/.well-known/acme", "/.well-known", "/x.bak2", "/bak",
                             "/composer.jsonx", "/~x", "/a.b/c", "/#x", "/acb", "/a//b"})
        EXPECT_FALSE(is_hidden(path, patterns)) << path;
}

TEST(Hidden, TakesNoLongTimeForHostilePatterns) {
    const std::vector<std::string> hostile{std::string(30, '*') + "a*a*a*a*a*a*c*b"};
    EXPECT_FALSE(is_hidden("/" + std::string(4000, 'a') + "b", hostile));
}

TEST(Script, IsKnownByAnyOfItsEndings) {
    for (const char* name :
         {"/x.php",       "/x.PHP",     "/x.pHp5",    "/x.php7",       "/x.phps",        "/x.phtml",
          "/x.pht",       "/x.phar",    "/x.inc",     "/X.INC",        "/x.php.",        "/x.php..",
          "/x.php ",      "/x.php. .",  "/x.php\n",   "/x.php\x01",    "/x.php.bak",     "/x.php~",
          "/x.php_old",   "/x.php-1",   "/x.php.gz",  "/x.php.br",     "/x.inc.gz",      "/x.inc~",
          "/x.inc.txt",   "/x.inc.1",   "/x.inc_old", "/x.inc.tar.gz", "/x.inc (copy)",  "/x.inc5",
          "/x.class.php", "/x.php.jpg", "/a/.php",    "/x.phpt",       "/x.inc.php5.txt"})
        EXPECT_TRUE(is_script(name)) << name;
    for (const char* name : {"/", "/x", "/php", "/x.phpdoc", "/x.html", "/x.php/y", "/x.inc/y",
                             "/php.js", "/x.increase", "/inc.js", "/x.inc.js", "/x.pharmacy",
                             "/x.gz", "/phpinfo", "/x.phonebook"})
        EXPECT_FALSE(is_script(name)) << name;
}

TEST(Source, IsTheFileThatTheBackendRunsAndItsCopies) {
    const std::vector<std::string> sources{"/app.lua", "/bin/front", "index.lua"};
    for (const char* path : {"/app.lua", "/APP.Lua", "/app.lua.", "/app.lua ", "/app.lua\n",
                             "/app.lua.bak", "/app.lua~", "/app.lua_old", "/app.lua.gz",
                             "/bin/front", "/bin/FRONT", "/index.lua", "/a/b/Index.lua"})
        EXPECT_TRUE(is_source(path, sources)) << path;
    for (const char* path : {"/", "/app", "/app.luac", "/a/app.lua", "/app.lua/x", "/bin/front.css",
                             "/bin/frontend", "/a/index.lua/b", "/my-index.lua"})
        EXPECT_FALSE(is_source(path, sources)) << path;
    EXPECT_FALSE(is_source("/app.lua", {}));
}

TEST(ScriptEnd, IsThatOfTheFirstSegment) {
    EXPECT_EQ(script_end("/a.php"), 6u);
    EXPECT_EQ(script_end("/a.php/b.css"), 6u);
    EXPECT_EQ(script_end("/x/a.php/b.php"), 8u);
    for (const char* path : {"/", "/a.PHP", "/.php", "/a.php5", "/a.phpx/b", "/a"})
        EXPECT_EQ(script_end(path), std::string_view::npos) << path;
}

}  // namespace
}  // namespace ticketgate::files
