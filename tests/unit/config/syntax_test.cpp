#include "config/syntax.hpp"

#include <gtest/gtest.h>

namespace ticketgate::config {
namespace {

TEST(Syntax, NamesAreSafeInLabelsAndLogs) {
    for (const char* name : {"a", "A-b_c.9", "ab_"}) EXPECT_TRUE(is_name(name)) << name;
    EXPECT_TRUE(is_name(std::string(64, 'x')));
    EXPECT_FALSE(is_name(std::string(65, 'x')));
    for (const char* name : {"", "a b", "a/b", "ä", "a\n", "a\"b", "-", "-c"})
        EXPECT_FALSE(is_name(name)) << name;
}

TEST(Syntax, HeaderValuesHoldNoLineBreak) {
    EXPECT_TRUE(is_header_value("text/html; charset=utf-8\tx \xc3\xa4"));
    for (const char* value : {"a\r\nb", "a\nb", "a\rb", "\x7f", "\x1b[0m"})
        EXPECT_FALSE(is_header_value(value)) << value;
    EXPECT_FALSE(is_header_value(std::string("a\0b", 3)));
    EXPECT_TRUE(is_token("X-Request-Id"));
    EXPECT_TRUE(is_token("UNIQUE_ID"));
    for (const char* name : {"", "a b", "a:", "a\r", "ä", "(x)"})
        EXPECT_FALSE(is_token(name)) << name;
}

TEST(Syntax, AddressesAreIpAndPortOrUnix) {
    std::string why;
    const auto v4 = parse_address("0.0.0.0:8080", why);
    ASSERT_TRUE(v4);
    EXPECT_EQ(*v4, (Listen{"0.0.0.0:8080", "0.0.0.0", 8080, ""}));
    EXPECT_EQ(parse_address("[::1]:80", why), (Listen{"[::1]:80", "::1", 80, ""}));
    EXPECT_EQ(parse_address("unix:/run/t.sock", why),
              (Listen{"unix:/run/t.sock", "", 0, "/run/t.sock"}));
    EXPECT_TRUE(parse_address("127.0.0.1:0", why));
    for (const char* bad :
         {"", "8080", ":8080", "*:8080", "localhost:8080", "::1:80", "[::1]80", "[::1]", "1.2.3.4",
          "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4:8 ", "1.2.3:80", "unix:x", "unix:/",
          "[1.2.3.4]:80", "[::1:80"}) {
        why.clear();
        EXPECT_FALSE(parse_address(bad, why)) << bad;
        EXPECT_FALSE(why.empty()) << bad;
    }
    EXPECT_FALSE(parse_address("unix:/" + std::string(108, 'x'), why));
}

TEST(Syntax, UrlsAreHttpOrUnix) {
    struct Case {
        const char *url, *host;
        std::uint16_t port;
    };
    for (const auto& [url, host, port] :
         {Case{"http://app", "app", 80}, Case{"http://app:8000", "app", 8000},
          Case{"HTTP://1.2.3.4:1/", "1.2.3.4", 1}, Case{"http://[::1]:9", "::1", 9},
          Case{"http://php_fpm.svc-1:80", "php_fpm.svc-1", 80}, Case{"fastcgi://fpm", "fpm", 9000},
          Case{"fastcgi://[::1]:9001", "::1", 9001}, Case{"https://app", "app", 443},
          Case{"https://app:8443", "app", 8443}}) {
        Upstream upstream;
        std::string why;
        EXPECT_TRUE(parse_url(url, upstream, why)) << url << ": " << why;
        EXPECT_EQ(upstream.host, host);
        EXPECT_EQ(upstream.port, port);
        EXPECT_EQ(upstream.url, url);
        EXPECT_EQ(upstream.https, std::string_view(url).starts_with("https"));
    }
    Upstream upstream;
    std::string why;
    EXPECT_TRUE(parse_url("unix:/run/php.sock", upstream, why));
    EXPECT_EQ(upstream.unix_path, "/run/php.sock");
    EXPECT_FALSE(is_fcgi_url(upstream.url));
    EXPECT_TRUE(parse_url("fastcgi+unix:/run/fpm.sock", upstream, why));
    EXPECT_EQ(upstream.unix_path, "/run/fpm.sock");
    EXPECT_TRUE(is_fcgi_url(upstream.url));
    for (const char* bad : {"",
                            "fastcgi:/run/fpm.sock",
                            "fastcgi+unix:fpm.sock",
                            "fastcgi://",
                            "app:80",
                            "https://app/x",
                            "ftp://a",
                            "http://",
                            "http://:80",
                            "http://a/b",
                            "http://a?x",
                            "http://u@a",
                            "http://u:p@a",
                            "http://a:0",
                            "http://a:x",
                            "http://a:70000",
                            "http://a b",
                            "http://::1:80",
                            "http://[::1",
                            "unix:run",
                            "http:/a",
                            "http://a:80#f",
                            "http://a\r\n"}) {
        why.clear();
        EXPECT_FALSE(parse_url(bad, upstream, why)) << bad;
        EXPECT_FALSE(why.empty()) << bad;
    }
}

TEST(Syntax, NetworksAreAddressesOrCidrs) {
    for (const char* good : {"10.0.0.0/8", "1.2.3.4", "::1", "fd00::/8", "0.0.0.0/0", "::/128"})
        EXPECT_TRUE(is_network(good)) << good;
    for (const char* bad :
         {"", "10.0.0.0/33", "10.0.0/8", "::/129", "a/8", "1.2.3.4/", "1.2.3.4/-1", "localhost"})
        EXPECT_FALSE(is_network(bad)) << bad;
}

TEST(Syntax, PrefixesMustBeAbleToMatch) {
    for (const char* good : {"/", "/a", "/a/b/", "/a.b/..c/...", "/a%20b", "/%C3%A4", "/a;b=c",
                             "/a-b_c~d", "/a%25", "/%3F%23"})
        EXPECT_EQ(why_not_normal(good), "") << good;
    for (const char* bad :
         {"",     "a",    "//",   "/a//b", "/.",   "/a/./b", "/a/..",  "/../a",   "/a?b",
          "/a#b", "/a b", "/ä",   "/a\\b", "/%41", "/%2F",   "/%5C",   "/%c3%a4", "/%",
          "/%4",  "/%zz", "/%00", "/%21",  "/%3B", "/a\n",   "/%2E%2E"})
        EXPECT_NE(why_not_normal(bad), "") << bad;
}

TEST(Syntax, KnowsLoopback) {
    std::string why;
    for (const char* text : {"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "unix:/a"})
        EXPECT_TRUE(is_loopback(*parse_address(text, why))) << text;
    for (const char* text : {"0.0.0.0:1", "[::]:1", "10.0.0.1:1"})
        EXPECT_FALSE(is_loopback(*parse_address(text, why))) << text;
}

}  // namespace
}  // namespace ticketgate::config
