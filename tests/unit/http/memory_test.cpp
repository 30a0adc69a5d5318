// A response head without memory for its fields: its end is known nevertheless.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "http/parser.hpp"

namespace {

bool refuses = false;

}  // namespace

void* operator new(std::size_t size) {
    void* const memory = refuses ? nullptr : std::malloc(size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept {
    std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}

namespace ticketgate::http {
namespace {

result<Progress> parse_without_memory(std::string_view bytes, ResponseHead& head) {
    refuses = true;
    try {
        auto progress = parse_response(bytes, HeadLimits{}, false, head);
        refuses = false;
        return progress;
    } catch (const std::bad_alloc&) {
        refuses = false;
        throw;
    }
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

}  // namespace
}  // namespace ticketgate::http
