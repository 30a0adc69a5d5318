// Each way a request may be wrong, its refusal, and the rule it breaks. Most rows are one half of a
// known request smuggling pair: some other server reads them differently.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "http/parser.hpp"

namespace ticketgate::http {
namespace {

using std::string_literals::operator""s;

struct Refused {
    const char* rule;
    std::string bytes;
    errc refusal = errc::bad_request;
};

// Escapes bytes as the source does. GoogleTest's own printer repeats UTF-8 unescaped, which a test
// name cannot contain.
std::string printed(std::string_view bytes) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string text;
    for (const unsigned char byte : bytes)
        if (byte == '\r' || byte == '\n' || byte == '\t')
            text += byte == '\r' ? "\\r" : byte == '\n' ? "\\n" : "\\t";
        else if (byte >= ' ' && byte < 0x7f)
            text += static_cast<char>(byte);
        else
            text.append("\\x").append({digits[byte >> 4], digits[byte & 15]});
    return text;
}

void PrintTo(const Refused& r, std::ostream* out) {
    *out << r.rule << ": \"" << printed(r.bytes) << '"';
}

class RefusedRequest : public testing::TestWithParam<Refused> {};

TEST_P(RefusedRequest, Whole) {
    RequestHead head;
    const auto progress = parse_request(GetParam().bytes, HeadLimits{}, head);
    ASSERT_FALSE(progress);
    EXPECT_EQ(progress.error(), GetParam().refusal) << progress.error().message();
}

// The log needs a reason for each refusal.
TEST_P(RefusedRequest, SaysWhy) {
    RequestHead head;
    EXPECT_FALSE(parse_request(GetParam().bytes, HeadLimits{}, head));
    EXPECT_FALSE(head.complaint.empty());
}

TEST(Complaint, NamesTheRule) {
    RequestHead head;
    const auto complaint = [&](const std::string& lines) {
        EXPECT_FALSE(parse_request("GET / HTTP/1.1\r\n" + lines + "\r\n", HeadLimits{}, head));
        return head.complaint;
    };
    EXPECT_EQ(complaint("Host: a\r\nHost: a\r\n"), "two Host fields");
    EXPECT_EQ(complaint("Host: a\r\nContent-Length: x\r\n"),
              "Content-Length malformed, twice, or beside Transfer-Encoding");
    EXPECT_EQ(complaint("Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
              "Transfer-Encoding other than one chunked, or beside Content-Length");
    EXPECT_EQ(complaint("Host: a\r\nX : b\r\n"), "a malformed field name");
    EXPECT_EQ(complaint("Host: a\r\nExpect: b\r\n"), "an Expect other than 100-continue");
    EXPECT_EQ(complaint(""), "no Host, or one that differs from the target's");
    ASSERT_TRUE(parse_request("GET / HTTP/1.1\r\nHost: a\r\n\r\n", HeadLimits{}, head));
    EXPECT_EQ(head.complaint, "") << "not the one before's";
}

// The input grows by one byte at a time; the refusal may come early but must be the same.
TEST_P(RefusedRequest, ByteByByte) {
    const std::string_view bytes = GetParam().bytes;
    RequestHead head;
    for (std::size_t size = 1; size <= bytes.size(); ++size) {
        const auto progress = parse_request(bytes.substr(0, size), HeadLimits{}, head, size - 1);
        if (progress) {
            ASSERT_EQ(*progress, Progress::need_more) << size;
            continue;
        }
        EXPECT_EQ(progress.error(), GetParam().refusal) << progress.error().message();
        return;
    }
    FAIL() << "never refused";
}

std::string repeat(std::string_view part, int times) {
    std::string whole;
    while (times-- > 0) whole += part;
    return whole;
}
std::string with(const std::string& fields) {
    return "POST / HTTP/1.1\r\nHost: h\r\n" + fields + "\r\n";
}
std::string line(const std::string& start) {
    return start + "\r\nHost: h\r\n\r\n";
}
std::string target(const std::string& text) {
    return line("GET " + text + " HTTP/1.1");
}
std::string host(const std::string& value) {
    return "GET / HTTP/1.1\r\nHost: " + value + "\r\n\r\n";
}

const Refused lines[] = {
    {"9112 2.2 bare LF ends the request line", "GET / HTTP/1.1\nHost: h\r\n\r\n"},
    {"9112 2.2 bare LF ends a field", "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n"},
    {"9112 2.2 bare LF ends the head", "GET / HTTP/1.1\r\nHost: h\r\n\n"},
    {"9112 2.2 bare LF before CRLF", "GET / HTTP/1.1\r\nHost: h\n\r\n"},
    {"9112 2.2 bare LF first", "\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"9112 2.2 bare LF after an empty line", "\r\n\nGET / HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"9112 2.2 bare CR first", "\rGET / HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"9112 2.2 bare CR in a value", with("X: a\rb\r\n")},
    {"9112 2.2 bare CR before CRLF", with("X: a\r\r\n")},
    {"9112 2.2 bare CR in a name", with("X\ra: b\r\n")},
    {"9112 2.2 bare CR in the request line", line("GET /\r HTTP/1.1")},
    {"9112 2.2 whitespace before the first field", "GET / HTTP/1.1\r\n Host: h\r\n\r\n"},
    {"9112 5.2 obs-fold with SP", with("X: a\r\n b\r\n")},
    {"9112 5.2 obs-fold with HT", with("X: a\r\n\tb\r\n")},
    {"9112 5.2 obs-fold of nothing", with("X:\r\n \r\n")},
    {"9112 5.2 obs-fold of the last line", with("X: a\r\n ")},
    {"9112 5.1 space before the colon", with("X : a\r\n")},
    {"9112 5.1 tab before the colon", with("Content-Length\t: 1\r\n")},
    {"9112 5 no name", with(": a\r\n")},
    {"9112 5 no colon", with("X\r\n")},
    {"9110 5.1 name is no token", with("X(a): b\r\n")},
    {"9110 5.1 non-ASCII name", with("X\xc3\xa9: b\r\n")},
    {"9110 5.5 NUL in a value", with("X: a\0b\r\n"s)},
    {"9110 5.5 NUL in a name", with("X\0: b\r\n"s)},
    {"9110 5.5 control in a value", with("X: a\x01\r\n")},
    {"9110 5.5 VT in a value", with("Transfer-Encoding: \x0b"
                                    "chunked\r\n")},
    {"9110 5.5 DEL in a value", with("X: a\x7f\r\n")},
};

const Refused request_lines[] = {
    {"9112 3 leading space", " GET / HTTP/1.1\r\nHost: h\r\n\r\n"},
    {"9112 3 two spaces before the target", line("GET  / HTTP/1.1")},
    {"9112 3 two spaces after the target", line("GET /  HTTP/1.1")},
    {"9112 3 tab for space", line("GET\t/ HTTP/1.1")},
    {"9112 3 space at the end", line("GET / HTTP/1.1 ")},
    {"9112 3 no version (0.9)", "GET /\r\n\r\n"},
    {"9112 3 no target", line("GET HTTP/1.1")},
    {"9112 3 four words", line("GET / a HTTP/1.1")},
    {"9112 3.1 method is no token", line("G@T / HTTP/1.1")},
    {"9112 3.1 method too long", line(std::string(33, 'M') + " / HTTP/1.1")},
    {"TLS on a plain port", "\x16\x03\x01\x02"s},
    {"9112 2.3 lower-case name", line("GET / http/1.1")},
    {"9112 2.3 minor version unknown", line("GET / HTTP/1.2")},
    {"9112 2.3 two digits", line("GET / HTTP/1.10")},
    {"9112 2.3 two digits of major", line("GET / HTTP/11.0")},
    {"9112 2.3 no minor", line("GET / HTTP/2")},
    {"9112 2.3 letter", line("GET / HTTP/x.1")},
    {"9110 15.6.6 2.0", line("GET / HTTP/2.0"), errc::version_refused},
    {"9110 15.6.6 0.9", line("GET / HTTP/0.9"), errc::version_refused},
    {"9113 3.4 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", errc::version_refused},
    {"9110 9.3.6 CONNECT", line("CONNECT h:443 HTTP/1.1"), errc::method_refused},
    {"9110 9.3.8 TRACE", line("TRACE / HTTP/1.1"), errc::method_refused},
    {"9112 3.2 relative target", target("a/b")},
    {"9112 3.2 authority-form", target("h:80")},
    {"9112 3.2.4 asterisk with GET", target("*")},
    {"9112 3.2.4 more than an asterisk", line("OPTIONS *a HTTP/1.1")},
    {"9112 3.2 fragment", target("/a#b")},
    {"9112 3.2 control", target("/a\x01")},
    {"9112 3.2 NUL", target("/a\0b"s)},
    {"9112 3.2 DEL", target("/a\x7f")},
    {"9112 3.2 non-ASCII", target("/caf\xc3\xa9")},
    {"9112 3 target too long", target("/" + std::string(8192, 'a')), errc::uri_too_long},
    {"9112 3 request line longer than a head", "GET /" + std::string(40000, 'a'),
     errc::uri_too_long},
    {"9110 4.2 another scheme", target("ftp://h/")},
    {"9110 4.2.1 no host in the URI", target("http:///a")},
    {"9110 4.2.4 userinfo", target("http://u@h/")},
    {"9112 3.2.2 authority is not Host", target("http://other/")},
    {"9112 3.2.2 authority has another port", target("http://h:81/")},
    {"9112 3.2.2 Host empty", "GET http://h/ HTTP/1.1\r\nHost:\r\n\r\n"},
};

const Refused hosts[] = {
    {"3986 3.2.2 no IPv6 address", host("[zz]")},
    {"1034 3.1 the root alone", host(".")},
    {"1034 3.1 the root and a port", host(".:80")},
    {"1034 3.1 an empty label", host("a..b")},
    {"1034 3.1 an empty label first", host(".a")},
    {"3986 3.2.2 half an IPv6 address", host("[1]")},
    {"3986 3.2.2 no such IP version", host("[v1.a]")},
    {"3986 2.1 no code", host("%zz")},
    {"3986 2.1 half a code", host("a%4")},
    {"3986 2.1 code of NUL", host("%00")},
    {"3986 2.1 code of LF", host("a%0ab")},
    {"6335 6 port too large", host("a:65536")},
    {"6335 6 port far too large", host("[::1]:99999")},
    {"9112 3.2 no Host", "GET / HTTP/1.1\r\n\r\n"},
    {"9112 3.2 no Host with absolute-form", "GET http://h/ HTTP/1.1\r\n\r\n"},
    {"9112 3.2 two Hosts", with("Host: h\r\n")},
    {"9112 3.2 two Hosts in 1.0", "GET / HTTP/1.0\r\nHost: h\r\nHost: h\r\n\r\n"},
    {"9112 3.2 space", host("a b")},
    {"9112 3.2 list", host("a,b")},
    {"9112 3.2 path", host("a/b")},
    {"9112 3.2 userinfo", host("u@a")},
    {"9112 3.2 port is no number", host("a:b")},
    {"9112 3.2 two ports", host("a:1:2")},
    {"9112 3.2 port alone", host(":80")},
    {"9112 3.2 open bracket", host("[::1")},
    {"9112 3.2 empty brackets", host("[]")},
    {"9112 3.2 text after brackets", host("[::1]a")},
    {"9112 3.2 non-ASCII", host("caf\xc3\xa9")},
};

const Refused framings[] = {
    {"9112 6.3 equal lengths", with("Content-Length: 5\r\nContent-Length: 5\r\n")},
    {"9112 6.3 differing lengths", with("Content-Length: 5\r\nContent-Length: 6\r\n")},
    {"9112 6.3 list of lengths", with("Content-Length: 5, 5\r\n")},
    {"9112 6.3 list with nothing", with("Content-Length: 5,\r\n")},
    {"9110 8.6 empty", with("Content-Length:\r\n")},
    {"9110 8.6 plus", with("Content-Length: +5\r\n")},
    {"9110 8.6 minus", with("Content-Length: -5\r\n")},
    {"9110 8.6 hex", with("Content-Length: 0x5\r\n")},
    {"9110 8.6 fraction", with("Content-Length: 5.0\r\n")},
    {"9110 8.6 space inside", with("Content-Length: 1 0\r\n")},
    {"9110 8.6 quoted", with("Content-Length: \"5\"\r\n")},
    {"9110 8.6 overflow", with("Content-Length: 18446744073709551616\r\n")},
    {"9110 8.6 long overflow", with("Content-Length: 99999999999999999999999999\r\n")},
    {"9112 6.1 length, then chunked", with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")},
    {"9112 6.1 chunked, then length", with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")},
    {"9112 6.1 twice in a list", with("Transfer-Encoding: chunked, chunked\r\n")},
    {"9112 6.1 twice in lines",
     with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
    {"9112 6.1 identity", with("Transfer-Encoding: identity\r\n")},
    {"9112 6.1 gzip before", with("Transfer-Encoding: gzip, chunked\r\n")},
    {"9112 6.1 gzip after", with("Transfer-Encoding: chunked, gzip\r\n")},
    {"9112 6.1 in two lines", with("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n")},
    {"9112 6.1 parameter", with("Transfer-Encoding: chunked;q=1\r\n")},
    {"9112 6.1 prefix", with("Transfer-Encoding: xchunked\r\n")},
    {"9112 6.1 quoted", with("Transfer-Encoding: \"chunked\"\r\n")},
    {"9112 6.1 empty", with("Transfer-Encoding:\r\n")},
    {"9112 6.1 trailing comma", with("Transfer-Encoding: chunked,\r\n")},
    {"9112 6.1 in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
    {"9110 10.1.1 another expectation", with("Expect: 200-ok\r\n"), errc::expectation_failed},
    {"9110 10.1.1 empty", with("Expect:\r\n"), errc::expectation_failed},
    {"9110 7.6.1 option is no token", with("Connection: a b\r\n")},
    {"9110 7.6.1 more options than fields could have",
     with("Connection: a" + repeat(",a", 64) + "\r\n")},
    {"431 too many fields", with(repeat("X: y\r\n", 100)), errc::head_too_large},
    {"431 head too large", with("X: " + std::string(40000, 'x') + "\r\n"), errc::head_too_large},
};

INSTANTIATE_TEST_SUITE_P(Lines, RefusedRequest, testing::ValuesIn(lines));
INSTANTIATE_TEST_SUITE_P(RequestLines, RefusedRequest, testing::ValuesIn(request_lines));
INSTANTIATE_TEST_SUITE_P(Hosts, RefusedRequest, testing::ValuesIn(hosts));
INSTANTIATE_TEST_SUITE_P(Framings, RefusedRequest, testing::ValuesIn(framings));

}  // namespace
}  // namespace ticketgate::http
