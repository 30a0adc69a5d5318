// A head that is not forwarded, in pieces of each size.
#include "http/late_head.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "http/parser.hpp"

namespace ticketgate::http {
namespace {

const std::string ok = "HTTP/1.1 200 OK\r\n", kept_ok = "HTTP/1.1 200\r\n";

class LateHeadInPieces : public testing::TestWithParam<std::size_t> {
 protected:
    // Returns what is kept; empty: the head was refused. Checks that it reads exactly the head, not
    // the body.
    static std::string keep_all(const std::string& head) {
        const std::string bytes = head + "body";
        LateHead late;
        for (std::size_t at = 0; at < bytes.size();) {
            const auto piece = std::string_view(bytes).substr(at, GetParam());
            const auto used = late.take(piece);
            if (!used) return {};
            at += *used;
            if (late.whole()) {
                EXPECT_EQ(at, head.size());
                return std::string(late.bytes());
            }
            EXPECT_EQ(*used, piece.size());
        }
        ADD_FAILURE() << "has no end";
        return {};
    }
};

INSTANTIATE_TEST_SUITE_P(Pieces, LateHeadInPieces,
                         testing::Values(1, 2, 3, 7, 4096, 5000, 1 << 20));

TEST_P(LateHeadInPieces, KeepsWhatTellsItsEndWhateverItsLength) {
    const std::string framing =
        "Content-Length: 5\r\nconnection: close\r\nKeep-Alive: timeout=5\r\n";
    const std::string large = "X: " + std::string(100'000, 'y') + "\r\n";
    EXPECT_EQ(keep_all(ok + large + framing + large + "\r\n"), kept_ok + framing + "\r\n");
    EXPECT_EQ(keep_all(ok + "A: b\r\nX Y: \x01\r\nZ\r\n" + framing + "\r\n"),
              kept_ok + framing + "\r\n");
    EXPECT_EQ(keep_all(ok + "\r\n"), kept_ok + "\r\n");
    EXPECT_EQ(keep_all(kept_ok + "\r\n"), kept_ok + "\r\n");
    const std::string reason(100'000, '\x01');
    EXPECT_EQ(keep_all("HTTP/1.1 200 " + reason + "\r\n\r\n"), kept_ok + "\r\n");
}

TEST_P(LateHeadInPieces, KeepsWhatSomeParserMayReadAsFraming) {
    const std::string odd =
        "Content-Length : 5\r\nX-Transfer-Encoding: a\r\n: b\r\n"
        "Co\x01nnection\r\n";
    EXPECT_EQ(keep_all(ok + "A: b\r\n" + odd + "\r\n"), kept_ok + odd + "\r\n");
}

TEST_P(LateHeadInPieces, IsRefusedWhereItsEndIsUnclear) {
    for (const std::string& lines :
         {std::string("X: a\nContent-Length: 5\r\n"), std::string("X: a\r\n b\r\n"),
          std::string("\tb: c\r\n"), std::string("X: a\n\r\n"),
          "Connection: " + std::string(LateHead::capacity, 'a') + "\r\n",
          std::string(LateHead::capacity, 'a') + "\r\n"})
        EXPECT_EQ(keep_all(ok + lines + "\r\n"), "") << lines.substr(0, 40);
    for (const char* line :
         {"HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 2000 OK", "", "HTTP/1.1 200\n"})
        EXPECT_EQ(keep_all(std::string(line) + "\r\n\r\n"), "") << line;
}

TEST(LateHead, IsReadAgainAfterAReset) {
    LateHead late;
    EXPECT_FALSE(late.take("HTTP/1.1 200 OK\n"));
    late.reset();
    EXPECT_EQ(*late.take("HTTP/1.1 204 No\r\n\r\n"), 19u);
    EXPECT_EQ(late.bytes(), "HTTP/1.1 204\r\n\r\n");
}

TEST(LateHead, TellsTheEndOfTheAnswer) {
    ResponseHead head;
    ASSERT_TRUE(read_end("HTTP/1.1 700\r\nContent-Length: 5\r\n\r\n", false, head));
    EXPECT_EQ(head.framing, Framing::length);
    EXPECT_EQ(head.content_length, 5u);
    EXPECT_TRUE(head.malformed);
    for (const char* odd : {"HTTP/1.1 200\r\nContent-Length : 5\r\n\r\n", "HTTP/1.1 2x0\r\n\r\n",
                            "HTTP/1.1 200\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                            "HTTP/1.1 101\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"})
        EXPECT_FALSE(read_end(odd, false, head)) << odd;
}

}  // namespace
}  // namespace ticketgate::http
