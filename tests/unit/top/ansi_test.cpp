// Lines as bytes for a terminal.
#include "top/ansi.hpp"

#include <gtest/gtest.h>

namespace ticketgate::top {
namespace {

const std::vector<Line> lines{{"one", Style::alarm}, {"two"}};

TEST(Ansi, ClearsEachLineAheadOfItsText) {
    EXPECT_EQ(painted(lines, true), "\x1b[H\x1b[K\x1b[1;31mone\x1b[0m\r\n\x1b[Jtwo");
}

TEST(Ansi, HasNoColoursWhenNoneAreWanted) {
    EXPECT_EQ(painted(lines, false), "\x1b[H\x1b[Kone\r\n\x1b[Jtwo");
    EXPECT_EQ(plain(lines), "one\ntwo\n");
}

}  // namespace
}  // namespace ticketgate::top
