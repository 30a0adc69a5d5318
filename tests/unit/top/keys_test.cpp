// What terminals send for keys.
#include "top/keys.hpp"

#include <gtest/gtest.h>

namespace ticketgate::top {
namespace {

using Keys = std::vector<Pressed>;

TEST(Keys, AreLettersAndControls) {
    EXPECT_EQ(
        keys_in("q\x03\t\x1a\x0c"),
        (Keys{{Key::letter, 'q'}, {Key::interrupt}, {Key::tab}, {Key::suspend}, {Key::redraw}}));
    EXPECT_EQ(keys_in(""), Keys{});
    EXPECT_EQ(keys_in("\x7f\xc3"), (Keys{{Key::other}, {Key::other}}));
}

TEST(Keys, AreArrowsInBothModesOfATerminal) {
    EXPECT_EQ(keys_in("\x1b[A\x1b[B\x1bOA\x1bOB"),
              (Keys{{Key::up}, {Key::down}, {Key::up}, {Key::down}}));
}

TEST(Keys, AreOneForEachSequenceOfAnotherKey) {
    EXPECT_EQ(keys_in("\x1b[1;5Ar\x1b[3~q"),
              (Keys{{Key::other}, {Key::letter, 'r'}, {Key::other}, {Key::letter, 'q'}}));
    EXPECT_EQ(keys_in("\x1b[15"), Keys{{Key::other}}) << "cut, so that its digits are no letters";
}

TEST(Keys, KnowEscapeAlone) {
    EXPECT_EQ(keys_in("\x1b"), Keys{{Key::escape}});
    EXPECT_EQ(keys_in("\x1bq"), (Keys{{Key::escape}, {Key::letter, 'q'}}));
}

}  // namespace
}  // namespace ticketgate::top
