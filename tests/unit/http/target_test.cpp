#include "http/target.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace ticketgate::http {
namespace {

TEST(Target, PathAndAuthority) {
    struct Row {
        std::string_view target, path, authority;
    };
    const Row table[] = {
        {"/", "/", ""},
        {"/a?b?c", "/a", ""},
        {"/?", "/", ""},
        {"//h/a", "//h/a", ""},
        {"/http://h/a", "/http://h/a", ""},
        {"*", "*", ""},
        {"http://h/a?b", "/a", "h"},
        {"HTTPS://h:8/a/", "/a/", "h:8"},
        {"http://h", "/", "h"},
        {"http://h?a", "/", "h"},
        {"http://h/?a/b", "/", "h"},
        {"http://u@h/a", "/a", "u@h"},
        {"http:///a", "", ""},
        {"http://", "", ""},
        {"ftp://h/a", "", ""},
        {"h:80", "", ""},
        {"a/b", "", ""},
        {"*a", "", ""},
        {"", "", ""},
    };
    for (const Row& row : table) {
        EXPECT_EQ(path_of(row.target), row.path) << row.target;
        EXPECT_EQ(authority_of(row.target), row.authority) << row.target;
    }
}

std::string normal(std::string_view path) {
    std::string out = "left over";
    return normalise_path(path, out) ? out : "invalid";
}

// A route for /api/orders must match all of these.
TEST(NormalisePath, SpellingsOfOnePath) {
    const std::string_view spellings[] = {
        "/api/orders",
        "//api/orders",
        "/api//orders",
        "///api////orders",
        "/./api/orders",
        "/api/./orders",
        "/api/././orders",
        "/x/../api/orders",
        "/api/x/../orders",
        "/x/y/../../api/orders",
        "/../api/orders",
        "/../../api/orders",
        "/%61pi/orders",
        "/api/%6Frders",
        "/api/%6frders",
        "/%61%70%69/orders",
        "/api%2Forders",
        "/api%2forders",
        "/%2Fapi/orders",
        "/api%2F/orders",
        "/api\\orders",
        "/\\api/orders",
        "/api%5Corders",
        "/api%5corders",
        "/x/%2e%2e/api/orders",
        "/x/%2E./api/orders",
        "/x/.%2e/api/orders",
        "/api/%2e/orders",
        "/x%2F..%2Fapi/orders",
        "/x\\..\\api\\orders",
        "/x/..%5Capi/orders",
        "/x//../api/orders",
        "/x/y//..//../api/orders",
        "/%2e%2e/%2e%2e/api/orders",
        "/api/orders/x/%2e%2e/../orders",
    };
    for (const auto spelling : spellings) EXPECT_EQ(normal(spelling), "/api/orders") << spelling;
}

TEST(NormalisePath, OtherPaths) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"/", "/"},
        {"//", "/"},
        {"/.", "/"},
        {"/..", "/"},
        {"/../", "/"},
        {"/a/", "/a/"},
        {"/a//", "/a/"},
        {"/a/.", "/a/"},
        {"/a/./", "/a/"},
        {"/a/..", "/"},
        {"/a/b/..", "/a/"},
        {"/a/b/%2e%2e", "/a/"},
        {"/API/..", "/"},
        {"/API/orders", "/API/orders"},
        {"/a%2F", "/a/"},
        {"/.well-known/x", "/.well-known/x"},
        {"/...", "/..."},
        {"/.../a", "/.../a"},
        {"/a./b", "/a./b"},
        {"/a../b", "/a../b"},
        {"/..a/b", "/..a/b"},
        {"/a/.b", "/a/.b"},
        // Parameters belong to their segment, as PHP behind Apache or nginx has it: `..;a` is a
        // name.
        {"/api;x=1/orders", "/api;x=1/orders"},
        {"/x/..;a/api", "/x/..;a/api"},
        {"/x/..%3Ba/api", "/x/..;a/api"},
        {"/x/.;/api", "/x/.;/api"},
        // Kept encoded: characters whose decoding changes the meaning, and characters that must not
        // appear literally. Hex digits in capitals.
        {"/a%25b", "/a%25b"},
        {"/%2561pi", "/%2561pi"},
        {"/a%252Fb", "/a%252Fb"},
        {"/a%3fb", "/a%3Fb"},
        {"/a%23b", "/a%23b"},
        {"/a%20b", "/a%20b"},
        {"/caf%c3%a9", "/caf%C3%A9"},
        {"/a%0ab", "/a%0Ab"},
        {"/a%7fb", "/a%7Fb"},
        // Characters that may be written either way get one form.
        {"/a%40b", "/a@b"},
        {"/a%7Bb%7d", "/a{b}"},
        {"/%7Euser", "/~user"},
        {"*", "*"},
    };
    for (const auto& [path, form] : table) EXPECT_EQ(normal(path), form) << path;
}

