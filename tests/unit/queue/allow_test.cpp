// A line that may not grant, as a clustered one between two terms.
#include "line.hpp"

namespace ticketgate::queue {
namespace {

TEST(QueueAllow, GathersTicketsAndGrantsThemInOrderLater) {
    Line line({.max_in_flight = 2});
    line.allow(false);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(line.take().state, State::waiting);
    EXPECT_EQ(line.take_granted(), Numbers());
    line.allow(true);
    EXPECT_EQ(line.take_granted(), (Numbers{1, 2}));
    EXPECT_EQ(line.waiting(), Numbers{3});
}

TEST(QueueAllow, KeepsASlotThatIsGivenBackMeanwhile) {
    Line line;
    Ticket& holder = line.hold();
    Ticket& next = line.take();
    line.allow(false);
    line.leave(holder);
    EXPECT_EQ(next.state, State::waiting);
    line.allow(true);
    EXPECT_EQ(next.state, State::granted);
}

// The slots that will be free count as ever, so the line is as long as with them; but it has an
// end.
TEST(QueueAllow, GathersNoMoreThanMaxWaitingAndTheFreeSlots) {
    Line line({.max_in_flight = 2});
    line.allow(false);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(line.take({.max_waiting = 1}).state, State::waiting);
    EXPECT_EQ(line.take({.max_waiting = 1}).state, State::full);
}

TEST(QueueAllow, GrantsToTicketsTakenBeforeATime) {
    Line line({.max_in_flight = 2});
    line.allow_until(line.now + 1s);
    Ticket& upload = line.take_uploading();
    Ticket& early = line.take();
    EXPECT_EQ(early.state, State::granted);
    line.now += 1s;
    EXPECT_EQ(line.take().state, State::waiting) << "it came at that time, and a slot is free";
    line.ready(upload);
    EXPECT_EQ(line.take_granted(), (Numbers{2, 1})) << "it was taken before";
    line.leave(early);
    EXPECT_EQ(line.take_granted(), Numbers());
    line.allow(true);
    EXPECT_EQ(line.take_granted(), Numbers{3});
}

TEST(QueueAllow, TheHeadOfALineInOrderOfArrivalKeepsItsPlace) {
    Line line({.order = Order::arrival});
    Ticket& upload = line.take_uploading();
    line.now += 1s;
    line.allow_until(line.now);
    EXPECT_EQ(line.take().state, State::waiting);
    EXPECT_EQ(line.queue.next_in_line(), &upload);
    line.ready(upload);
    EXPECT_EQ(upload.state, State::granted);
}

// It is no wrong refusal: a newcomer that takes no slot at once would wait.
TEST(QueueAllow, ANewcomerThatMayNotBeGrantedCountsAsOneThatWaits) {
    Line line;
    line.allow_until(line.now);
    EXPECT_EQ(line.take({.max_waiting = 0}).state, State::waiting) << "it will take the free slot";
    EXPECT_EQ(line.take({.max_waiting = 0}).state, State::full);
}

TEST(QueueAllow, EndsWaitsAsEver) {
    Line line;
    line.allow(false);
    Ticket& late = line.take({.deadline = line.now + 1s});
    Ticket& gone = line.take();
    line.now += 1s;
    EXPECT_EQ(line.settle(late), State::expired);
    EXPECT_EQ(line.cancel(gone), State::cancelled);
}

TEST(QueueMove, SendsAwayAllThatWaitAndNoneThatRun) {
    Line line({.max_in_flight = 2});
    Ticket& holder = line.hold();
    line.take();  // granted: its session begins it
    Ticket& slow = line.take_uploading();
    Ticket& next = line.take();
    line.allow(false);
    EXPECT_EQ(line.move(), (Numbers{3, 4}));
    EXPECT_EQ(slow.state, State::moved);
    EXPECT_EQ(next.state, State::moved);
    EXPECT_EQ(line.holders(), (Numbers{1, 2}));
    EXPECT_EQ(line.take_granted(), Numbers{2});
    line.leave(holder);
    EXPECT_EQ(line.take_granted(), Numbers());
}

TEST(QueueMove, GrantsNothingOnTheWay) {
    Line line;
    Ticket& upload = line.take_uploading();
    EXPECT_EQ(line.move(), Numbers{1});
    EXPECT_EQ(upload.state, State::moved);
    EXPECT_EQ(line.take().state, State::granted) << "the line here goes on with newcomers";
}

TEST(QueueRaise, NumbersThoseWhoWaitAnewInTheirOrder) {
    Line line;
    Ticket& holder = line.hold();
    Ticket& slow = line.take_uploading();
    Ticket& next = line.take();
    line.queue.raise(1000);
    EXPECT_EQ(holder.number, 1U) << "it has begun";
    EXPECT_EQ(line.waiting(), (Numbers{1001, 1002}));
    EXPECT_EQ(line.take().number, 1003U);
    line.leave(holder);
    EXPECT_EQ(next.token, 1001U);
    line.ready(slow);
    line.leave(next);
    EXPECT_EQ(slow.token, 1002U) << "its number is the lowest";
}

TEST(QueueRaise, NeverGoesBack) {
    Line line;
    line.queue.raise(1000);
    line.queue.raise(10);
    EXPECT_EQ(line.take().number, 1001U);
}

}  // namespace
}  // namespace ticketgate::queue
