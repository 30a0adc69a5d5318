// Without memory: the end of a response is known nevertheless, and a body on disk comes out.
#include <gtest/gtest.h>

#include "../../support/no_memory.hpp"
#include "http/late_head.hpp"
#include "http/parser.hpp"
#include "http/spool.hpp"

namespace ticketgate::http {
namespace {

result<Progress> parse_without_memory(std::string_view bytes, ResponseHead& head) {
    const NoMemory shortage;
    return parse_response(bytes, HeadLimits{}, false, head);
}

TEST(ResponseWithoutMemory, TellsItsEndAndIsNotForwarded) {
    ResponseHead head;
    const auto progress = parse_without_memory(
        "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 3\r\nX-Accel-Buffering: no\r\n\r\nabc",
        head);
    ASSERT_TRUE(progress && *progress == Progress::done);
    EXPECT_TRUE(head.malformed);
    EXPECT_EQ(head.complaint, "no memory for its fields");
    EXPECT_TRUE(head.fields.empty());
    EXPECT_EQ(head.status, 200);
    EXPECT_EQ(head.framing, Framing::length);
    EXPECT_EQ(head.content_length, 3U);
    EXPECT_TRUE(head.keep_alive);
}

TEST(ResponseWithoutMemory, TellsTheCloseOfItsConnection) {
    ResponseHead head;
    const auto progress = parse_without_memory(
        "HTTP/1.1 200\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n", head);
    ASSERT_TRUE(progress && *progress == Progress::done);
    EXPECT_EQ(head.framing, Framing::chunked);
    EXPECT_TRUE(head.announces_close);
}

TEST(ResponseWithoutMemory, HasNoEndIfItsFramingMakesNoSense) {
    ResponseHead head;
    EXPECT_FALSE(parse_without_memory(
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", head));
}

TEST(ResponseWithoutMemory, IsReadAsEverWhenMemoryIsBack) {
    ResponseHead head;
    const std::string_view bytes = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n";
    ASSERT_TRUE(parse_without_memory(bytes, head));
    ASSERT_TRUE(parse_response(bytes, HeadLimits{}, false, head));
    EXPECT_FALSE(head.malformed);
    EXPECT_EQ(head.fields.size(), 1U);
    EXPECT_EQ(head.complaint, "");
}

TEST(LateHeadWithoutMemory, TellsTheEndOfTheAnswerAtAnyLength) {
    const std::string bytes = "HTTP/1.1 200 OK\r\nX: " + std::string(1 << 20, 'x') +
                              "\r\nTransfer-Encoding: chunked\r\nY: \x01\r\n\r\n";
    LateHead late;
    ResponseHead head;
    const NoMemory shortage;
    const auto used = late.take(bytes);
    ASSERT_TRUE(used && *used == bytes.size() && late.whole());
    ASSERT_TRUE(read_end(late.bytes(), false, head));
    EXPECT_EQ(head.framing, Framing::chunked);
    EXPECT_TRUE(head.keep_alive);
}

std::string numbered(std::size_t size) {
    std::string bytes(size, 0);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i / 251);
    return bytes;
}

/// A spool with all of its bytes on disk.
struct OnDisk {
    explicit OnDisk(const std::string& bytes) { EXPECT_FALSE(spool.append(bytes)); }
    SpoolBudget budget{{0, 1 << 20, 1 << 20, testing::TempDir()}};
    Spool spool{budget};
};

TEST(SpoolWithoutMemory, GivesOutWhatIsOnDisk) {
    const std::string bytes = numbered(200 << 10);
    OnDisk body(bytes);
    std::string all;
    all.reserve(bytes.size());
    {
        const NoMemory shortage;
        while (!body.spool.empty()) {
            const auto front = body.spool.front();
            if (!front || front->empty()) break;
            all.append(*front);
            body.spool.consume(front->size());
        }
    }
    EXPECT_TRUE(all == bytes);
    EXPECT_EQ(body.budget.memory(), 0u);
    EXPECT_EQ(body.budget.disk(), 0u);
}

TEST(SpoolWithoutMemory, ReadsLargeBlocksAgainWhenMemoryIsBack) {
    const std::string bytes = numbered(200 << 10);
    OnDisk body(bytes);
    std::size_t taken = 0;
    {
        const NoMemory shortage;
        taken = body.spool.front()->size();
        body.spool.consume(taken);
    }
    EXPECT_GT(taken, 0u);
    EXPECT_EQ(*body.spool.front(), std::string_view(bytes).substr(taken, 64 << 10));
}

}  // namespace
}  // namespace ticketgate::http
