#include "fcgi/decoder.hpp"

#include <gtest/gtest.h>

namespace ticketgate::fcgi {
namespace {

using namespace std::string_literals;

std::string record(int type, std::string_view content, int padding = 0) {
    std::string out;
    append_header(out, static_cast<Type>(type), content.size());
    out[6] = static_cast<char>(padding);
    return out.append(content).append(static_cast<std::size_t>(padding), 'P');
}

std::string end_record(std::string_view body = "\0\0\0\0\0\0\0\0"s) {
    return record(3, body);
}

struct Seen {
    std::string out, err;
    bool done = false, failed = false;
    std::size_t used = 0;
    End end;
    bool operator==(const Seen& o) const {
        return out == o.out && err == o.err && done == o.done && failed == o.failed &&
               end.app_status == o.end.app_status && end.status == o.end.status;
    }
};

// Feeds the bytes in pieces; offers each piece until the decoder consumes nothing more.
Seen decode(std::initializer_list<std::string_view> pieces) {
    Decoder decoder;
    Seen seen;
    for (std::string_view bytes : pieces) {
        while (!bytes.empty() && !decoder.done()) {
            const auto piece = decoder.next(bytes);
            seen.failed = !piece;
            if (!piece) {
                EXPECT_TRUE(decoder.broken());
                EXPECT_FALSE(decoder.next("x")) << "an error is forgotten";
                return seen;
            }
            if (piece->kind == Decoder::Kind::out) seen.out += piece->payload;
            if (piece->kind == Decoder::Kind::err) seen.err += piece->payload;
            seen.used += piece->consumed;
            bytes.remove_prefix(piece->consumed);
            if (piece->consumed == 0) break;
        }
    }
    seen.done = decoder.done();
    seen.end = decoder.end();
    return seen;
}

Seen byte_by_byte(std::string_view bytes) {
    Decoder decoder;
    Seen seen;
    for (std::size_t i = 0; i < bytes.size() && !decoder.done(); ++i) {
        const auto piece = decoder.next(bytes.substr(i, 1));
        seen.failed = !piece;
        if (!piece) return seen;
        EXPECT_EQ(piece->consumed, 1u);
        if (piece->kind == Decoder::Kind::out) seen.out += piece->payload;
        if (piece->kind == Decoder::Kind::err) seen.err += piece->payload;
    }
    seen.done = decoder.done();
    seen.end = decoder.end();
    return seen;
}

// The result must not depend on how the stream is cut.
Seen decode_all_ways(const std::string& bytes) {
    const Seen whole = decode({bytes});
    EXPECT_EQ(byte_by_byte(bytes), whole);
    for (std::size_t at = 0; at <= bytes.size(); ++at) {
        const std::string_view view = bytes;
        EXPECT_EQ(decode({view.substr(0, at), view.substr(at)}), whole) << "cut at " << at;
    }
    return whole;
}

TEST(Decoder, TakesOutputAndErrorsApart) {
    const Seen seen = decode_all_ways(record(6, "Content-Type: a\r\n\r\nbo", 3) +
                                      record(7, "PHP message: oops\n", 7) + record(6, "dy") +
                                      record(6, "") + record(7, "") + end_record());
    EXPECT_EQ(seen.out, "Content-Type: a\r\n\r\nbody");
    EXPECT_EQ(seen.err, "PHP message: oops\n");
    EXPECT_TRUE(seen.done);
}

TEST(Decoder, EndsWithoutEmptyRecordsToo) {
    // php-fpm does not send them.
    const Seen seen = decode_all_ways(record(6, "x") + end_record("\0\0\1\2\0abc"s));
    EXPECT_EQ(seen.out, "x");
    EXPECT_TRUE(seen.done);
    EXPECT_EQ(seen.end.app_status, 258u);
    EXPECT_EQ(seen.end.status, ProtocolStatus::request_complete);
}

TEST(Decoder, TellsEachProtocolStatus) {
    for (const int status : {0, 1, 2, 3}) {
        const Seen seen =
            decode_all_ways(end_record("\0\0\0\0"s + static_cast<char>(status) + "\0\0\0"s));
        EXPECT_EQ(static_cast<int>(seen.end.status), status);
    }
}

TEST(Decoder, LeavesTheBytesAfterTheEnd) {
    const std::string bytes = record(6, "x") + end_record();
    EXPECT_EQ(decode({bytes + "more"}).used, bytes.size());
}

TEST(Decoder, NeedsTheEnd) {
    const std::string bytes = record(6, "x") + end_record();
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(decode({std::string_view(bytes).substr(0, size)}).done) << size;
}

TEST(Decoder, RefusesRecordsThatNoApplicationMaySend) {
    std::string other_version = record(6, "x");
    other_version[0] = 2;
    std::string other_request = record(6, "x");
    other_request[3] = 2;
    std::string management = record(11, "\4\0\0\0\0\0\0\0"s);  // UNKNOWN_TYPE, of request 0
    management[3] = 0;
    for (const std::string& bytes :
         {other_version, other_request, management, record(5, "x"), record(4, "x"), record(0, ""),
          record(6, "") + record(6, "x"), record(7, "") + record(7, "x"), record(3, "\0\0\0\0"s),
          record(3, std::string(9, '\0')), end_record("\0\0\0\0\4\0\0\0"s), "HTTP/1.1 200 OK\r\n"s})
        EXPECT_TRUE(decode_all_ways(bytes).failed) << testing::PrintToString(bytes);
}

TEST(Decoder, TakesTheLargestRecordWithPadding) {
    const std::string content(65535, 'y');
    const Seen seen = decode({record(6, content, 255), record(6, "z"), end_record()});
    EXPECT_EQ(seen.out, content + "z");
    EXPECT_TRUE(seen.done);
}

}  // namespace
}  // namespace ticketgate::fcgi
