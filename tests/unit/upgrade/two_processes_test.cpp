// Every order of events between an old and a new process, with every delay of their messages: at
// most one of the two runs a request, none overtakes an older one that its process knows of, and
// none waits for ever.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <vector>

#include "upgrade/turns.hpp"

namespace ticketgate::upgrade {
namespace {

constexpr Time first_of_new{};  // from here on the new process takes tickets

struct Message {
    Say say{};
    Time until{};
    auto operator<=>(const Message&) const = default;
};

// One process and the messages on their way to it.
struct Process {
    bool ours = false;
    Time until = first_of_new;
    std::vector<Time> waiting;  // sorted
    int uploads = 0;            // each is as old as the first request of the old process
    int running = 0, to_come = 0;
    int may_leave = 1;  // clients that do not wait to the end
    std::vector<Message> inbox;
    auto operator<=>(const Process&) const = default;

    Time next() const { return waiting.empty() ? Time::max() : waiting.front(); }
    void take(Time time) { waiting.insert(std::ranges::upper_bound(waiting, time), time); }
};

// The old process, then the new one.
struct World {
    std::array<Process, 2> processes;
    Time now = first_of_new;
    auto operator<=>(const World&) const = default;
};

World first_world() {
    World world;
    Process &old = world.processes[0], &fresh = world.processes[1];
    old.ours = true;
    old.uploads = 1;
    old.to_come = 2;
    old.take(first_of_new - Duration(1));
    fresh.to_come = 2;
    return world;
}

Side side_of(std::size_t who) {
    return who == 0 ? Side::old_process : Side::new_process;
}

// It has an older ticket than this one, and the other process has been told.
bool known_to_be_older(const World& world, std::size_t who, Time ticket) {
    const Process& self = world.processes[who];
    const bool older = who == 0 ? self.next() <= ticket : self.next() < ticket;
    if (!older) return false;
    const bool told = self.until <= self.next() + Duration(who);
    return told && world.processes[1 - who].inbox.empty();
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
        const Process& self = world_.processes[who];
        if (self.to_come > 0)
            for (const int ticks : {0, 1}) arrive(who, Duration(ticks));
        if (self.uploads > 0)
            change(who, [](Process& p) { --p.uploads, p.take(first_of_new - Duration(2)); });
        if (!self.waiting.empty() && self.may_leave > 0)
            change(who, [](Process& p) { --p.may_leave, p.waiting.erase(p.waiting.begin()); });
        if (self.ours && self.running == 0 && self.next() < self.until) grant(who);
        if (self.running > 0) change(who, [](Process& p) { --p.running; });
        if (!self.inbox.empty())
            change(who, [](Process& p) {
                const Message& message = p.inbox.front();
                const Turn turn = hear({p.ours, p.until}, message.say, message.until);
                p.ours = turn.ours, p.until = turn.until;
                p.inbox.erase(p.inbox.begin());
            });
        look_at(who);
    }

    template <class Change>
    void change(std::size_t who, Change change) {
        World next = world_;
        change(next.processes[who]);
        worlds.push_back(std::move(next));
    }

    // Two tickets may be of the same time.
    void arrive(std::size_t who, Duration later) {
        World next = world_;
        next.now += later;
        --next.processes[who].to_come;
        next.processes[who].take(next.now);
        worlds.push_back(std::move(next));
    }

    void grant(std::size_t who) {
        EXPECT_FALSE(known_to_be_older(world_, 1 - who, world_.processes[who].next()));
        change(who, [](Process& p) { p.waiting.erase(p.waiting.begin()), ++p.running; });
    }

    void look_at(std::size_t who) {
        World next = world_;
        Process& self = next.processes[who];
        const Turn before{self.ours, self.until};
        const Step step = look(side_of(who), before, {self.next(), self.running > 0});
        if (step.after == before && step.say == Say::nothing) return;
        self.ours = step.after.ours, self.until = step.after.until;
        if (step.say != Say::nothing)
            next.processes[1 - who].inbox.push_back({step.say, step.after.until});
        worlds.push_back(std::move(next));
    }

    const World& world_;
};

// Follows every path. A path that comes back to a world would be an endless one.
class Paths {
 public:
    std::size_t worlds() const { return known_.size(); }
    std::size_t ends = 0;

    void follow(const World& first) {
        enter(first);
        while (!path_.empty()) {
            if (path_.back().left.empty()) {
                known_[path_.back().world] = State::done;
                path_.pop_back();
                continue;
            }
            const World next = std::move(path_.back().left.back());
            path_.back().left.pop_back();
            const auto found = known_.find(next);
            if (found == known_.end())
                enter(next);
            else
                ASSERT_NE(found->second, State::on_path) << "the right goes to and fro for ever";
            if (testing::Test::HasFailure()) return;
        }
    }

 private:
    enum class State { on_path, done };
    struct Place {
        World world;
        std::vector<World> left;
    };

    void enter(const World& world) {
        const auto& [old, fresh] = world.processes;
        known_[world] = State::on_path;
        EXPECT_LE(old.running + fresh.running, 1);
        EXPECT_FALSE(old.ours && fresh.ours);
        path_.push_back({world, Next(world).worlds});
        if (path_.back().left.empty()) end(old, fresh);
    }

    void end(const Process& old, const Process& fresh) {
        ++ends;
        for (const Process* one : {&old, &fresh}) {
            EXPECT_TRUE(one->waiting.empty());
            EXPECT_EQ(one->running, 0);
        }
        EXPECT_TRUE(fresh.ours) << "nobody is left";
        EXPECT_EQ(fresh.until, Time::max());
    }

    std::map<World, State> known_;
    std::vector<Place> path_;
};

TEST(TwoProcesses, NeverRunRequestsOfOneQueueAtOnceAndKeepTheirOrderAndEnd) {
    Paths paths;
    paths.follow(first_world());
    EXPECT_GE(paths.ends, 1u);
    EXPECT_GT(paths.worlds(), 10'000u);
    RecordProperty("worlds", static_cast<int>(paths.worlds()));
}

}  // namespace
}  // namespace ticketgate::upgrade
