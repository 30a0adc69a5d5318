// Keys and answers, and what is to be done about them.
#include "top/browser.hpp"

#include <gtest/gtest.h>

#include "answers.hpp"
#include "top/screen.hpp"

namespace ticketgate::top {
namespace {

Pressed letter(char c) {
    return {Key::letter, c};
}

Browser browsing(const std::string& queue = {}) {
    Browser browser(queue);
    browser.show(*read_queues(test::all()));
    return browser;
}

Browser on_cart() {
    Browser browser = browsing();
    browser.show(*read_tickets(test::cart()));
    return browser;
}

TEST(Browser, BeginsWithTheQueueThatIsBlocked) {
    EXPECT_EQ(browsing().selected(), "cart");
    EXPECT_EQ(browsing("mail").selected(), "mail");
    EXPECT_EQ(browsing("gone").selected(), "cart");
    Browser none;
    none.show(std::vector<QueueLine>());
    EXPECT_EQ(none.selected(), "");
    EXPECT_EQ(none.press(letter('j')), Wish::draw);
    EXPECT_EQ(none.press(letter('r')), Wish::draw);
    EXPECT_FALSE(none.order());
}

TEST(Browser, MovesBetweenQueuesAndStopsAtTheEnds) {
    Browser browser = on_cart();
    EXPECT_EQ(browser.press({Key::down}), Wish::refresh);
    EXPECT_EQ(browser.selected(), "mail");
    EXPECT_FALSE(browser.tickets()) << "those of another queue";
    browser.show(*read_tickets(test::cart()));
    EXPECT_FALSE(browser.tickets()) << "an answer that comes late";
    EXPECT_EQ(browser.press(letter('j')), Wish::draw);
    EXPECT_EQ(browser.press(letter('k')), Wish::refresh);
    EXPECT_EQ(browser.press({Key::up}), Wish::refresh);
    EXPECT_EQ(browser.selected(), "a");
    EXPECT_EQ(browser.press({Key::up}), Wish::draw);
}

TEST(Browser, KeepsTheSelectedQueueWhenTheListChanges) {
    Browser browser = browsing("mail");
    browser.show(*read_queues(R"({"queues":[)" + test::queue("mail", 0, 0, 1, "0.0", "0.0") + "," +
                              test::queue("z", 9, 1, 1, "9.0", "9.0") + "]}"));
    EXPECT_EQ(browser.selected(), "mail");
    EXPECT_EQ(browser.selected_row(), 0u);
    browser.show(*read_queues(R"({"queues":[)" + test::queue("z", 9, 1, 1, "9.0", "9.0") + "]}"));
    EXPECT_EQ(browser.selected(), "z");
}

TEST(Browser, SortsByWhatMayBeLarge) {
    Browser browser = browsing();
    const auto first = [&] { return browser.queues().front().name; };
    EXPECT_EQ(first(), "a");
    for (const auto& [sort, name] :
         {std::pair{Sort::waiting, "cart"}, std::pair{Sort::oldest_run, "mail"},
          std::pair{Sort::oldest_wait, "cart"}, std::pair{Sort::name, "a"}}) {
        EXPECT_EQ(browser.press(letter('s')), Wish::draw);
        EXPECT_EQ(browser.sort(), sort);
        EXPECT_EQ(first(), name);
        EXPECT_EQ(browser.selected(), "cart");
    }
}

TEST(Browser, ReleasesOnlyAfterAConfirmation) {
    Browser browser = on_cart();
    EXPECT_EQ(browser.press(letter('r')), Wish::draw);
    EXPECT_EQ(browser.order(), (ReleaseOrder{"cart", 7, "r7"}));
    EXPECT_EQ(browser.press(letter('y')), Wish::release);
    EXPECT_EQ(browser.take_order(), (ReleaseOrder{"cart", 7, "r7"}));
    EXPECT_FALSE(browser.order()) << "once";
}

TEST(Browser, DoesNotReleaseOnAnyOtherKey) {
    for (const Pressed& key : {letter('r'), letter('Y'), letter('q'), letter('n'), letter(' '),
                               Pressed{Key::escape}, Pressed{Key::down}}) {
        Browser browser = on_cart();
        browser.press(letter('r'));
        EXPECT_EQ(browser.press(key), Wish::draw);
        EXPECT_FALSE(browser.order());
        EXPECT_EQ(browser.selected(), "cart");
        EXPECT_EQ(browser.message(), "not released");
        browser.press(letter('y'));
        EXPECT_FALSE(browser.order());
    }
    Browser browser = on_cart();
    browser.press(letter('r'));
    EXPECT_EQ(browser.press({Key::interrupt}), Wish::quit);
}

TEST(Browser, AsksAboutTheSameRequestAsLongAsItRuns) {
    Browser browser = on_cart();
    browser.press(letter('r'));
    browser.show(*read_tickets(test::cart()));
    EXPECT_EQ(browser.order(), (ReleaseOrder{"cart", 7, "r7"}));
    browser.show(
        *read_tickets(test::queue("cart", 0, 101, 200, "1.0", "1.0", test::tickets("", ""))));
    EXPECT_TRUE(browser.order()) << "it may be one that is not shown; the process looks";
    browser.show(*read_tickets(
        test::queue("cart", 1, 1, 1, "1.0", "1.0",
                    test::tickets(test::ticket(8, "/b", R"("held_seconds":1.0)"), ""))));
    EXPECT_FALSE(browser.order());
    EXPECT_EQ(browser.message(), "not released: number 7, request id r7, does not run any more");
    EXPECT_EQ(browser.press(letter('y')), Wish::draw);
}

// After a restart the numbers begin anew.
TEST(Browser, AsksAboutNoOtherRequestWithTheSameNumber) {
    Browser browser = on_cart();
    browser.press(letter('r'));
    auto other = *read_tickets(test::cart());
    other.lines.at(0).request_id = "another";
    browser.show(std::move(other));
    EXPECT_FALSE(browser.order());
    EXPECT_EQ(browser.press(letter('y')), Wish::draw);
}

TEST(Browser, ChoosesAmongThoseThatRun) {
    Browser browser = browsing("mail");
    browser.show(*read_tickets(test::mail()));
    browser.press(letter('r'));
    EXPECT_EQ(browser.order(), (ReleaseOrder{"mail", 4, "r4"})) << "the oldest";
    browser.press({Key::escape});
    browser.press({Key::tab});
    EXPECT_EQ(browser.chosen(), 3u);
    browser.press(letter('r'));
    EXPECT_EQ(browser.order(), (ReleaseOrder{"mail", 3, "r3"}));
    browser.press({Key::escape});
    browser.press({Key::tab});
    EXPECT_EQ(browser.chosen(), 4u);
}

TEST(Browser, SaysWhenThereIsNothingToRelease) {
    Browser browser = browsing("a");
    browser.show(*read_tickets(test::queue("a", 0, 0, 1, "0.0", "0.0", test::tickets("", ""))));
    EXPECT_EQ(browser.press(letter('r')), Wish::draw);
    EXPECT_FALSE(browser.order());
    EXPECT_EQ(browser.message(), "no request runs in this queue");
    browser.press(letter('j'));
    EXPECT_EQ(browser.message(), "") << "until the next key";
}

TEST(Browser, HoldsThePictureAndGoesOn) {
    Browser browser = on_cart();
    EXPECT_EQ(browser.press(letter('p')), Wish::draw);
    EXPECT_TRUE(browser.frozen());
    EXPECT_EQ(browser.press(letter('p')), Wish::refresh);
    EXPECT_FALSE(browser.frozen());
}

TEST(Browser, HoldsThePictureOnceNoAnswerIsOutstanding) {
    Browser browser = on_cart();
    browser.press(letter('p'));
    Surroundings around;
    around.looking = true;
    EXPECT_EQ(screen(browser, around, {120, 24})[0].text.find("HELD"), std::string::npos);
    around.looking = false;
    EXPECT_TRUE(screen(browser, around, {120, 24})[0].text.ends_with("THE PICTURE IS HELD"));
}

TEST(Browser, EndsAndSuspends) {
    Browser browser = on_cart();
    EXPECT_EQ(browser.press(letter('q')), Wish::quit);
    EXPECT_EQ(browser.press({Key::interrupt}), Wish::quit);
    EXPECT_EQ(browser.press({Key::suspend}), Wish::suspend);
    EXPECT_EQ(browser.press({Key::redraw}), Wish::draw);
    EXPECT_EQ(browser.press(letter(' ')), Wish::refresh);
    EXPECT_EQ(browser.press(letter('z')), Wish::draw);
}

}  // namespace
}  // namespace ticketgate::top
