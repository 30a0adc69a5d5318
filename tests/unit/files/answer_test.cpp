#include "files/answer.hpp"

#include <gtest/gtest.h>

namespace ticketgate::files {
namespace {

constexpr std::int64_t mtime = 1700000000, now = mtime + 100;

Resolved found(std::uint64_t size, Coding coding = Coding::identity) {
    Resolved out;
    out.kind = Resolved::Kind::file;
    out.path = "/a.txt";
    out.file = std::make_shared<OpenFile>();
    out.file->size = size;
    out.file->mtime_ns = mtime * 1'000'000'000;
    out.coding = coding;
    out.varies = coding != Coding::identity;
    return out;
}

Rules rules() {
    Rules out;
    out.known = std::make_shared<const MediaTypes>("");
    return out;
}

Answer answer(std::uint64_t size, const Wanted& wanted = {}, const Rules& by = rules(),
              std::int64_t at = now) {
    return answer_of(found(size), by, wanted, at, "SEP");
}

bool says(const Answer& answer, const std::string& line) {
    return ("\r\n" + answer.fields).find("\r\n" + line + "\r\n") != std::string::npos;
}

TEST(FileAnswer, IsTheWholeFile) {
    Rules with = rules();
    with.cache_control = "max-age=5";
    const Answer whole = answer(10, {}, with);
    EXPECT_EQ(whole.status, 200);
    EXPECT_EQ(whole.fields,
              "Content-Type: text/plain; charset=utf-8\r\n"
              "ETag: \"17979cfe362a0000-a\"\r\n"
              "Last-Modified: Tue, 14 Nov 2023 22:13:20 GMT\r\n"
              "Cache-Control: max-age=5\r\n"
              "Accept-Ranges: bytes\r\n"
              "X-Content-Type-Options: nosniff\r\n"
              "Content-Length: 10\r\n");
    ASSERT_EQ(whole.body.size(), 1u);
    EXPECT_EQ(whole.body[0].size, 10u);
}

TEST(FileAnswer, ToHeadHasTheFieldsOfGetAlone) {
    const Answer get = answer(10), head = answer(10, {.head = true, .range = "bytes=0-1"});
    EXPECT_EQ(head.fields, get.fields);
    EXPECT_EQ(head.status, 200);
    EXPECT_TRUE(head.body.empty());
}

TEST(FileAnswer, OfACodingSaysSo) {
    const Answer packed = answer_of(found(10, Coding::br), rules(), {}, now, "SEP");
    EXPECT_TRUE(says(packed, "Content-Encoding: br"));
    EXPECT_TRUE(says(packed, "Vary: Accept-Encoding"));
    EXPECT_TRUE(says(packed, "ETag: \"17979cfe362a0000-a-br\""));
    EXPECT_TRUE(says(packed, "Content-Type: text/plain; charset=utf-8"));
}

TEST(FileAnswer, ThatIsKnownHasNoBody) {
    const Answer known = answer(10, {.conditions = {.if_none_match = "\"17979cfe362a0000-a\""}});
    EXPECT_EQ(known.status, 304);
    EXPECT_TRUE(says(known, "ETag: \"17979cfe362a0000-a\""));
    EXPECT_EQ(known.fields.find("Content-"), std::string::npos);
    EXPECT_TRUE(known.body.empty());
    const Answer other = answer(10, {.conditions = {.if_match = "\"x\""}});
    EXPECT_EQ(other.status, 412);
    EXPECT_TRUE(says(other, "Content-Length: 0"));
}

TEST(FileAnswer, OfOneRange) {
    const Answer part = answer(10, {.range = "bytes=2-4"});
    EXPECT_EQ(part.status, 206);
    EXPECT_TRUE(says(part, "Content-Range: bytes 2-4/10"));
    EXPECT_TRUE(says(part, "Content-Length: 3"));
    ASSERT_EQ(part.body.size(), 1u);
    EXPECT_EQ(part.body[0].from, 2u);
    EXPECT_EQ(part.body[0].size, 3u);
    const Answer beyond = answer(10, {.range = "bytes=10-"});
    EXPECT_EQ(beyond.status, 416);
    EXPECT_TRUE(says(beyond, "Content-Range: bytes */10"));
    const Answer changed = answer(10, {.conditions = {.if_range = "\"x\""}, .range = "bytes=2-4"});
    EXPECT_EQ(changed.status, 200);
}

TEST(FileAnswer, OfSeveralRangesIsMultipart) {
    const Answer parts = answer(10, {.range = "bytes=0-1,8-"});
    EXPECT_EQ(parts.status, 206);
    EXPECT_TRUE(says(parts, "Content-Type: multipart/byteranges; boundary=SEP"));
    std::string body;
    for (const Piece& piece : parts.body) {
        body += piece.text;
        body += std::string("0123456789").substr(piece.from, piece.size);
    }
    EXPECT_EQ(body,
              "--SEP\r\nContent-Type: text/plain; charset=utf-8\r\n"
              "Content-Range: bytes 0-1/10\r\n\r\n01"
              "\r\n--SEP\r\nContent-Type: text/plain; charset=utf-8\r\n"
              "Content-Range: bytes 8-9/10\r\n\r\n89"
              "\r\n--SEP--\r\n");
    EXPECT_EQ(parts.length, body.size());
    EXPECT_TRUE(says(parts, "Content-Length: " + std::to_string(body.size())));
}

TEST(FileAnswer, ThatMayStillChangeHasAWeakTag) {
    EXPECT_TRUE(says(answer(10, {}, rules(), mtime + 1), "ETag: W/\"17979cfe362a0000-a\""));
    EXPECT_TRUE(says(answer(10, {}, rules(), mtime + 2), "ETag: \"17979cfe362a0000-a\""));
}

TEST(FileAnswer, NamesNoTimeThatIsToCome) {
    EXPECT_TRUE(
        says(answer(10, {}, rules(), mtime - 10), "Last-Modified: Tue, 14 Nov 2023 22:13:10 GMT"));
}

}  // namespace
}  // namespace ticketgate::files
