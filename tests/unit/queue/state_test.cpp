// Every state of a ticket, every event in each state, and the winner when events race.
#include <algorithm>
#include <array>
#include <functional>
#include <string>

#include "line.hpp"

namespace ticketgate::queue {
namespace {

constexpr Time deadline = start + 10s;

enum class From {
    idle,
    uploading,
    waiting,
    granted,
    running,
    full,
    expired,
    cancelled,
    moved,
    revoked,
    released,
    left
};
constexpr std::array origins{From::idle,    From::uploading, From::waiting,  From::granted,
                             From::running, From::full,      From::expired,  From::cancelled,
                             From::moved,   From::revoked,   From::released, From::left};

// A line whose only slot is held by number 1, and a ticket behind it.
struct Scene : Line {
    explicit Scene(From from) : ticket(tickets.emplace_back()) {
        if (from == From::idle) return;
        hold();
        const std::uint32_t most = from == From::full ? 0 : 10;
        const Entry entry{
            .max_waiting = most, .ready = from != From::uploading, .deadline = deadline};
        queue.take(ticket, entry, now, granted);
        constexpr std::array past_the_grant{From::granted, From::running, From::revoked,
                                            From::released, From::left};
        if (std::ranges::count(past_the_grant, from) != 0) leave(holder());
        if (from == From::running || from == From::released || from == From::left) begin(ticket);
        if (from == From::revoked || from == From::released) release(ticket);
        if (from == From::left) leave(ticket);
        if (from == From::cancelled) cancel(ticket);
        if (from == From::moved) move();
        if (from == From::expired) {
            now = deadline;
            settle(ticket);
            now = start;
        }
        granted.clear();
    }
    Ticket& holder() { return tickets[1]; }
    Ticket& ticket;
};

struct Happening {
    const char* name;
    std::function<void(Scene&)> happen;
    // The state after the event, indexed like `origins`; misuse: the process stops.
    std::array<State, 12> becomes;
};

using enum State;

const std::array happenings{
    Happening{"body whole",
              [](Scene& s) { s.ready(s.ticket); },
              {idle, waiting, waiting, granted, running, full, expired, cancelled, moved, revoked,
               released, left}},
    Happening{"settled just before its deadline",
              [](Scene& s) {
                  s.now = deadline - 1ns;
                  s.settle(s.ticket);
              },
              {idle, waiting, waiting, granted, running, full, expired, cancelled, moved, revoked,
               released, left}},
    Happening{"settled at its deadline",
              [](Scene& s) {
                  s.now = deadline;
                  s.settle(s.ticket);
              },
              {idle, waiting, expired, granted, running, full, expired, cancelled, moved, revoked,
               released, left}},
    Happening{"client left",
              [](Scene& s) { s.cancel(s.ticket); },
              {idle, cancelled, cancelled, granted, running, full, expired, cancelled, moved,
               revoked, released, left}},
    Happening{"the line moves to another replica",
              [](Scene& s) { s.move(); },
              {idle, moved, moved, granted, running, full, expired, cancelled, moved, revoked,
               released, left}},
    Happening{"its session ends",
              [](Scene& s) { s.drop(s.ticket); },
              {idle, cancelled, cancelled, left, misuse, full, expired, cancelled, moved, revoked,
               misuse, left}},
    Happening{"its run begins",
              [](Scene& s) { s.begin(s.ticket); },
              {misuse, misuse, misuse, running, misuse, misuse, misuse, misuse, misuse, revoked,
               misuse, misuse}},
    Happening{"its run ends",
              [](Scene& s) { s.queue.leave(s.ticket, s.now, s.granted); },
              {misuse, misuse, misuse, misuse, left, misuse, misuse, misuse, misuse, misuse,
               released, misuse}},
    Happening{"an operator releases it",
              [](Scene& s) { s.release(s.ticket); },
              {idle, revoked, revoked, revoked, released, full, expired, cancelled, moved, revoked,
               released, left}},
};

bool stops_the_process(const Happening& happening, std::size_t origin) {
    return happening.becomes[origin] == misuse;
}

TEST(TicketState, EveryTransitionIsInTheTable) {
    for (const Happening& happening : happenings) {
        for (std::size_t i = 0; i < origins.size(); ++i) {
            Scene scene(origins[i]);
            if (stops_the_process(happening, i)) {
                EXPECT_DEATH(happening.happen(scene), "State::misuse")
                    << happening.name << ", origin " << i;
                scene.cancel(scene.ticket);
                continue;
            }
            happening.happen(scene);
            EXPECT_EQ(scene.ticket.state, happening.becomes[i])
                << happening.name << ", origin " << i;
            EXPECT_EQ(scene.granted.size(), 0u) << happening.name << ", origin " << i;
        }
    }
}

// Each pair of events, from each state: the second must act on the state that the first left.
TEST(TicketState, EveryPairOfEventsKeepsTheCounts) {
    int pairs = 0;
    for (const From from : origins)
        for (const Happening& first : happenings)
            for (const Happening& second : happenings) {
                Scene scene(from);
                if (stops_the_process(first, static_cast<std::size_t>(from))) continue;
                first.happen(scene);
                const auto now = std::ranges::find_if(origins, [&](From origin) {
                    return Scene(origin).ticket.state == scene.ticket.state &&
                           Scene(origin).ticket.ready == scene.ticket.ready;
                });
                const auto origin = static_cast<std::size_t>(now - origins.begin());
                if (now == origins.end() || stops_the_process(second, origin)) continue;
                second.happen(scene);
                ++pairs;
                EXPECT_EQ(scene.ticket.state, second.becomes[origin])
                    << first.name << ", then " << second.name;
                const bool holds = holds_slot(scene.ticket.state);
                const bool other = holds_slot(scene.tickets.back().state);
                EXPECT_EQ(scene.queue.in_flight(), (holds ? 1u : 0u) + (other ? 1u : 0u))
                    << first.name << ", then " << second.name;
            }
    EXPECT_GT(pairs, 390);
}

TEST(TicketState, SettleAndCancelReturnTheState) {
    for (const From from : origins) {
        Scene settled(from), cancelled_scene(from);
        const State after_settle = settled.settle(settled.ticket);
        EXPECT_EQ(after_settle, settled.ticket.state);
        const State after_cancel = cancelled_scene.cancel(cancelled_scene.ticket);
        EXPECT_EQ(after_cancel, cancelled_scene.ticket.state);
    }
}

TEST(TicketState, CountsFollowEveryTransition) {
    for (const Happening& happening : happenings) {
        for (std::size_t i = 0; i < origins.size(); ++i) {
            if (stops_the_process(happening, i)) continue;
            Scene scene(origins[i]);
            happening.happen(scene);
            std::uint32_t line = 0, holders = 0;
            for (const Ticket& ticket : scene.tickets) {
                line += ticket.state == waiting ? 1 : 0;
                holders += holds_slot(ticket.state) ? 1 : 0;
            }
            EXPECT_EQ(scene.queue.waiting(), line) << happening.name << ", origin " << i;
            EXPECT_EQ(scene.queue.in_flight(), holders) << happening.name << ", origin " << i;
        }
    }
}

TEST(TicketState, RefusedTicketsGetNoNumber) {
    Scene scene(From::full);
    EXPECT_EQ(scene.ticket.number, 0u);
    EXPECT_EQ(scene.queue.last_number(), 1u);
    scene.leave(scene.holder());
    EXPECT_EQ(scene.take().number, 2u);  // no number is missing from the order
}

TEST(TicketState, ASecondReadyChangesNothing) {
    Line line;
    Ticket& holder = line.hold();
    Ticket& late = line.take_uploading();
    line.ready(late);
    line.ready(late);
    line.leave(holder);
    EXPECT_EQ(line.take_granted(), Numbers{2});
    line.leave(late);
    EXPECT_EQ(line.take_granted(), Numbers{});
    EXPECT_EQ(line.queue.in_flight(), 0u);
}

// ── races: whichever comes first under the lock decides, for good ──

enum class Event { slot_free, body_whole, deadline_passed, client_left };

// The state that one ticket must reach, computed without a queue.
State outcome_of(const std::array<Event, 4>& events) {
    bool free = false, whole = false;
    for (const Event event : events) {
        if (event == Event::deadline_passed && whole) return expired;
        if (event == Event::client_left) return cancelled;
        free = free || event == Event::slot_free;
        whole = whole || event == Event::body_whole;
        if (free && whole) return granted;
    }
    return waiting;
}

void happen(Event event, Scene& scene) {
    switch (event) {
        case Event::slot_free:
            (void)scene.leave(scene.holder());
            return;
        case Event::body_whole:
            return scene.ready(scene.ticket);
        case Event::deadline_passed:
            scene.now = deadline;
            (void)scene.settle(scene.ticket);
            return;
        case Event::client_left:
            (void)scene.cancel(scene.ticket);
            return;
    }
}

TEST(TicketRace, TheFirstDecisionStandsInEveryOrder) {
    std::array events{Event::slot_free, Event::body_whole, Event::deadline_passed,
                      Event::client_left};
    int orders = 0;
    do {
        Scene scene(From::uploading);
        for (const Event event : events) happen(event, scene);
        const State expected = outcome_of(events);
        EXPECT_EQ(scene.ticket.state, expected) << "order " << orders;
        EXPECT_EQ(scene.take_granted(), expected == granted ? Numbers{2} : Numbers{});
        EXPECT_EQ(scene.queue.in_flight(), expected == granted ? 1u : 0u);
        EXPECT_EQ(scene.queue.waiting(), 0u);
        ++orders;
    } while (std::next_permutation(events.begin(), events.end()));
    EXPECT_EQ(orders, 24);
}

TEST(TicketRace, AGrantBeforeTheDeadlineStands) {
    Scene scene(From::waiting);
    Ticket& behind = scene.take();
    scene.leave(scene.holder());
    scene.now = deadline + 1s;
    EXPECT_EQ(scene.settle(scene.ticket), granted);
    EXPECT_EQ(behind.state, waiting);
}

TEST(TicketRace, ADeadlineBeforeTheGrantPassesTheSlotOn) {
    Scene scene(From::waiting);
    Ticket& behind = scene.take();
    scene.now = deadline;
    EXPECT_EQ(scene.settle(scene.ticket), expired);
    scene.leave(scene.holder());
    EXPECT_EQ(scene.take_granted(), Numbers{3});
    EXPECT_EQ(behind.state, granted);
}

TEST(TicketRace, ASlotCanBeGivenBackOnce) {
    Scene scene(From::granted);
    Ticket& behind = scene.take();
    scene.begin(scene.ticket);
    EXPECT_EQ(scene.release(scene.ticket), released);
    EXPECT_EQ(scene.release(scene.ticket), released);
    EXPECT_EQ(scene.leave(scene.ticket), released);
    EXPECT_EQ(behind.state, granted);
    EXPECT_EQ(scene.queue.in_flight(), 1u);
}

// An operator releases the ticket right after its grant: the request must never run, and the slot
// goes to the next.
TEST(TicketRace, AReleaseBeforeTheRunBeginsPassesTheSlotOn) {
    Scene scene(From::granted);
    Ticket& behind = scene.take();
    EXPECT_EQ(scene.release(scene.ticket), revoked);
    EXPECT_EQ(behind.state, granted);
    EXPECT_EQ(scene.begin(scene.ticket), revoked);
    EXPECT_EQ(scene.settle(scene.ticket), revoked);
    EXPECT_EQ(scene.drop(scene.ticket), revoked);
    EXPECT_EQ(scene.queue.in_flight(), 1u);
}

TEST(QueueInvariant, MisuseStopsTheProcess) {
    Scene held(From::granted);
    EXPECT_DEATH(held.queue.take(held.ticket, Entry(), held.now, held.granted), "State::misuse");
    EXPECT_DEATH(held.resize({.max_in_flight = 0}), "max_in_flight");
}

}  // namespace
}  // namespace ticketgate::queue
