#include "http/redirect.hpp"

#include <gtest/gtest.h>

#include <ostream>

#include "http/parser.hpp"

namespace ticketgate::http {
namespace {

const BackendAddress loopback{false, "127.0.0.1", 8000};
const BackendAddress by_name{false, "app", 80};
const BackendAddress ipv6{false, "[::1]", 8000};
const BackendAddress secure{true, "app.internal", 8443};

struct Case {
    const char* what;
    BackendAddress backend;
    AskedAs asked;
    std::string url, out;  ///< `out` empty: it stays as it is
};

void PrintTo(const Case& c, std::ostream* out) {
    *out << c.what;
}

class ForClient : public testing::TestWithParam<Case> {};

TEST_P(ForClient, Table) {
    const Case& c = GetParam();
    EXPECT_EQ(for_client(c.url, c.backend, c.asked).value_or(""), c.out) << c.url;
}

const AskedAs shop{false, "shop.example"};
const AskedAs shop_tls{true, "shop.example"};
const AskedAs shop_8080{false, "shop.example:8080"};

const Case cases[] = {
    {"the backend's own address", loopback, shop, "http://127.0.0.1:8000/dir/",
     "http://shop.example/dir/"},
    {"its address, by a client with a port", loopback, shop_8080, "http://127.0.0.1:8000/dir/?a#b",
     "http://shop.example:8080/dir/?a#b"},
    {"its address, by a client with TLS", loopback, shop_tls, "http://127.0.0.1:8000/",
     "https://shop.example/"},
    {"without a path", loopback, shop, "http://127.0.0.1:8000", "http://shop.example"},
    {"a query behind the authority", loopback, shop, "http://127.0.0.1:8000?a",
     "http://shop.example?a"},
    {"capital letters", by_name, shop, "HTTP://APP/x", "http://shop.example/x"},
    {"the default port left out", by_name, shop, "http://app/x", "http://shop.example/x"},
    {"the default port written out", by_name, shop, "http://app:80/x", "http://shop.example/x"},
    {"IPv6", ipv6, shop, "http://[::1]:8000/x", "http://shop.example/x"},
    {"a backend with TLS", secure, shop, "https://app.internal:8443/x", "http://shop.example/x"},
    {"no scheme", loopback, shop, "//127.0.0.1:8000/x", "//shop.example/x"},

    {"the client's host with the backend's port", loopback, shop, "http://shop.example:8000/dir/",
     "http://shop.example/dir/"},
    {"and the client has a port of its own", loopback, shop_8080, "http://shop.example:8000/dir/",
     "http://shop.example:8080/dir/"},
    {"an application that knows of TLS", loopback, shop_tls, "https://shop.example:8000/dir/",
     "https://shop.example/dir/"},
    {"one that does not", loopback, shop_tls, "http://shop.example:8000/dir/",
     "https://shop.example/dir/"},
    {"no scheme, its port", loopback, shop, "//SHOP.example:8000/x", "//shop.example/x"},
    {"IPv6 of the client", loopback, AskedAs{false, "[2001:db8::1]"}, "http://[2001:db8::1]:8000/x",
     "http://[2001:db8::1]/x"},
    {"a backend with TLS, its port", secure, shop, "https://shop.example:8443/x",
     "http://shop.example/x"},

    {"relative", loopback, shop, "/dir/", ""},
    {"a relative URL with a colon", loopback, shop, "dir:8000/", ""},
    {"empty", loopback, shop, "", ""},
    {"right already", loopback, shop, "http://shop.example/dir/", ""},
    {"the client's own port is the backend's", loopback, AskedAs{false, "shop.example:8000"},
     "http://shop.example:8000/dir/", ""},
    {"another host", loopback, shop, "http://other.example:8000/", ""},
    {"a host that begins alike", loopback, shop, "http://127.0.0.1:8000.evil.example/", ""},
    {"a port that begins alike", loopback, shop, "http://127.0.0.1:80001/", ""},
    {"another port of the client's host", loopback, shop, "http://shop.example:9000/", ""},
    {"another port of the backend's host", loopback, shop, "http://127.0.0.1:9000/", ""},
    {"the backend's host without its port", loopback, shop, "http://127.0.0.1/", ""},
    {"a user in it", loopback, shop, "http://u@127.0.0.1:8000/", ""},
    {"the other scheme at the backend's address", loopback, shop, "https://127.0.0.1:8000/", ""},
    {"to TLS, at the default port", by_name, shop, "https://shop.example/", ""},
    {"to TLS, at a port that is the backend's too", BackendAddress{false, "app", 8443}, shop,
     "https://shop.example:8443/", ""},
    {"from TLS, at the backend's default port", by_name, shop_tls, "http://shop.example/", ""},
    {"the same, written out", by_name, shop_tls, "http://shop.example:80/", ""},
    {"other schemes", loopback, shop, "ftp://127.0.0.1:8000/", ""},
    {"no port where one must be", loopback, shop, "http://shop.example:/", ""},
    {"HTTP/1.0 without a host", loopback, AskedAs{}, "http://127.0.0.1:8000/", ""},
};

INSTANTIATE_TEST_SUITE_P(, ForClient, testing::ValuesIn(cases));

TEST(AskedAsOf, ReadsTheRequestThatTheBackendGets) {
    const auto asked = asked_as(
        "GET /?host: x HTTP/1.1\r\nX-Host: no\r\nhOST:  shop.example:81 \r\nAccept: */*\r\n"
        "X-Forwarded-Proto: https\r\nX-Forwarded-Host: other\r\n\r\n");
    EXPECT_EQ(asked.host, "shop.example:81");
    EXPECT_TRUE(asked.https);
    EXPECT_EQ(asked_as("GET / HTTP/1.1\r\n\r\n").host, "");
}

std::string lines_of(const std::string& fields) {
    ResponseHead head;
    const std::string response = "HTTP/1.1 302 Found\r\n" + fields + "\r\n";
    const auto parsed = parse_response(response, HeadLimits{}, false, head);
    EXPECT_TRUE(parsed && *parsed == Progress::done);
    std::string lines = "before|";
    const bool any = rewrite_redirects(head, loopback, "GET / HTTP/1.1\r\nHost: a\r\n\r\n", lines);
    EXPECT_EQ(any, lines != "before|");
    return lines.substr(7);
}

TEST(RewriteRedirects, OfLocationAndRefresh) {
    EXPECT_EQ(lines_of("location:http://127.0.0.1:8000/x \r\n"), "location:http://a/x \r\n");
    EXPECT_EQ(lines_of("Refresh: 5; URL=http://a:8000/x\r\n"), "Refresh: 5; URL=http://a/x\r\n");
    EXPECT_EQ(lines_of("Refresh: 0;url=\"http://a:8000/x\"\r\n"),
              "Refresh: 0;url=\"http://a/x\"\r\n");
    EXPECT_EQ(lines_of("Refresh: 0;url='http://a:8000/x'; y\r\n"),
              "Refresh: 0;url='http://a/x'; y\r\n");
}

TEST(RewriteRedirects, LeavesOthersAsTheyAre) {
    EXPECT_EQ(lines_of("Location: /x\r\nContent-Location: http://127.0.0.1:8000/x\r\n"), "");
    EXPECT_EQ(lines_of("Link: <http://127.0.0.1:8000/x>\r\nRefresh: 5\r\n"), "");
    EXPECT_EQ(lines_of("Refresh: 5; url=\"\r\nX: http://127.0.0.1:8000/\r\n"), "");
}

// Both fields are removed and written anew, so a correct one must be written again too.
TEST(RewriteRedirects, WriteBothFieldsAnewIfOneChanges) {
    EXPECT_EQ(lines_of("Location: /x\r\nRefresh: 1; url=http://127.0.0.1:8000/\r\n"),
              "Location: /x\r\nRefresh: 1; url=http://a/\r\n");
}

}  // namespace
}  // namespace ticketgate::http
