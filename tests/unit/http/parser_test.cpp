#include "http/parser.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace ticketgate::http {
namespace {

using std::string_literals::operator""s;

const HeadLimits limits;

std::string repeat(std::string_view part, int times) {
    std::string whole;
    while (times-- > 0) whole += part;
    return whole;
}

// Offers an exact copy of `bytes`, so that ASan reports a read past the end.
result<Progress> parse_copy(const std::string& bytes, std::size_t size, RequestHead& head,
                            std::size_t scanned) {
    static std::vector<char> copy;
    copy.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    copy.shrink_to_fit();
    return parse_request({copy.data(), copy.size()}, limits, head, scanned);
}

struct Accepted {
    const char* what;
    std::string bytes;
    std::string target, host;
    Framing framing = Framing::none;
    std::uint64_t length = 0;
    bool keep_alive = true;
    bool expects_continue = false;
    bool names_hop_fields = false;
};

void PrintTo(const Accepted& a, std::ostream* out) {
    *out << a.what;
}

class AcceptedRequest : public testing::TestWithParam<Accepted> {
 protected:
    void expect_as_described(const RequestHead& head) const {
        const Accepted& want = GetParam();
        EXPECT_EQ(head.target, want.target);
        EXPECT_EQ(head.host, want.host);
        EXPECT_EQ(head.framing, want.framing);
        EXPECT_EQ(head.content_length, want.length);
        EXPECT_EQ(head.keep_alive, want.keep_alive);
        EXPECT_EQ(head.expects_continue, want.expects_continue);
        EXPECT_EQ(head.names_hop_fields, want.names_hop_fields);
    }
};

TEST_P(AcceptedRequest, WholeAndFollowedByABody) {
    const std::string bytes = GetParam().bytes + "body\nwith bare line ends\n\n";
    RequestHead head;
    const auto progress = parse_request(bytes, limits, head);
    ASSERT_TRUE(progress) << progress.error().message();
    ASSERT_EQ(*progress, Progress::done);
    EXPECT_EQ(head.bytes, GetParam().bytes);
    expect_as_described(head);
}

TEST_P(AcceptedRequest, SplitAtEveryOffset) {
    const std::string& bytes = GetParam().bytes;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        for (const std::size_t scanned : {std::size_t{0}, size == 0 ? size : size - 1, size}) {
            RequestHead head;
            const auto part = parse_copy(bytes, size, head, 0);
            ASSERT_TRUE(part) << size << ": " << part.error().message();
            ASSERT_EQ(*part, Progress::need_more) << size;
            const auto whole = parse_copy(bytes, bytes.size(), head, scanned);
            ASSERT_TRUE(whole) << size << ": " << whole.error().message();
            ASSERT_EQ(*whole, Progress::done) << size;
            ASSERT_EQ(head.bytes, bytes);
        }
    }
}

TEST_P(AcceptedRequest, ByteByByte) {
    const std::string& bytes = GetParam().bytes;
    RequestHead head;
    for (std::size_t size = 1; size < bytes.size(); ++size) {
        const auto part = parse_copy(bytes, size, head, size - 1);
        ASSERT_TRUE(part && *part == Progress::need_more) << size;
    }
    const auto whole = parse_copy(bytes, bytes.size(), head, bytes.size() - 1);
    ASSERT_TRUE(whole && *whole == Progress::done);
    expect_as_described(head);
}

