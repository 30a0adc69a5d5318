#include "fcgi/response.hpp"

#include <gtest/gtest.h>

namespace ticketgate::fcgi {
namespace {

constexpr http::HeadLimits limits{.max_head = 4096, .max_uri = 0, .max_headers = 20};

struct Read {
    std::string text;
    http::ResponseHead head;
    error_code failure;
};

Read read(std::string_view block, bool to_head = false) {
    Read out;
    out.failure = parse_head_block(block, limits, to_head, out.text, out.head);
    return out;
}

bool refused(std::string_view block) {
    // A head marked as malformed is not passed on either.
    const Read got = read(block);
    return got.failure == errc::upstream_bad_response || got.head.malformed;
}

TEST(HeadBlock, EndsAtTheFirstEmptyLine) {
    for (const std::string block :
         {"A: b\r\nC: d\r\n\r\n", "A: b\nC: d\n\n", "A: b\r\n\n", "A: b\n\r\n", "\n", "\r\n"}) {
        const std::string bytes = block + "body\n\n";
        EXPECT_EQ(head_block_size(bytes, 0), block.size()) << testing::PrintToString(block);
        for (std::size_t size = 0; size < block.size(); ++size) {
            EXPECT_EQ(head_block_size(bytes.substr(0, size), 0), 0u) << size;
            // The first `size` bytes were scanned without an end; the next scan starts there.
            EXPECT_EQ(head_block_size(bytes, size), block.size()) << size;
        }
    }
}

TEST(HeadBlock, WithoutStatusIs200) {
    const auto got = read("Content-Type: text/html\r\nX-Powered-By: PHP\r\n\r\n");
    ASSERT_FALSE(got.failure);
    EXPECT_EQ(got.head.status, 200);
    EXPECT_EQ(got.head.reason, "OK");
    EXPECT_EQ(got.head.fields.size(), 2u);
    EXPECT_EQ(got.head.framing, http::Framing::until_close);
}

TEST(HeadBlock, TakesItsStatus) {
    const auto got = read("Status: 404 Not Found\r\nContent-type: a/b\n\n");
    ASSERT_FALSE(got.failure);
    EXPECT_EQ(got.head.status, 404);
    EXPECT_EQ(got.head.reason, "Not Found");
    EXPECT_EQ(got.head.fields.size(), 1u);
    EXPECT_EQ(read("status:503\n\n").head.status, 503);
}

TEST(HeadBlock, WithLocationAloneIs302) {
    EXPECT_EQ(read("Location: /b\r\n\r\n").head.status, 302);
    EXPECT_EQ(read("Location: http://h/b\r\nContent-Type: a/b\r\n\r\n").head.status, 302);
    EXPECT_EQ(read("Status: 201 Created\r\nLocation: /b\r\n\r\n").head.status, 201);
}

TEST(HeadBlock, LengthAndKindOfTheBodyCount) {
    auto got = read("Content-Length: 12\r\n\r\n");
    EXPECT_EQ(got.head.framing, http::Framing::length);
    EXPECT_EQ(got.head.content_length, 12u);
    EXPECT_EQ(read("Content-Length: 12\r\n\r\n", true).head.framing, http::Framing::none);
    EXPECT_EQ(read("Status: 204 No Content\r\n\r\n").head.framing, http::Framing::none);
    EXPECT_TRUE(read("Content-Type: text/event-stream\r\n\r\n").head.event_stream);
}

TEST(HeadBlock, DropsFieldsOfTheConnection) {
    const auto got = read(
        "Transfer-Encoding: chunked\r\nConnection: close\r\nKeep-Alive: timeout=9\r\n"
        "Upgrade: websocket\r\nX-Accel-Redirect: /f\r\n\r\n");
    ASSERT_FALSE(got.failure);
    ASSERT_EQ(got.head.fields.size(), 1u);
    EXPECT_EQ(got.head.fields[0].name, "X-Accel-Redirect");
    EXPECT_EQ(got.head.framing, http::Framing::until_close);
}

TEST(HeadBlock, IsRefusedLikeAnHttpHead) {
    for (const char* block : {"\r\n",
                              "\n",
                              "no field\r\n\r\n",
                              "HTTP/1.1 200 OK\r\nA: b\r\n\r\n",
                              "A b: c\r\n\r\n",
                              "A: b\r\n folded\r\n\r\n",
                              " A: b\r\n\r\n",
                              "A: b\rX: c\r\n\r\n",
                              ": b\r\n\r\n",
                              "A : b\r\n\r\n",
                              "Status: 200 OK\r\nStatus: 200 OK\r\n\r\n",
                              "Status: 101 Switching\r\n\r\n",
                              "Status: 100 Continue\r\n\r\n",
                              "Status: 600 x\r\n\r\n",
                              "Status: 20\r\n\r\n",
                              "Status: 2000\r\n\r\n",
                              "Status: OK\r\n\r\n",
                              "Status:\r\n\r\n",
                              "Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
                              "Content-Length: -1\r\n\r\n",
                              "A: \x01\r\n\r\n"})
        EXPECT_TRUE(refused(block)) << testing::PrintToString(block);
    EXPECT_TRUE(refused(std::string("A: b\0c\r\n\r\n", 10)));
}

TEST(HeadBlock, SaysWhatIsWrong) {
    const auto complaint = [](const std::string& block) {
        return std::string(read(block).head.complaint);
    };
    EXPECT_EQ(complaint("Status: 600 x\r\n\r\n"), "an invalid status");
    EXPECT_EQ(complaint("Status: 200\r\nStatus: 200\r\n\r\n"), "two fields Status");
    EXPECT_EQ(complaint("HTTP/1.1 200 OK\r\n\r\n"), "a line that is no field");
    EXPECT_EQ(complaint("A: b\rX: c\r\n\r\n"), "a bare CR");
    EXPECT_EQ(complaint("\r\n"), "no field");
    EXPECT_EQ(complaint("A: " + std::string(4096, 'b') + "\r\n\r\n"),
              "a head longer than max_head");
}

TEST(HeadBlock, HasTheLimitsOfAnHttpHead) {
    std::string many;
    for (int i = 0; i < 21; ++i) many += "A: b\r\n";
    EXPECT_TRUE(refused(many + "\r\n"));
    EXPECT_TRUE(refused("A: " + std::string(4096, 'b') + "\r\n\r\n"));
}

}  // namespace
}  // namespace ticketgate::fcgi
