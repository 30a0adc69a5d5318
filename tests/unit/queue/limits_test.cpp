// max_waiting and max_in_flight, also while they change.
#include "line.hpp"

namespace ticketgate::queue {
namespace {

struct Admission {
    const char* name;
    std::uint32_t max_in_flight, max_waiting;
    int holders, uploads, waiting;  // tickets taken before, none refused
    State expected;                 // the state of one more ticket that is ready
};

constexpr Admission admissions[] = {
    {"an empty line", 1, 1024, 0, 0, 0, State::granted},
    {"nobody may wait, slot free", 1, 0, 0, 0, 0, State::granted},
    {"nobody may wait, slot held", 1, 0, 1, 0, 0, State::full},
    {"nobody may wait, the slot is free, one uploads", 1, 0, 0, 1, 0, State::granted},
    {"nobody may wait, one of two slots free", 2, 0, 1, 0, 0, State::granted},
    {"nobody may wait, one of two slots held, one uploads", 2, 0, 1, 1, 0, State::granted},
    {"nobody may wait, both slots held, one uploads", 2, 0, 2, 0, 0, State::full},
    {"room for one", 1, 1, 1, 0, 0, State::waiting},
    {"room for one, taken", 1, 1, 1, 0, 1, State::full},
    {"room for one, taken by an upload", 1, 1, 1, 1, 0, State::full},
    {"those in flight do not count", 3, 1, 3, 0, 0, State::waiting},
    {"room for three, two wait", 1, 3, 1, 1, 1, State::waiting},
    {"room for three, three wait", 1, 3, 1, 1, 2, State::full},
    {"unlimited", 1, unlimited, 1, 100, 100, State::waiting},
};

TEST(QueueLimit, AdmissionTable) {
    for (const Admission& a : admissions) {
        Line line({.max_in_flight = a.max_in_flight});
        for (int i = 0; i < a.holders; ++i) line.hold();
        for (int i = 0; i < a.uploads; ++i) line.take_uploading();
        for (int i = 0; i < a.waiting; ++i) EXPECT_EQ(line.take().state, State::waiting) << a.name;
        EXPECT_EQ(line.take({.max_waiting = a.max_waiting}).state, a.expected) << a.name;
    }
}

TEST(QueueLimit, AnUploadIsRefusedBeforeItBegins) {
    Line line;
    line.hold();
    const Ticket& refused = line.take({.max_waiting = 0, .ready = false});
    EXPECT_EQ(refused.state, State::full);
    EXPECT_EQ(line.queue.waiting(), 0u);
}

TEST(QueueLimit, UnfinishedUploadsDoNotBlockAFreeSlot) {
    Line line;
    line.take({.max_waiting = 0, .ready = false});
    EXPECT_EQ(line.take({.max_waiting = 0, .ready = false}).state, State::full);
    EXPECT_EQ(line.take({.max_waiting = 0}).state, State::granted);
    EXPECT_EQ(line.take({.max_waiting = 0}).state, State::full) << "the slot is taken";
    Line in_order({.order = Order::arrival});
    in_order.take({.max_waiting = 0, .ready = false});
    EXPECT_EQ(in_order.take({.max_waiting = 0}).state, State::full) << "it would wait";
}

TEST(QueueLimit, RoutesOfOneQueueMayHaveOtherLimits) {
    Line line;
    line.hold();
    EXPECT_EQ(line.take({.max_waiting = 2}).state, State::waiting);
    EXPECT_EQ(line.take({.max_waiting = 1}).state, State::full);
    EXPECT_EQ(line.take({.max_waiting = 2}).state, State::waiting);
    EXPECT_EQ(line.take({.max_waiting = 2}).state, State::full);
    EXPECT_EQ(line.take({.max_waiting = unlimited}).state, State::waiting);
}

TEST(QueueLimit, APlaceThatWasGivenUpIsFreeAgain) {
    Line line;
    Ticket& holder = line.hold();
    Ticket& waiting = line.take({.max_waiting = 1, .deadline = start});
    EXPECT_EQ(line.take({.max_waiting = 1}).state, State::full);
    line.settle(waiting);
    Ticket& next = line.take({.max_waiting = 1});
    EXPECT_EQ(next.state, State::waiting);
    line.cancel(next);
    EXPECT_EQ(line.take({.max_waiting = 1}).state, State::waiting);
    line.leave(holder);
    EXPECT_EQ(line.take({.max_waiting = 1}).state, State::waiting);
}

TEST(QueueResize, MoreSlotsAreFilledAtOnce) {
    Line line;
    line.hold();
    for (int i = 0; i < 5; ++i) line.take();
    line.resize({.max_in_flight = 4});
    EXPECT_EQ(line.take_granted(), (Numbers{2, 3, 4}));
    EXPECT_EQ(line.queue.in_flight(), 4u);
    EXPECT_EQ(line.waiting(), (Numbers{5, 6}));
}

TEST(QueueResize, FewerSlotsStopNoHolder) {
    Line line({.max_in_flight = 3});
    Ticket* holders[3];
    for (auto& holder : holders) holder = &line.hold();
    line.take();
    line.resize({.max_in_flight = 1});
    EXPECT_EQ(line.queue.in_flight(), 3u);
    line.leave(*holders[1]);
    line.leave(*holders[0]);
    EXPECT_EQ(line.take_granted(), Numbers{});  // one still runs, and one may
    line.leave(*holders[2]);
    EXPECT_EQ(line.take_granted(), Numbers{4});
}

TEST(QueueResize, NewcomersWaitWhileHoldersStandAboveTheLimit) {
    Line line({.max_in_flight = 2});
    line.hold();
    line.hold();
    line.resize({.max_in_flight = 1});
    EXPECT_EQ(line.take({.max_waiting = 0}).state, State::full);
    EXPECT_EQ(line.take({.max_waiting = 1}).state, State::waiting);
}

TEST(QueueResize, TicketsAndNumbersStay) {
    Line line;
    line.hold();
    line.take();
    line.take_uploading();
    line.resize({.max_in_flight = 1, .order = Order::arrival});
    EXPECT_EQ(line.waiting(), (Numbers{2, 3}));
    EXPECT_EQ(line.holders(), Numbers{1});
    EXPECT_EQ(line.take().number, 4u);
    EXPECT_EQ(line.queue.limits().order, Order::arrival);
}

TEST(QueueHold, AReleasedSlotGoesToTheNext) {
    Line line;
    Ticket& stuck = line.hold();
    Ticket& next = line.take();
    EXPECT_EQ(line.release(stuck), State::released);
    EXPECT_EQ(line.take_granted(), Numbers{2});
    EXPECT_EQ(line.holders(), Numbers{2});
    EXPECT_EQ(line.release(stuck), State::released);
    EXPECT_EQ(line.leave(stuck), State::released) << "its run ends without a slot";
    EXPECT_EQ(next.state, State::granted);
    EXPECT_EQ(line.queue.in_flight(), 1u);
}

// Of a call within a hold that is given away.
TEST(QueueHold, AWaitingTicketThatIsReleasedNeverRuns) {
    Line line;
    Ticket& holder = line.hold();
    Ticket& waiting = line.take();
    EXPECT_EQ(line.release(waiting), State::revoked);
    EXPECT_EQ(line.waiting(), Numbers{});
    line.leave(holder);
    EXPECT_EQ(line.take_granted(), Numbers{});
    EXPECT_EQ(line.queue.begin(waiting), State::revoked);
}

}  // namespace
}  // namespace ticketgate::queue
