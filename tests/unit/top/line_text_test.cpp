// Text for the cells of a terminal.
#include "top/line_text.hpp"

#include <gtest/gtest.h>

namespace ticketgate::top {
namespace {

TEST(LineText, CutsAtTheWidthInCharacters) {
    EXPECT_EQ(cut("abcd", 4), "abcd");
    EXPECT_EQ(cut("abcde", 4), "abc>");
    EXPECT_EQ(cut("äöüß", 4), "äöüß");
    EXPECT_EQ(cut("äöüße", 3), "äö>");
    EXPECT_EQ(cut("abc", 1), ">");
    EXPECT_EQ(cut("abc", 0), "");
    EXPECT_EQ(padded("ä", 3), "ä  ");
}

TEST(LineText, HasNoControlCharacters) {
    EXPECT_EQ(printable("a\x1b[31mb\r\n\t\x7f"), "a?[31mb????");
    EXPECT_EQ(printable("\xc2\x9b"
                        "31m"),
              "??31m")
        << "a control character of ISO 8859";
    EXPECT_EQ(printable("ä\xff\xc3"), "ä??");
    EXPECT_EQ(printable("€ 😀"), "€ 😀");
}

TEST(LineText, WritesDurationsForPeople) {
    EXPECT_EQ(duration_text(0), "0.0s");
    EXPECT_EQ(duration_text(14.04), "14.0s");
    EXPECT_EQ(duration_text(59.99), "59.9s");
    EXPECT_EQ(duration_text(60), "1m00s");
    EXPECT_EQ(duration_text(3599), "59m59s");
    EXPECT_EQ(duration_text(3600 * 2 + 7 * 60), "2h07m");
    EXPECT_EQ(duration_text(86400 * 5 + 3 * 3600), "5d03h");
}

TEST(LineText, WritesTheTimeOfDayInItsZone) {
    EXPECT_EQ(clock_text(0, 0), "00:00:00");
    EXPECT_EQ(clock_text(86399, 0), "23:59:59");
    EXPECT_EQ(clock_text(86399, 3600), "00:59:59");
    EXPECT_EQ(clock_text(0, -3600), "23:00:00");
}

TEST(LineText, FoldsACommandSoThatAShellReadsTheSame) {
    const std::string told =
        "  to free its slot: ticketgate release 'a b' 12 --request-id d22p9njvrn5i -c '/x y.yaml'";
    EXPECT_EQ(folded_command(told, 200), std::vector<std::string>{told});
    EXPECT_EQ(
        folded_command(told, 60),
        (std::vector<std::string>{
            "  to free its slot:", "    ticketgate release 'a b' 12 --request-id d22p9njvrn5i \\",
            "        -c '/x y.yaml'"}));
    for (std::size_t width = 30; width < length(told); ++width) {
        const auto lines = folded_command(told, width);
        std::string whole = lines.at(0) + " ";
        for (std::size_t i = 1; i < lines.size(); ++i) {
            EXPECT_LE(length(lines[i]), width);
            auto line = lines[i].substr(lines[i].find_first_not_of(' '));
            const bool goes_on = i + 1 < lines.size();
            EXPECT_EQ(line.ends_with(" \\"), goes_on) << line;
            whole += goes_on ? line.substr(0, line.size() - 1) : line;
        }
        EXPECT_EQ(whole, told) << width;
    }
    EXPECT_EQ(folded_command("no command, and long", 5).size(), 1u);
}

TEST(LineText, ASentenceGoesOnInTheNextLine) {
    using Texts = std::vector<std::string>;
    EXPECT_EQ(folded("it fits", 7), Texts{"it fits"});
    EXPECT_EQ(folded("it does not fit", 9), (Texts{"it does", "  not fit"}));
    EXPECT_EQ(folded("  within another", 12), (Texts{"  within", "    another"}));
    EXPECT_EQ(folded("a verylongwordindeed b", 6), (Texts{"a", "  verylongwordindeed", "  b"}));
    EXPECT_EQ(folded("", 0), Texts{""});
    EXPECT_EQ(folded("   ", 1), Texts{"   "});
}

TEST(LineText, AlignsColumns) {
    EXPECT_EQ(aligned({{"A", "B"}, {"ää", "c"}, {"d", ""}}),
              (std::vector<std::string>{"A   B", "ää  c", "d"}));
}

}  // namespace
}  // namespace ticketgate::top