TEST(NormalisePath, Invalid) {
    for (const std::string_view path : {"", "a", "a/b", "\\a", "%2Fa", "**", "/%00", "/a%00", "/%",
                                        "/%4", "/a%4", "/%g0", "/%0g", "/%%41", "/%-1"})
        EXPECT_EQ(normal(path), "invalid") << path;
}

TEST(NormalisePath, IsItsOwnNormalForm) {
    for (const std::string_view path :
         {"/%61//b/../%2F.%2e/c%25%32%46", "/a/..;/%3b%2561", "/..%2f..\\.a%5c"}) {
        const auto once = normal(path);
        EXPECT_EQ(normal(once), once) << path;
    }
}

std::vector<std::string> sorted(std::vector<std::string> paths) {
    std::sort(paths.begin(), paths.end());
    return paths;
}

TEST(OtherReadings, AreThePathsThatSomeServersSee) {
    const std::pair<std::string_view, std::vector<std::string>> table[] = {
        {"/a/b", {}},
        {"/a/../b//c/./d;e?%25", {}},
        {"/%61%2e%2E/%3b", {}},
        {"//a///b//", {}},
        {"/a%2Fb", {"/a%2Fb"}},
        {"/a%2f../b", {"/a%2F../b", "/a/../b"}},
        {"/a/..%2fb", {"/a/..%2Fb", "/a/../b"}},
        {"/a\\b", {"/a\\b"}},
        {"/a%5cb", {"/a\\b"}},
        {"/a/..\\b", {"/a/..\\b", "/a/../b"}},
        {"/a//../b", {"/a/b"}},  // `..` takes the empty segment away
        // A dot segment does not leave an empty segment behind (found by fuzzing).
        {"/c/./../q//", {}},
        {"/../x//../..//q", {}},
        {"/a\\%2Fb", {"/a\\/b", "/a/%2Fb", "/a\\%2Fb"}},
    };
    for (const auto& [path, readings] : table) {
        EXPECT_EQ(sorted(other_readings(path)), sorted(readings)) << path;
    }
}

TEST(VerbatimReadings, AreAbsentFromAPathThatIsReadAlike) {
    EXPECT_TRUE(is_read_alike("/admin", "/admin"));
    EXPECT_TRUE(is_read_alike("/admin%0A/x", "/admin%0A/x"));
    EXPECT_FALSE(is_read_alike("/admin%0A", "/admin%0A"));
    EXPECT_FALSE(is_read_alike("/%61dmin", "/admin"));
}

TEST(VerbatimReadings, AreThePathsThatAnApplicationMayCompare) {
    const std::pair<std::string_view, std::vector<std::string>> table[] = {
        {"/a/b", {}},
        {"*", {}},
        {"/orders/%2E%2e", {"/orders/..", "/orders", "/orders/%2E%2e"}},
        {"/orders/..", {"/orders/..", "/orders"}},
        {"/..", {"/.."}},
        {"/shop/../checkout", {"/shop/../checkout", "/shop/checkout"}},
        {"/a/./b", {"/a/./b"}},
        {"//a", {"//a"}},
        {"/%61", {"/%61"}},
        {"/caf%c3%a9", {"/caf%c3%a9"}},
        {"/a/../%62//c",
         {"/a/../b/c", "/a/b/c", "/b//c", "/a/../b//c", "/a/../%62//c", "/a/../%62/c"}},
        {"/%00", {}},
        {"/admin%0A", {"/admin"}},
        {"/admin%0a", {"/admin", "/admin%0a"}},
        {"/x/../admin%0A", {"/admin", "/x/../admin", "/x/../admin%0A", "/x/admin", "/x/admin%0A"}},
        {"/admin%0A%0A", {"/admin%0A"}},
        {"/admin%0A/", {"/admin"}},
        {"/admin%0A/x", {}},
        {"/%0A", {"/"}},
    };
    for (const auto& [path, readings] : table) {
        EXPECT_EQ(sorted(verbatim_readings(path)), sorted(readings)) << path;
    }
}

// PHP: parse_url("//x/admin", PHP_URL_PATH) is "/admin".
TEST(Target, ReadingsBehindWhatParseUrlTakesForAHost) {
    const std::vector<std::pair<std::string, std::vector<std::string>>> table{
        {"/x/admin", {}},
        {"/x//admin", {}},
        {"*", {}},
        {"//x/admin", {"/admin"}},
        {"//x", {"/"}},
        {"//x/", {"/"}},
        {"//x//admin", {"//admin", "/admin"}},
        {"//x%2Fy/%61dmin", {"/%61dmin", "/admin"}},
        {"///admin", {}},
        {"//%zz/admin", {}},
    };
    for (const auto& [path, readings] : table)
        EXPECT_EQ(sorted(readings_behind_host(path)), sorted(readings)) << path;
}

}  // namespace
}  // namespace ticketgate::http
