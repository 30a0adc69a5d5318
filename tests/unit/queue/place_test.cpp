// Old places: a ticket that had a number in an earlier term of the line keeps it.
#include "line.hpp"

namespace ticketgate::queue {
namespace {

TEST(QueuePlace, OldPlacesStandFirstInTheirOrder) {
    Line line;
    line.allow(false);
    line.take();
    line.take({.place = 900});
    line.take();
    line.take({.place = 700});
    line.take({.place = 800});
    EXPECT_EQ(line.waiting(), (Numbers{700, 800, 900, 1, 2}));
    line.queue.raise(1000);
    EXPECT_EQ(line.waiting(), (Numbers{700, 800, 900, 1001, 1002}));
    line.allow(true);
    for (Ticket& holder : line.tickets)
        if (holder.state == State::granted) line.leave(holder);
    EXPECT_EQ(line.take_granted().front(), 700U);
}

TEST(QueuePlace, ASlotGoesToTheLowestOldPlaceThatIsReady) {
    Line line;
    line.queue.raise(1000);
    Ticket& holder = line.hold();
    Ticket& fresh = line.take();
    Ticket& slow = line.take({.ready = false, .place = 5});
    Ticket& old = line.take({.place = 7});
    line.leave(holder);
    EXPECT_EQ(line.take_granted(), Numbers{7});
    line.ready(slow);
    line.leave(old);
    EXPECT_EQ(line.take_granted(), Numbers{5});
    EXPECT_LT(old.token, slow.token) << "tokens rise with the grants";
    line.leave(slow);
    EXPECT_EQ(line.take_granted(), Numbers{fresh.number});
}

TEST(QueuePlace, InOrderOfArrivalTheOldPlaceIsTheHead) {
    Line line({.order = Order::arrival});
    line.queue.raise(1000);
    Ticket& holder = line.hold();
    line.take();
    Ticket& old = line.take({.ready = false, .place = 5});
    line.leave(holder);
    EXPECT_EQ(line.take_granted(), Numbers()) << "it waits for the head's body";
    line.ready(old);
    EXPECT_EQ(line.take_granted(), Numbers{5});
}

TEST(QueuePlace, TellsHowManyStandBefore) {
    Line line;
    line.queue.raise(1000);
    (void)line.hold();
    line.take();
    EXPECT_EQ(line.take({.place = 7}).position, 0U);
    EXPECT_EQ(line.take({.place = 9}).position, 1U);
    EXPECT_EQ(line.take().position, 3U);
}

// Its replica has lost the connection and sends it again, before the keeper has seen the end.
TEST(QueuePlace, TheSamePlaceTwiceIsTwoTickets) {
    Line line;
    line.queue.raise(1000);
    Ticket& holder = line.hold();
    Ticket& lost = line.take({.place = 7});
    Ticket& again = line.take({.place = 7});
    EXPECT_EQ(line.waiting(), (Numbers{7, 7}));
    line.drop(lost);
    line.leave(holder);
    EXPECT_EQ(again.state, State::granted);
    EXPECT_EQ(line.queue.waiting(), 0U);
}

// It was accepted once; newcomers count it.
TEST(QueuePlace, AFullLineTakesItAndRefusesNewcomers) {
    Line line;
    line.allow(false);
    line.queue.raise(1000);
    line.take({.max_waiting = 1});
    line.take({.max_waiting = 1});
    ASSERT_EQ(line.take({.max_waiting = 1}).state, State::full);
    line.take({.max_waiting = 1, .place = 8});
    line.take({.max_waiting = 1, .ready = false, .place = 7});
    EXPECT_EQ(line.waiting(), (Numbers{7, 8, 1001, 1002}));
    EXPECT_TRUE(line.queue.refuses_newcomers(line.now));
    EXPECT_EQ(line.take({.max_waiting = 3}).state, State::full);
}

}  // namespace
}  // namespace ticketgate::queue