const Accepted accepted[] = {
    {"smallest", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "/", ""},
    {"plain", "GET /a?b=c HTTP/1.1\r\nHost: h\r\nAccept: */*\r\n\r\n", "/a?b=c", "h"},
    {"host with port", "GET / HTTP/1.1\r\nHost: h.example:8080\r\n\r\n", "/", "h.example:8080"},
    {"IPv6 host", "GET / HTTP/1.1\r\nhost: [::1]:80\r\n\r\n", "/", "[::1]:80"},
    {"1.0 without Host", "GET / HTTP/1.0\r\n\r\n", "/", "", Framing::none, 0, false},
    {"1.0 keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "/", ""},
    {"1.0 both", "GET / HTTP/1.0\r\nConnection: close, keep-alive\r\n\r\n", "/", "", Framing::none,
     0, false},
    {"close", "GET / HTTP/1.1\r\nHost: h\r\nConnection: CLOSE\r\n\r\n", "/", "h", Framing::none, 0,
     false},
    {"close in a second line",
     "GET / HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", "/", "h",
     Framing::none, 0, false},
    {"Connection names a field", "GET / HTTP/1.1\r\nHost: h\r\nConnection: X-A\r\n\r\n", "/", "h",
     Framing::none, 0, true, false, true},
    {"length", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 12\r\n\r\n", "/", "h",
     Framing::length, 12},
    {"length zero", "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", "/", "h",
     Framing::length},
    {"greatest length", "PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551615\r\n\r\n",
     "/", "h", Framing::length, 18446744073709551615u},
    {"length in 1.0", "POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\n", "/", "", Framing::length, 1,
     false},
    {"chunked", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding:\t Chunked \t\r\n\r\n", "/", "h",
     Framing::chunked},
    {"expects continue",
     "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n", "/", "h",
     Framing::length, 1, true, true},
    {"expects continue, no body", "GET / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n", "/",
     "h"},
    {"expects continue in 1.0",
     "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n", "/", "",
     Framing::length, 1, false},
    {"empty lines first", "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "/", "h"},
    {"absolute-form", "GET http://h/a?b HTTP/1.1\r\nHost: H\r\n\r\n", "http://h/a?b", "H"},
    {"absolute-form without path", "GET HTTPS://h:1 HTTP/1.1\r\nHost: h:1\r\n\r\n", "HTTPS://h:1",
     "h:1"},
    {"asterisk-form", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "*", "h"},
    {"unknown method", "M-SEARCH / HTTP/1.1\r\nHost: h\r\n\r\n", "/", "h"},
    {"longest method", std::string(32, 'M') + " / HTTP/1.1\r\nHost: h\r\n\r\n", "/", "h"},
    {"obs-text in a value", "GET / HTTP/1.1\r\nHost: h\r\nX-A: caf\xc3\xa9 \xff\r\n\r\n", "/", "h"},
    {"empty values", "GET / HTTP/1.1\r\nHost: h\r\nX-A:\r\nX-B: \t \r\nX-C:  \r\n\r\n", "/", "h"},
    {"odd characters in the target", "GET /a|b{c}\"\\^`<>?d HTTP/1.1\r\nHost: h\r\n\r\n",
     "/a|b{c}\"\\^`<>?d", "h"},
    {"double slash", "GET //h/a HTTP/1.1\r\nHost: g\r\n\r\n", "//h/a", "g"},
};

INSTANTIATE_TEST_SUITE_P(All, AcceptedRequest, testing::ValuesIn(accepted));

TEST(ParseRequest, FieldsAreViewsOfTheHead) {
    const auto bytes = "GET / HTTP/1.1\r\nHost: h\r\nX-A:  one two\t \r\nproxy: p\r\nX-B:\r\n\r\n"s;
    RequestHead head;
    ASSERT_TRUE(parse_request(bytes, limits, head));
    ASSERT_EQ(head.fields.size(), 4u);
    EXPECT_EQ(head.fields[0].id, FieldName::host);
    EXPECT_EQ(head.fields[1].name, "X-A");
    EXPECT_EQ(head.fields[1].value, "one two");
    EXPECT_EQ(head.fields[1].line, "X-A:  one two\t \r\n");
    EXPECT_EQ(head.fields[2].id, FieldName::proxy);
    EXPECT_EQ(head.fields[3].value, "");
    EXPECT_EQ(head.fields[3].line, "X-B:\r\n");
    EXPECT_GE(head.fields[3].line.data(), bytes.data());
    EXPECT_LE(head.fields[3].line.data() + 6, bytes.data() + bytes.size());
}

TEST(ParseRequest, EveryNameOfOursIsKnown) {
    const std::pair<const char*, FieldName> names[] = {
        {"accept", FieldName::accept},
        {"Connection", FieldName::connection},
        {"Keep-Alive", FieldName::keep_alive},
        {"Proxy-Connection", FieldName::proxy_connection},
        {"TE", FieldName::te},
        {"Trailer", FieldName::trailer},
        {"Upgrade", FieldName::upgrade},
        {"Content-Type", FieldName::content_type},
        {"PROXY", FieldName::proxy},
        {"via", FieldName::via},
        {"Forwarded", FieldName::forwarded},
        {"x-forwarded-for", FieldName::x_forwarded_for},
        {"X-FORWARDED-PROTO", FieldName::x_forwarded_proto},
        {"X-Forwarded-Host", FieldName::x_forwarded_host},
        {"X-Forwarded-Port", FieldName::x_forwarded_port},
        {"X-Request-Start", FieldName::x_request_start},
        {"X-Accel-Buffering", FieldName::other},
        {"Server-Timing", FieldName::server_timing},
        {"User-Agent", FieldName::user_agent},
        {"Referer", FieldName::referer},
        {"location", FieldName::location},
        {"Refresh", FieldName::refresh},
        {"X_Forwarded_For", FieldName::unusual},
        {"Content.Length", FieldName::unusual},
        {"Max-Forwards", FieldName::other},  // in a GET
        {"Cookie", FieldName::other},
    };
    for (const auto& [name, id] : names) {
        const auto bytes = "GET / HTTP/1.1\r\nHost: h\r\n"s + name + ": trailers\r\n\r\n";
        RequestHead head;
        ASSERT_TRUE(parse_request(bytes, limits, head)) << name;
        EXPECT_EQ(head.fields[1].id, id) << name;
    }
}

TEST(ParseRequest, CountsTheHopsLeftToOptionsOnly) {
    const std::pair<std::string, std::optional<std::uint32_t>> table[] = {
        {"", std::nullopt},
        {"Max-Forwards: 0\r\n", 0},
        {"max-forwards:  00012 \r\n", 12},
        {"Max-Forwards: 4294967295\r\n", 4294967295},
        {"Max-Forwards: 4294967296\r\n", 4294967295},
        {"Max-Forwards: 99999999999999999999999999\r\n", 4294967295},
    };
    for (const auto& [lines, hops] : table) {
        RequestHead head;
        const auto bytes = "OPTIONS * HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n";
        ASSERT_TRUE(parse_request(bytes, limits, head)) << lines;
        EXPECT_EQ(head.max_forwards, hops) << lines;
        const auto other = "GET / HTTP/1.1\r\nHost: h\r\n" + lines + "\r\n";
        ASSERT_TRUE(parse_request(other, limits, head)) << lines;
        EXPECT_EQ(head.max_forwards, std::nullopt) << lines;
    }
}

TEST(ParseRequest, TakesTheHostOfAnHttp10ClientFromAnAbsoluteTarget) {
    RequestHead head;
    ASSERT_TRUE(parse_request("GET http://b.test:8/c HTTP/1.0\r\n\r\n", limits, head));
    EXPECT_EQ(head.host, "b.test:8");
}

TEST(ParseRequest, AHeadIsUsedAgainWithoutTraces) {
    RequestHead head;
    ASSERT_TRUE(parse_request(
        "POST / HTTP/1.0\r\nConnection: keep-alive, x\r\nContent-Length: 5\r\n\r\n", limits, head));
    const auto capacity = head.fields.capacity();
    ASSERT_TRUE(parse_request("GET /b HTTP/1.1\r\nHost: h\r\n\r\n", limits, head));
    EXPECT_EQ(head.fields.size(), 1u);
    EXPECT_EQ(head.fields.capacity(), capacity);
    EXPECT_EQ(head.framing, Framing::none);
    EXPECT_EQ(head.content_length, 0u);
    EXPECT_FALSE(head.names_hop_fields);
}

TEST(ParseRequest, LimitsAreExact) {
    const auto bytes = "GET /abc HTTP/1.1\r\nHost: h\r\nX-A: b\r\n\r\n"s;
    const HeadLimits exact{.max_head = bytes.size(), .max_uri = 4, .max_headers = 2};
    RequestHead head;
    EXPECT_TRUE(parse_request(bytes, exact, head));
    const auto with = [&](HeadLimits changed) {
        return parse_request(bytes, changed, head).error();
    };
    EXPECT_EQ(with({bytes.size() - 1, 4, 2}), errc::head_too_large);
    EXPECT_EQ(with({bytes.size(), 3, 2}), errc::uri_too_long);
    EXPECT_EQ(with({bytes.size(), 4, 1}), errc::head_too_large);
}

// The refusal is the same however the bytes arrive: past max_head bytes, never `need_more`.
TEST(ParseRequest, TooLargeIsNoticedAtOnce) {
    const HeadLimits small{.max_head = 64};
    const std::pair<std::string, errc> table[] = {
        {"GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(100, 'x'), errc::head_too_large},
        {"GET /" + std::string(100, 'x'), errc::uri_too_long},
        {std::string(100, 'x'), errc::head_too_large},
        {repeat("\r\n", 50), errc::head_too_large},
    };
    RequestHead head;
    for (const auto& [bytes, refusal] : table) {
        for (std::size_t size = 0; size < 64; ++size) {
            const auto part = parse_request(std::string_view(bytes).substr(0, size), small, head);
            ASSERT_TRUE(part && *part == Progress::need_more) << bytes << size;
        }
        for (std::size_t size = 64; size <= bytes.size(); ++size)
            EXPECT_EQ(parse_request(std::string_view(bytes).substr(0, size), small, head).error(),
                      refusal);
    }
}

TEST(RequestHead, IdempotentMethods) {
    RequestHead head;
    for (const auto* method : {"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"}) {
        head.method = method;
        EXPECT_TRUE(head.idempotent()) << method;
    }
    for (const auto* method : {"POST", "PATCH", "get", "PROPFIND", ""}) {
        head.method = method;
        EXPECT_FALSE(head.idempotent()) << method;
    }
}

// Tells for a request that is refused before it is parsed whether its answer may have a body.
TEST(AsksFor, HeadIsSeenFromItsFirstFiveBytes) {
    for (const char* text : {"HEAD / HTTP/1.1\r\n", "HEAD ", "\r\n\r\nHEAD /"})
        EXPECT_EQ(asks_for(text), AsksFor::head) << text;
    for (const char* text : {"", "\r", "\r\n", "H", "HEAD", "\r\nHEA"})
        EXPECT_EQ(asks_for(text), AsksFor::unknown) << text;
    for (const char* text : {"GET / HTTP/1.1\r\n", "HEADS ", "head /", "\x16\x03\x01"})
        EXPECT_EQ(asks_for(text), AsksFor::body) << text;
}

}  // namespace
}  // namespace ticketgate::http
