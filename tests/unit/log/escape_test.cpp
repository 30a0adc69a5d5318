#include "log/escape.hpp"

#include <gtest/gtest.h>

#include <random>

#include "json.hpp"

namespace ticketgate {
namespace {

using namespace std::string_view_literals;

std::string json(std::string_view text) {
    std::string out;
    append_json(out, text);
    return out;
}
std::string quoted(std::string_view text) {
    std::string out;
    append_quoted(out, text);
    return out;
}
std::string word(std::string_view text) {
    std::string out;
    append_word(out, text);
    return out;
}

// The text that a JSON reader gets back.
std::string read_back(std::string_view text) {
    return std::string(parse_json('"' + json(text) + '"').as_string());
}

TEST(Escape, PlainTextPasses) {
    EXPECT_EQ(json("/a?b=c&d=%20~"), "/a?b=c&d=%20~");
    EXPECT_EQ(json(""), "");
}

TEST(Escape, ControlCharactersAndQuotesInJson) {
    EXPECT_EQ(json("a\"b\\c\n\r\t"), R"(a\"b\\c\n\r\t)");
    EXPECT_EQ(json("\x00\x1b[2J\x7f"sv), R"(\u0000\u001b[2J\u007f)");
    EXPECT_EQ(json("\xc2\x9b"), R"(\u009b)");  // C1: CSI, which terminals obey like ESC [
    EXPECT_EQ(json("\xc2\xa0"), "\xc2\xa0");
}

TEST(Escape, Utf8PassesAndOtherBytesShowTheirValue) {
    for (const auto good : {"ä"sv, "€"sv, "😀"sv, "\xed\x9f\xbf"sv, "\xf4\x8f\xbf\xbf"sv})
        EXPECT_EQ(json(good), good);
    EXPECT_EQ(json("\xff"), R"(\\xff)");
    EXPECT_EQ(json("\xc3"), R"(\\xc3)");
    EXPECT_EQ(json("\xc3(a"), R"(\\xc3(a)");
    EXPECT_EQ(json("\xc0\xaf"), R"(\\xc0\\xaf)");                    // overlong
    EXPECT_EQ(json("\xe0\x9f\xbf"), R"(\\xe0\\x9f\\xbf)");           // overlong
    EXPECT_EQ(json("\xed\xa0\x80"), R"(\\xed\\xa0\\x80)");           // surrogate
    EXPECT_EQ(json("\xf4\x90\x80\x80"), R"(\\xf4\\x90\\x80\\x80)");  // above U+10FFFF
    EXPECT_EQ(json("\xe2\x82"), R"(\\xe2\\x82)");                    // cut off
}

TEST(Escape, AnyBytesMakeValidJson) {
    std::mt19937 random(1);
    for (int round = 0; round < 20'000; ++round) {
        std::string text(random() % 24, '\0');
        // Half of the rounds use few byte values, so that nearly valid UTF-8 occurs.
        static constexpr auto nearly = "\xc2\xe0\xed\xf0\xf4\x80\x8f\x90\x9f\xa0\xbf\"\\a"sv;
        for (auto& c : text)
            c = round % 2 ? static_cast<char>(random()) : nearly[random() % nearly.size()];
        const auto out = json(text);
        ASSERT_NO_THROW((void)read_back(text)) << out;
        for (const char c : out) ASSERT_GE(static_cast<unsigned char>(c), 0x20);
    }
}

TEST(Escape, CombinedIsPrintableAscii) {
    EXPECT_EQ(quoted("a\"b\\c\n\x1b\xc3\xa4\x7f"), R"(a\"b\\c\n\x1b\xc3\xa4\x7f)");
    EXPECT_EQ(quoted("\0"sv), R"(\x00)");
}

TEST(Escape, WordsAreQuotedWhenTheyMust) {
    EXPECT_EQ(word("cart"), "cart");
    EXPECT_EQ(word("10.0.0.1:80"), "10.0.0.1:80");
    EXPECT_EQ(word(""), "\"\"");
    EXPECT_EQ(word("a b"), "\"a b\"");
    EXPECT_EQ(word("a=b"), "\"a=b\"");
    EXPECT_EQ(word("a\"b\n"), R"("a\"b\n")");
}

TEST(Escape, SentencesKeepTheirQuotes) {
    std::string out;
    append_sentence(out, "unknown key \"que\\ue\"\nfake line");
    EXPECT_EQ(out, "unknown key \"que\\ue\"\\nfake line");
}

}  // namespace
}  // namespace ticketgate
