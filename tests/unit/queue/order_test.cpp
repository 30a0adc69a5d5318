// The order of grants (CONTRACT section 1), and a ticket's view of those ahead of it.
#include "line.hpp"

namespace ticketgate::queue {
namespace {

// Gives back one slot after the other, oldest first, until none is held.
Numbers run_dry(Line& line) {
    Numbers order = line.take_granted();
    while (!line.holders().empty()) {
        const std::uint64_t oldest = line.holders().front();
        for (Ticket& ticket : line.tickets)
            if (ticket.number == oldest) line.leave(ticket);
        for (const auto number : line.take_granted()) order.push_back(number);
    }
    return order;
}

TEST(QueueOrder, GrantsInOrderOfArrival) {
    Line line;
    line.take();
    for (int i = 0; i < 9; ++i) line.take();
    EXPECT_EQ(run_dry(line), (Numbers{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
}

TEST(QueueOrder, NumbersRiseByOne) {
    Line line({.max_in_flight = 2});
    for (std::uint64_t i = 1; i <= 5; ++i) EXPECT_EQ(line.take().number, i);
    EXPECT_EQ(line.queue.last_number(), 5u);
}

TEST(QueueOrder, UnfinishedUploadsAreOvertakenButKeepTheirNumber) {
    Line line;
    Ticket& holder = line.hold();
    Ticket& upload = line.take_uploading();
    Ticket& third = line.take();
    line.take();
    line.leave(holder);
    EXPECT_EQ(line.take_granted(), Numbers{3});
    line.ready(upload);
    EXPECT_EQ(line.take_granted(), Numbers{});
    line.leave(third);
    EXPECT_EQ(line.take_granted(), Numbers{2});  // ahead of 4, which was ready before it
}

TEST(QueueOrder, AFreeSlotIsTakenWhileAnUploadGoesOn) {
    Line line;
    Ticket& upload = line.take_uploading();
    Ticket& second = line.take();
    EXPECT_EQ(second.state, State::granted);
    line.ready(upload);
    EXPECT_EQ(upload.state, State::waiting);
    line.leave(second);
    EXPECT_EQ(upload.state, State::granted);
}

TEST(QueueOrder, AnUploadThatEndsTakesAFreeSlotAtOnce) {
    for (const Order order : {Order::ready, Order::arrival}) {
        Line line({.order = order});
        Ticket& upload = line.take_uploading();
        EXPECT_EQ(upload.state, State::waiting);
        line.ready(upload);
        EXPECT_EQ(upload.state, State::granted);
        EXPECT_EQ(line.take_granted(), Numbers{1});
    }
}

TEST(QueueOrder, UploadsThatEndInAnyOrderRunInOrderOfNumber) {
    Line line;
    line.hold();
    std::vector<Ticket*> uploads;
    for (int i = 0; i < 5; ++i) uploads.push_back(&line.take_uploading());
    for (const std::size_t i : {3u, 0u, 4u, 2u, 1u}) line.ready(*uploads[i]);
    EXPECT_EQ(run_dry(line), (Numbers{2, 3, 4, 5, 6}));
}

TEST(QueueOrder, ArrivalWaitsForTheHeadOfTheLine) {
    Line line({.order = Order::arrival});
    Ticket& upload = line.take_uploading();
    Ticket& second = line.take();
    EXPECT_EQ(second.state, State::waiting);
    EXPECT_EQ(line.queue.in_flight(), 0u);
    line.ready(upload);
    EXPECT_EQ(line.take_granted(), Numbers{1});
    line.leave(upload);
    EXPECT_EQ(line.take_granted(), Numbers{2});
}

TEST(QueueOrder, ArrivalGoesOnWhenTheHeadExpires) {
    Line line({.order = Order::arrival});
    Ticket& upload = line.take({.ready = false, .deadline = start + 1s});
    line.take();
    line.now = start + 1s;
    EXPECT_EQ(line.settle(upload), State::expired);
    EXPECT_EQ(line.take_granted(), Numbers{2});
}

TEST(QueueOrder, ArrivalGoesOnWhenTheHeadLeaves) {
    Line line({.max_in_flight = 2, .order = Order::arrival});
    Ticket& upload = line.take_uploading();
    line.take();
    line.take();
    line.take_uploading();
    line.take();
    EXPECT_EQ(line.cancel(upload), State::cancelled);
    EXPECT_EQ(line.take_granted(), (Numbers{2, 3}));
}

TEST(QueueOrder, ArrivalSkipsSeveralDecidedTicketsAtOnce) {
    Line line({.max_in_flight = 3, .order = Order::arrival});
    Ticket& upload = line.take_uploading();
    line.take();
    line.take();
    line.take_uploading();
    line.ready(upload);
    EXPECT_EQ(line.take_granted(), (Numbers{1, 2, 3}));
}

TEST(QueueOrder, ArrivalChangedToReadyLetsTheReadyGo) {
    Line line({.max_in_flight = 1, .order = Order::arrival});
    line.take_uploading();
    line.take();
    line.resize({.max_in_flight = 1, .order = Order::ready});
    EXPECT_EQ(line.take_granted(), Numbers{2});
}

TEST(QueueOrder, ANewcomerDoesNotPassAReadyTicket) {
    Line line({.max_in_flight = 2});
    Ticket& first = line.hold();
    line.hold();
    line.take();
    line.leave(first);
    EXPECT_EQ(line.take_granted(), Numbers{3});  // handed over, so a newcomer cannot take the slot
    EXPECT_EQ(line.take().state, State::waiting);
}

TEST(QueueOrder, SeveralSlotsAreFilledInOrder) {
    Line line({.max_in_flight = 3});
    for (int i = 0; i < 6; ++i) line.take();
    EXPECT_EQ(run_dry(line), (Numbers{1, 2, 3, 4, 5, 6}));
}

TEST(QueueOrder, ATicketThatLeftFromTheMiddleIsSkipped) {
    Line line;
    Ticket& holder = line.hold();
    line.take();
    Ticket& third = line.take();
    line.take();
    line.cancel(third);
    EXPECT_EQ(line.waiting(), (Numbers{2, 4}));
    line.leave(holder);
    EXPECT_EQ(run_dry(line), (Numbers{2, 4}));
}

TEST(QueueView, PositionCountsThoseAhead) {
    Line line;
    EXPECT_EQ(line.take().position, 0u);
    EXPECT_EQ(line.take().position, 0u);  // in flight is not waiting
    EXPECT_EQ(line.take_uploading().position, 1u);
    EXPECT_EQ(line.take().position, 2u);
}

TEST(QueueView, BlockedByIsTheOldestHolder) {
    Line line({.max_in_flight = 2});
    Ticket& first = line.take();
    EXPECT_EQ(first.blocked_by, 0u);
    EXPECT_EQ(line.take().blocked_by, 1u);
    EXPECT_EQ(line.take().blocked_by, 1u);
    line.leave(first);
    EXPECT_EQ(line.take().blocked_by, 2u);
}

TEST(QueueView, HoldersStandInOrderOfGrant) {
    Line line({.max_in_flight = 3});
    Ticket& upload = line.take_uploading();
    line.take();
    line.take();
    line.ready(upload);
    EXPECT_EQ(line.holders(), (Numbers{2, 3, 1}));
    EXPECT_EQ(line.waiting(), Numbers{});
}

}  // namespace
}  // namespace ticketgate::queue
