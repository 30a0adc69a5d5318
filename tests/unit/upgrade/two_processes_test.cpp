// Every order of events between an old and a new process, with every delay of their messages: at
// most one of the two runs a request, and none waits for ever.
#include <gtest/gtest.h>

#include <array>
#include <compare>
#include <set>
#include <string>
#include <vector>

#include "upgrade/turns.hpp"

namespace ticketgate::upgrade {
namespace {

const std::string queue = "q";

// One process and the messages on their way to it.
struct Process {
    Turn turn{};
    int waiting = 0, running = 0, to_come = 0;
    std::vector<Event> inbox;
    auto operator<=>(const Process&) const = default;
};

using World = std::array<Process, 2>;  // the old process, then the new one

World first_world() {
    World world;
    world[0] = {.turn = Turn::ours, .waiting = 1, .to_come = 2, .inbox = {}};
    world[1] = {.turn = Turn::theirs, .to_come = 2, .inbox = {}};
    return world;
}

bool may_grant(const Process& process) {
    return process.turn == Turn::ours;
}

// The worlds that one event makes of this one.
class Next {
 public:
    explicit Next(const World& world) : world_(world) {
        for (const std::size_t who : {0u, 1u}) add_all(who);
    }
    std::vector<World> worlds;

 private:
    void add_all(std::size_t who) {
        const Process& self = world_[who];
        if (self.to_come > 0) change(who, [](Process& p) { --p.to_come, ++p.waiting; });
        if (may_grant(self) && self.waiting > 0 && self.running == 0)
            change(who, [](Process& p) { --p.waiting, ++p.running; });
        if (self.running > 0) change(who, [](Process& p) { --p.running; });
        if (!self.inbox.empty())
            change(who, [](Process& p) {
                p.turn = step(p.turn, p.inbox.front()).next;
                p.inbox.erase(p.inbox.begin());
            });
        look(who);
    }

    template <class Change>
    void change(std::size_t who, Change change) {
        World next = world_;
        change(next[who]);
        worlds.push_back(std::move(next));
    }

    void look(std::size_t who) {
        World next = world_;
        Process& self = next[who];
        const Side side = who == 0 ? Side::old_process : Side::new_process;
        const auto event = seen(side, self.turn, {self.waiting > 0, self.running > 0});
        if (!event) return;
        const Step made = step(self.turn, *event);
        self.turn = made.next;
        if (made.say != Say::nothing)
            next[1 - who].inbox.push_back(made.say == Say::give ? Event::given : Event::asked);
        worlds.push_back(std::move(next));
    }

    const World& world_;
};

TEST(TwoProcesses, NeverRunRequestsOfOneQueueAtOnceAndNoneWaitsForEver) {
    std::set<World> known{first_world()};
    std::vector<World> open{first_world()};
    std::size_t ends = 0;
    while (!open.empty()) {
        const World world = std::move(open.back());
        open.pop_back();
        ASSERT_LE(world[0].running + world[1].running, 1);
        ASSERT_FALSE(may_grant(world[0]) && may_grant(world[1]));
        const auto next = Next(world).worlds;
        if (next.empty()) {
            ++ends;
            for (const Process& process : world) ASSERT_EQ(process.waiting + process.running, 0);
            EXPECT_EQ(world[1].turn, Turn::ours);
            EXPECT_EQ(world[0].turn, Turn::theirs);
        }
        for (const World& one : next)
            if (known.insert(one).second) open.push_back(one);
    }
    EXPECT_EQ(ends, 1u) << "the new process has the queue, and nobody waits";
    EXPECT_GT(known.size(), 100u);
}

}  // namespace
}  // namespace ticketgate::upgrade
