// A response with a malformed field: the client gets 502, and the response is still read to its end
// by its framing, unless that field may be a part of the framing.
#include "http/malformed.hpp"

#include <gtest/gtest.h>

#include <string>

#include "http/parser.hpp"

namespace ticketgate::http {
namespace {

const std::string ok = "HTTP/1.1 200 OK\r\n";

struct Kept {
    const char* name;
    std::string lines, rest;
};

const Kept kept[] = {
    {"a control character in a value", "A: b\r\nX-Echo: a\x01z\r\n", "A: b\r\n"},
    {"NUL", std::string("X: a\0b\r\nA: b\r\n", 14), "A: b\r\n"},
    {"DEL", "X: \x7f\r\n", ""},
    {"a bare CR", "X: a\rb\r\nA: b\r\n", "A: b\r\n"},
    {"a blank in a name", "X Y: b\r\nA: b\r\n", "A: b\r\n"},
    {"a blank before the colon", "X : b\r\nA: b\r\n", "A: b\r\n"},
};

TEST(Malformed, FieldsBesideTheFramingAreTakenOut) {
    for (const Kept& one : kept)
        EXPECT_EQ(without_malformed_fields(ok + one.lines + "\r\n"), ok + one.rest + "\r\n")
            << one.name;
}

TEST(Malformed, AHeadWithUnclearFramingIsRefusedWhole) {
    for (const char* lines : {"Content-Length : 5\r\n", "Content-Length\x0b: 5\r\n",
                              "content-length: 5\x01\r\n", " Transfer-Encoding: chunked\x01\r\n",
                              "X-Transfer-Encoding : chunked\r\n", "Connection: close\x01\r\n",
                              "Upgrade : x\r\n", ": b\r\n", "no colon but content-length\r\n"})
        EXPECT_EQ(without_malformed_fields(ok + lines + "\r\n"), "") << lines;
    EXPECT_EQ(without_malformed_fields("HTTP/1.1 200 OK"), "");
}

TEST(Malformed, AReasonPhraseIsTakenOutOfTheStatusLine) {
    EXPECT_EQ(without_malformed_fields("HTTP/1.1 404 a\x01z\r\nA: b\r\n\r\n"),
              "HTTP/1.1 404\r\nA: b\r\n\r\n");
    ResponseHead head;
    ASSERT_TRUE(
        parse_response("HTTP/1.1 404 a\x01z\r\nContent-Length: 3\r\n\r\n", {}, false, head));
    EXPECT_TRUE(head.malformed);
    EXPECT_EQ(head.content_length, 3u);
}

// An application may send any number of fields, and any status.
TEST(Malformed, TooManyFieldsOrAnInvalidStatusLeaveTheFramingKnown) {
    ResponseHead head;
    std::string many = ok;
    for (int i = 0; i < 201; ++i) many += "A" + std::to_string(i) + ": 1\r\n";
    HeadLimits limits;
    limits.max_headers = 200;
    ASSERT_TRUE(parse_response(many + "Content-Length: 3\r\n\r\n", limits, false, head));
    EXPECT_TRUE(head.malformed);
    EXPECT_EQ(head.complaint, "more fields than max_headers");
    EXPECT_EQ(head.content_length, 3u);
    EXPECT_TRUE(head.fields.empty());
    for (const char* status : {"600", "999"}) {
        const auto odd = "HTTP/1.1 " + std::string(status) + " No\r\nContent-Length: 3\r\n\r\n";
        ASSERT_TRUE(parse_response(odd, limits, false, head)) << status;
        EXPECT_TRUE(head.malformed);
        EXPECT_EQ(head.content_length, 3u);
    }
    // Two different lengths leave the framing unknown.
    EXPECT_FALSE(parse_response(many + "Content-Length: 3\r\nContent-Length: 4\r\n\r\n", limits,
                                false, head));
    EXPECT_FALSE(parse_response("HTTP/1.1 099 No\r\n\r\n", limits, false, head));
}

TEST(Malformed, TheFramingOfTheRestIsKnown) {
    ResponseHead head;
    const std::string odd = "X-Echo: \x01\r\n";
    const auto chunked = ok + odd + "Transfer-Encoding: chunked\r\n\r\n";
    ASSERT_TRUE(parse_response(chunked + "5\r\nhello", HeadLimits{}, false, head));
    EXPECT_TRUE(head.malformed);
    EXPECT_EQ(head.framing, Framing::chunked);
    EXPECT_EQ(head.bytes.size(), chunked.size());
    EXPECT_TRUE(head.fields.empty());
    EXPECT_TRUE(head.keep_alive);
    ASSERT_TRUE(parse_response(ok + "Content-Length: 7\r\n" + odd + "Connection: close\r\n\r\n",
                               HeadLimits{}, false, head));
    EXPECT_EQ(head.content_length, 7u);
    EXPECT_FALSE(head.keep_alive);
}

TEST(Malformed, OtherErrorsAreStillRefused) {
    ResponseHead head;
    for (const char* bytes :
         {"HTTP/1.1 2x0 OK\r\nX: \x01\r\n\r\n",
          "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\nX: \x01\r\n\r\n",
          "HTTP/1.1 200 OK\r\nX: \x01\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
        const auto progress = parse_response(bytes, HeadLimits{}, false, head);
        ASSERT_FALSE(progress) << bytes;
        EXPECT_EQ(progress.error(), errc::upstream_bad_response);
    }
}

}  // namespace
}  // namespace ticketgate::http
