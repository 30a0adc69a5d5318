#include <gtest/gtest.h>

#include <ostream>

#include "http/parser.hpp"

namespace ticketgate::http {
namespace {

using std::string_literals::operator""s;

struct Accepted {
    const char* what;
    std::string bytes;
    std::uint16_t status;
    Framing framing;
    std::uint64_t length = 0;
    bool keep_alive = true;
    bool to_head = false;
    bool event_stream = false;
};

void PrintTo(const Accepted& a, std::ostream* out) {
    *out << a.what;
}

class AcceptedResponse : public testing::TestWithParam<Accepted> {};

TEST_P(AcceptedResponse, AsDescribedHoweverItArrives) {
    const Accepted& want = GetParam();
    ResponseHead head;
    for (std::size_t size = 0; size < want.bytes.size(); ++size) {
        const auto part = parse_response(std::string_view(want.bytes).substr(0, size), HeadLimits{},
                                         want.to_head, head, size == 0 ? 0 : size - 1);
        ASSERT_TRUE(part && *part == Progress::need_more) << size;
        const auto whole = parse_response(want.bytes, HeadLimits{}, want.to_head, head, size);
        ASSERT_TRUE(whole && *whole == Progress::done) << size;
        EXPECT_EQ(head.bytes, want.bytes);
        EXPECT_EQ(head.status, want.status);
        EXPECT_EQ(head.framing, want.framing);
        EXPECT_EQ(head.content_length, want.length);
        EXPECT_EQ(head.keep_alive, want.keep_alive);
        EXPECT_EQ(head.event_stream, want.event_stream);
    }
}

const Accepted accepted[] = {
    {"length", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", 200, Framing::length, 3},
    {"length zero", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, Framing::length},
    {"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200, Framing::chunked},
    {"no framing", "HTTP/1.1 200 OK\r\n\r\n", 200, Framing::until_close, 0, false},
    {"no reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", 200, Framing::length},
    {"no space before no reason", "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", 200,
     Framing::length},
    {"no space before no reason, no field", "HTTP/1.1 200\r\n\r\n", 200, Framing::until_close, 0,
     false},
    {"obs-text in the reason", "HTTP/1.1 404 Nicht gef\xfcnden\r\nContent-Length: 0\r\n\r\n", 404,
     Framing::length},
    {"1.0", "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n", 200, Framing::length, 3, false},
    {"1.0 kept", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\n", 200,
     Framing::length, 3},
    {"1.0 kept, no framing", "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n\r\n", 200,
     Framing::until_close, 0, false},
    {"close", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\n", 200,
     Framing::length, 3, false},
    {"to HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n", 200, Framing::none, 3, true, true},
    {"to HEAD, chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 200,
     Framing::none, 0, true, true},
    {"to HEAD, no framing", "HTTP/1.1 200 OK\r\n\r\n", 200, Framing::none, 0, true, true},
    {"100", "HTTP/1.1 100 Continue\r\n\r\n", 100, Framing::none},
    {"103", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 103, Framing::none},
    {"204", "HTTP/1.1 204 No Content\r\n\r\n", 204, Framing::none},
    {"204 with length zero", "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", 204,
     Framing::none},
    {"204 with a body", "HTTP/1.1 204 No Content\r\nContent-Length: 3\r\n\r\n", 204, Framing::none,
     3, false},
    {"204 chunked", "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n", 204,
     Framing::none, 0, false},
    {"304", "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n", 304, Framing::none, 3},
    {"599", "HTTP/1.1 599 x\r\nContent-Length: 0\r\n\r\n", 599, Framing::length},
    {"event stream", "HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream ;charset=utf-8\r\n\r\n",
     200, Framing::until_close, 0, false, false, true},
    {"not an event stream", "HTTP/1.1 200 OK\r\nContent-Type: text/event-streams\r\n\r\n", 200,
     Framing::until_close, 0, false},
};

INSTANTIATE_TEST_SUITE_P(All, AcceptedResponse, testing::ValuesIn(accepted));

struct Refused {
    const char* rule;
    std::string bytes;
};

void PrintTo(const Refused& r, std::ostream* out) {
    *out << r.rule;
}

class RefusedResponse : public testing::TestWithParam<Refused> {};

TEST_P(RefusedResponse, IsABadResponse) {
    for (const bool to_head : {false, true}) {
        ResponseHead head;
        const auto progress = parse_response(GetParam().bytes, HeadLimits{}, to_head, head);
        // Its end may still be known (malformed_test.cpp); the response is never passed on.
        const bool set_aside = progress && head.malformed && head.fields.empty();
        EXPECT_TRUE(set_aside || progress.error() == errc::upstream_bad_response);
    }
}

std::string with(const std::string& fields) {
    return "HTTP/1.1 200 OK\r\n" + fields + "\r\n";
}

const Refused refused[] = {
    {"9112 2.2 empty line first", "\r\nHTTP/1.1 200 OK\r\n\r\n"},
    {"9112 2.2 bare LF", "HTTP/1.1 200 OK\nContent-Length: 0\r\n\r\n"},
    {"9112 2.2 bare CR", with("X: a\rb\r\n")},
    {"9112 4 a short status, no space after it", "HTTP/1.1 20\r\n\r\n"},
    {"9112 4 a long status, no space after it", "HTTP/1.1 2000\r\n\r\n"},
    {"9112 4 a letter, no space after the status", "HTTP/1.1 2o0\r\n\r\n"},
    {"9112 4 no space after the status, a bad field", "HTTP/1.1 200\r\nX : y\r\n\r\n"},
    {"9112 4 two digits", "HTTP/1.1 20 OK\r\n\r\n"},
    {"9112 4 four digits", "HTTP/1.1 2000 OK\r\n\r\n"},
    {"9112 4 control in the reason", "HTTP/1.1 200 O\x01K\r\n\r\n"},
    {"9110 15 status 099", "HTTP/1.1 099 x\r\n\r\n"},
    {"9110 15 status 600", "HTTP/1.1 600 x\r\n\r\n"},
    {"9110 15.2.2 nobody asked for an upgrade", "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\n\r\n"},
    {"9112 2.3 version 2.0", "HTTP/2.0 200 OK\r\n\r\n"},
    {"9112 2.3 version 1.2", "HTTP/1.2 200 OK\r\n\r\n"},
    {"9112 4 not HTTP", "SSH-2.0-x\r\n\r\n"},
    {"9112 5.1 space before the colon", with("X : a\r\n")},
    {"9112 5.2 obs-fold", with("X: a\r\n b\r\n")},
    {"9110 5.5 NUL", with("X: a\0\r\n"s)},
    {"9112 6.3 equal lengths", with("Content-Length: 5\r\nContent-Length: 5\r\n")},
    {"9112 6.3 list of lengths", with("Content-Length: 5, 5\r\n")},
    {"9110 8.6 no number", with("Content-Length: x\r\n")},
    {"9112 6.1 chunked and length", with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n")},
    {"9112 6.1 length and chunked", with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")},
    {"9112 6.1 another coding", with("Transfer-Encoding: gzip\r\n")},
    {"9112 6.1 chunked in 1.0", "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"},
    {"9110 8.6 100 with a body", "HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\n"},
    {"9112 6.1 100 chunked", "HTTP/1.1 100 Continue\r\nTransfer-Encoding: chunked\r\n\r\n"},
    {"502 head too large", with("X: " + std::string(40000, 'x') + "\r\n")},
    {"502 no end of head", "HTTP/1.1 200 OK\r\nX: " + std::string(40000, 'x')},
};

INSTANTIATE_TEST_SUITE_P(All, RefusedResponse, testing::ValuesIn(refused));

TEST(ParseResponse, KeepAliveTimeout) {
    const std::pair<const char*, std::uint32_t> table[] = {
        {"timeout=5, max=100", 5}, {"max=100, Timeout=15", 15}, {"max=1", 0}, {"timeout=", 0},
        {"timeout=x", 0},          {"timeout=99999999999", 0},  {"5", 0},
    };
    for (const auto& [value, seconds] : table) {
        const auto bytes = with("Content-Length: 0\r\nKeep-Alive: "s + value + "\r\n");
        ResponseHead head;
        ASSERT_TRUE(parse_response(bytes, HeadLimits{}, false, head)) << value;
        EXPECT_EQ(head.keep_alive_timeout_s, seconds) << value;
    }
}

TEST(ParseResponse, TooManyFields) {
    const auto bytes = with("A: b\r\nA: b\r\nA: b\r\n");
    ResponseHead head;
    EXPECT_TRUE(parse_response(bytes, {.max_headers = 3}, false, head));
    EXPECT_TRUE(parse_response(bytes, {.max_headers = 2}, false, head));
    EXPECT_TRUE(head.malformed);
}

}  // namespace
}  // namespace ticketgate::http
