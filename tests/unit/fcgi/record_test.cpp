#include "fcgi/record.hpp"

#include <gtest/gtest.h>

namespace ticketgate::fcgi {
namespace {

using namespace std::string_literals;

// Bytes written by hand from the layout in FastCGI 1.0, sections 3.3 and 5.1.
TEST(Record, BeginsAResponderInTheBytesOfTheSpecification) {
    std::string out;
    append_begin(out, false);
    EXPECT_EQ(out, "\1\1\0\1\0\10\0\0\0\1\0\0\0\0\0\0"s);
    out.clear();
    append_begin(out, true);
    EXPECT_EQ(out, "\1\1\0\1\0\10\0\0\0\1\1\0\0\0\0\0"s);
}

TEST(Record, HeaderSurvivesTheWayOutAndBack) {
    for (const std::size_t length : {0u, 1u, 255u, 256u, 65535u}) {
        std::string out;
        append_header(out, Type::in, length);
        ASSERT_EQ(out.size(), header_size);
        EXPECT_EQ(decode_header(out),
                  (Header{1, Type::in, 1, static_cast<std::uint16_t>(length), 0}));
    }
    EXPECT_EQ(decode_header("\1\6\1\2\3\4\5\0"s), (Header{1, Type::out, 0x102, 0x304, 5}));
}

TEST(Record, StreamIsCutIntoRecordsOfTheLargestSize) {
    std::string out;
    append_stream(out, Type::params, "");
    EXPECT_EQ(out, "");
    append_stream(out, Type::params, std::string(65536, 'x'));
    ASSERT_EQ(out.size(), 65536 + 2 * header_size);
    EXPECT_EQ(decode_header(out).length, 65535);
    EXPECT_EQ(out.substr(header_size + 65535), "\1\4\0\1\0\1\0\0x"s);
}

}  // namespace
}  // namespace ticketgate::fcgi
