#include "http/body.hpp"

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace ticketgate::http {
namespace {

using std::string_literals::operator""s;

struct Outcome {
    std::string payload, left;  // decoded bytes; bytes after the body
    bool done = false, failed = false;
    bool operator==(const Outcome&) const = default;
};

void PrintTo(const Outcome& o, std::ostream* out) {
    *out << "payload " << testing::PrintToString(o.payload) << " left "
         << testing::PrintToString(o.left) << (o.done ? " done" : "")
         << (o.failed ? " failed" : "");
}

// Feeds one part as the session does: until nothing more is consumed.
void feed(BodyDecoder& decoder, std::string_view part, Outcome& outcome) {
    while (!outcome.failed && !decoder.done()) {
        const auto piece = decoder.next(part);
        outcome.failed = !piece;
        if (!piece || piece->consumed == 0) break;
        outcome.payload += piece->payload;
        part.remove_prefix(piece->consumed);
    }
    outcome.done = decoder.done();
    if (outcome.done) outcome.left += part;
}

Outcome decode(BodyDecoder decoder, const std::vector<std::string>& parts) {
    Outcome outcome;
    for (const auto& part : parts) feed(decoder, part, outcome);
    return outcome;
}

// The result must be the same whole, byte by byte, and in two and three parts.
Outcome decode_all_ways(const BodyDecoder& decoder, const std::string& bytes) {
    const Outcome whole = decode(decoder, {bytes});
    std::vector<std::string> single;
    for (const char c : bytes) single.emplace_back(1, c);
    EXPECT_EQ(decode(decoder, single), whole) << bytes;
    for (std::size_t i = 0; i <= bytes.size() && bytes.size() < 1000; ++i) {
        EXPECT_EQ(decode(decoder, {bytes.substr(0, i), bytes.substr(i)}), whole)
            << bytes << " at " << i;
        for (std::size_t j = i; j <= bytes.size() && bytes.size() < 40; ++j)
            EXPECT_EQ(
                decode(decoder, {bytes.substr(0, i), bytes.substr(i, j - i), bytes.substr(j)}),
                whole);
    }
    return whole;
}

Outcome chunked(const std::string& bytes) {
    return decode_all_ways({Framing::chunked, 0}, bytes);
}

TEST(BodyDecoder, IsDoneAtOnceWithoutABody) {
    BodyDecoder decoder;
    EXPECT_TRUE(decoder.done());
    EXPECT_EQ(decoder.next("next request")->consumed, 0u);
    EXPECT_TRUE(BodyDecoder(Framing::length, 0).done());
    EXPECT_TRUE(BodyDecoder(Framing::none, 7).done());
}

TEST(BodyDecoder, Length) {
    EXPECT_EQ(decode_all_ways({Framing::length, 5}, "hello"), (Outcome{"hello", "", true, false}));
    EXPECT_EQ(decode_all_ways({Framing::length, 5}, "helloGET"),
              (Outcome{"hello", "GET", true, false}));
    EXPECT_EQ(decode_all_ways({Framing::length, 6}, "hello"), (Outcome{"hello", "", false, false}));
}

TEST(BodyDecoder, LengthTellsTheBytesThatRemain) {
    BodyDecoder decoder(Framing::length, 5);
    EXPECT_EQ(decoder.remaining(), 5u);
    ASSERT_TRUE(decoder.next("he"));
    EXPECT_EQ(decoder.remaining(), 3u);
    EXPECT_FALSE(decoder.end_of_stream());
    ASSERT_TRUE(decoder.next("llo"));
    EXPECT_EQ(decoder.remaining(), 0u);
    EXPECT_TRUE(decoder.end_of_stream());
}

TEST(BodyDecoder, UntilClose) {
    EXPECT_EQ(decode_all_ways({Framing::until_close, 0}, "a\r\n0\r\n"),
              (Outcome{"a\r\n0\r\n", "", false, false}));
    BodyDecoder decoder(Framing::until_close, 0);
    EXPECT_FALSE(decoder.done());
    EXPECT_TRUE(decoder.end_of_stream());
    EXPECT_TRUE(decoder.done());
}

TEST(BodyDecoder, ChunkedAccepts) {
    struct Row {
        std::string bytes, payload, left;
    };
    const Row table[] = {
        {"0\r\n\r\n", "", ""},
        {"5\r\nhello\r\n0\r\n\r\n", "hello", ""},
        {"5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world", ""},
        {"5\r\nhello\r\n0\r\n\r\nGET /", "hello", "GET /"},
        {"4\r\n\r\n\r\n\r\n0\r\n\r\n", "\r\n\r\n", ""},
        {"A\r\n0123456789\r\n0\r\n\r\n", "0123456789", ""},
        {"a\r\n0123456789\r\n0\r\n\r\n", "0123456789", ""},
        {"0000000000000001\r\nx\r\n0000000000000000\r\n\r\n", "x", ""},
        {"1;a\r\nx\r\n0;b=c\r\n\r\n", "x", ""},
        {"1;a=\"b;\\\" \xc3\xa9\t\"; c\r\nx\r\n0\r\n\r\n", "x", ""},
        // RFC 9112 7.1.1: blanks around `;` and `=`.
        {"1 ;a\r\nx\r\n0\t ; b = c ;\td\r\n\r\n", "x", ""},
        {"0\r\nX: y\r\n\r\nrest", "", "rest"},
        {"0\r\nX: y\r\nZ:\r\n\r\n", "", ""},
        {"0\r\nContent-Length: 5\r\n\r\nhello", "", "hello"},
    };
    for (const Row& row : table)
        EXPECT_EQ(chunked(row.bytes), (Outcome{row.payload, row.left, true, false})) << row.bytes;
}

TEST(BodyDecoder, ChunkedWaitsForMore) {
    const auto bytes = "3;a\r\nabc\r\n0\r\nX: y\r\n\r\n"s;
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        BodyDecoder decoder(Framing::chunked, 0);
        Outcome outcome;
        feed(decoder, std::string_view(bytes).substr(0, size), outcome);
        EXPECT_FALSE(outcome.failed || outcome.done) << size;
        EXPECT_FALSE(decoder.end_of_stream()) << size;
        EXPECT_EQ(decoder.remaining(), 0u);
    }
}

TEST(BodyDecoder, ChunkedRefuses) {
    const std::string table[] = {
        // RFC 9112 7.1: the size is 1*HEXDIG; we accept at most 64 bits.
        "\r\n",
        " 5\r\nhello\r\n",
        "5 \r\nhello\r\n",
        "5 5;a\r\nhello\r\n",
        "5 \t\r\nhello\r\n",
        "5\v;a\r\nhello\r\n",
        "5 \n;a\r\nhello\r\n",
        "5" + std::string(17'000, ' ') + ";a\r\nhello\r\n",
        "+5\r\nhello\r\n",
        "-5\r\nhello\r\n",
        "0x5\r\nhello\r\n",
        "g\r\n",
        ";a\r\n",
        "00000000000000005\r\nhello\r\n",
        "fffffffffffffffff\r\n",
        "5_0\r\n",
        "5,5\r\n",
        "\0005\r\n"s,
        "5\0\r\n"s,
        // RFC 9112 2.2: only CRLF ends a line.
        "5\nhello\r\n",
        "5\rhello\r\n",
        "5\r\r\nhello\r\n",
        "5;a\nhello\r\n",
        "5;a\rb\r\nhello\r\n",
        "0\r\n\n",
        "0\r\nX: y\n\r\n",
        "0\r\nX: y\rz\r\n\r\n",
        "0\r\n\r\r\n",
        "0\n\r\n",
        // RFC 9112 7.1: CRLF follows the data, which has exactly the size given.
        "5\r\nhello0\r\n\r\n",
        "5\r\nhello\n0\r\n\r\n",
        "4\r\nhello\r\n0\r\n\r\n",
        "5\r\nhello\r\r\n",
        "5\r\nhell\r\n0\r\n\r\n",
        "5\r\nhello\r\n\r\n",
        // Control characters in extensions and trailers; trailers that are not fields.
        "5;a\0b\r\nhello\r\n"s,
        "5;\x7f\r\nhello\r\n",
        "5;\x01\r\n",
        "0\r\nX: \0\r\n\r\n"s,
        "0\r\nX: \x01\r\n\r\n",
        "0\r\nX\r\n\r\n",
        "0\r\n: y\r\n\r\n",
        "0\r\nX : y\r\n\r\n",
        "0\r\n X: y\r\n\r\n",
        "0\r\nX: y\r\n z\r\n\r\n",
        "0\r\nGET /admin HTTP/1.1\r\n\r\n",
    };
    for (const auto& bytes : table) {
        const auto outcome = chunked(bytes);
        EXPECT_TRUE(outcome.failed) << testing::PrintToString(bytes);
        EXPECT_FALSE(outcome.done) << testing::PrintToString(bytes);
    }
}

TEST(BodyDecoder, AWholeChunkBeforeAnErrorIsHandedOut) {
    EXPECT_EQ(chunked("5\r\nhelloX"), (Outcome{"hello", "", false, true}));
}

TEST(BodyDecoder, StaysBroken) {
    BodyDecoder decoder(Framing::chunked, 0);
    EXPECT_EQ(decoder.next("x").error(), errc::bad_request);
    EXPECT_EQ(decoder.next("0\r\n\r\n").error(), errc::bad_request);
    EXPECT_FALSE(decoder.end_of_stream());
}

TEST(BodyDecoder, LargestSizeIsRead) {
    BodyDecoder decoder(Framing::chunked, 0);
    EXPECT_EQ(decoder.next("ffffffffffffffff\r\nabc")->payload, "abc");
}

TEST(BodyDecoder, OverheadIsBounded) {
    const std::string fits(16 << 10, 'x'), half(8 << 10, 'x');
    EXPECT_FALSE(decode({Framing::chunked, 0}, {"1;" + fits + "\r\nx"}).failed);
    EXPECT_TRUE(decode({Framing::chunked, 0}, {"1;" + fits + "x"}).failed);
    EXPECT_TRUE(
        decode({Framing::chunked, 0}, {"1;" + half + "\r\nx\r\n1;" + std::string(19, 'x') + half})
            .failed);
    EXPECT_TRUE(decode({Framing::chunked, 0}, {"0\r\nX: " + fits}).failed);
    EXPECT_TRUE(decode({Framing::chunked, 0}, {"0\r\nX: " + half + "\r\nY: " + half}).failed);
    std::string fields;
    while (fields.size() <= 16 << 10) fields += "X: y\r\n";
    EXPECT_TRUE(decode({Framing::chunked, 0}, {"0\r\n" + fields}).failed);
}

// Its end is found, but never behind broken coding.
TEST(BodyDecoder, ReadsOnBehindItsLimits) {
    const std::string flood(20'000, 'x'), trailer = "X: " + flood + "\r\n\r\n";
    for (const std::string& text :
         {"1;" + flood + "\r\ny\r\n0\r\n\r\n", "1\r\ny\r\n0\r\n" + trailer,
          "1;" + flood + "\r\ny\r\n0\r\n" + trailer}) {
        for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, text.size()}) {
            BodyDecoder decoder(Framing::chunked, 0);
            std::string payload;
            int failures = 0;
            for (std::size_t at = 0; at < text.size() && !decoder.done();) {
                const auto next = decoder.next(std::string_view(text).substr(at, piece));
                failures += !next;
                if (!next) continue;
                payload += next->payload;
                at += next->consumed;
            }
            EXPECT_TRUE(decoder.done());
            EXPECT_TRUE(decoder.excessive());
            EXPECT_EQ(failures, 1) << piece;
            EXPECT_EQ(payload, "y");
        }
    }
    BodyDecoder broken(Framing::chunked, 0);
    const std::string line = "0\r\nX: " + flood + "\n";
    const auto before = broken.next(line);
    ASSERT_TRUE(before);
    const auto rest = std::string_view(line).substr(before->consumed);
    EXPECT_FALSE(broken.next(rest));
    EXPECT_FALSE(broken.broken());
    EXPECT_FALSE(broken.next(rest));
    EXPECT_TRUE(broken.broken());
}

std::string many_chunks(int chunks, std::size_t payload, std::size_t extension) {
    char size[18];
    const std::string_view head(size, write_chunk_head(size, payload));
    std::string out;
    for (int i = 0; i < chunks; ++i)
        out.append(head.substr(0, head.size() - 2))
            .append(";" + std::string(extension, 'e') + "\r\n")
            .append(std::string(payload, 'p') + "\r\n");
    return out + "0\r\n\r\n";
}

TEST(BodyDecoder, PayloadPaysForExtensions) {
    const auto whole = [](int chunks, std::size_t payload, std::size_t extension) {
        const auto got = decode({Framing::chunked, 0}, {many_chunks(chunks, payload, extension)});
        return got.done && got.payload.size() == static_cast<std::size_t>(chunks) * payload;
    };
    EXPECT_TRUE(whole(2000, 1024, 19));
    EXPECT_TRUE(whole(2000, 1024, 16 + 2 * 1024)) << "just as much as is free";
    EXPECT_TRUE(whole(20000, 1, 18));
    EXPECT_FALSE(whole(17000, 1, 19)) << "a byte more each time is too much at last";
    EXPECT_FALSE(whole(500, 1, 64)) << "a flood";
}

TEST(BodyDecoder, TrailersHaveTheirOwnBound) {
    const std::string most(15 << 10, 'x');
    EXPECT_TRUE(
        decode({Framing::chunked, 0}, {"1;" + most + "\r\nx\r\n0\r\nX: " + most + "\r\n\r\n"})
            .done);
}

TEST(WriteChunkHead, IsReadBack) {
    for (const std::uint64_t size : {std::uint64_t{1}, std::uint64_t{0xa0}, ~std::uint64_t{0}}) {
        char head[18];
        const std::string_view text(head, write_chunk_head(head, size));
        EXPECT_TRUE(text.ends_with("\r\n"));
        EXPECT_EQ(std::stoull(std::string(text), nullptr, 16), size);
        BodyDecoder decoder(Framing::chunked, 0);
        EXPECT_EQ(decoder.next(text)->consumed, text.size());
    }
}

}  // namespace
}  // namespace ticketgate::http
