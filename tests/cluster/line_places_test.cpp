// Old places: who waited at a keeper that is lost waits at the next one in the same order
// (CLUSTER.md 1.7).
#include "faults.hpp"

namespace ticketgate::test {
namespace {

class ClusterPlaces : public ClusterFaults {
 protected:
    /// A keeper, and others that forward to it.
    void begin(const std::string& more = all_queued) {
        const auto member = [&](const std::string& name) {
            return replica(name, "hold_timeout: never", more);
        };
        a_ = member("a"), begin_line(*a_);
        for (const char* name : {"b", "c", "d"}) {
            others_.push_back(member(name));
            ASSERT_EQ(others_.back()->get("/begin").status, 200);
        }
    }
    /// These requests wait at the keeper, taken in this order, sent by the others in turn.
    std::vector<Client> wait_at(const Process& keeper, const std::vector<std::string>& targets) {
        std::vector<Client> out;
        for (const std::string& target : targets) {
            out.push_back(others_[out.size() % others_.size()]->client());
            out.back().get(target);
            EXPECT_TRUE(keeper.wait_for_waiting(out.size()));
        }
        return out;
    }
    /// Which of the others keeps the line now.
    std::size_t next_keeper() const {
        EXPECT_TRUE(is_stored({"settling"}));
        const auto all = status();
        const auto name = all.at("queues").at(0).at("keeper").at("name").as_string();
        return static_cast<std::size_t>(name.at(0) - 'b');
    }
    /// What the backend has got, without what ran before the keeper was lost.
    std::vector<std::string> order() const {
        std::vector<std::string> all = backend_.order();
        std::erase_if(all, [](const std::string& target) {
            return target == "/first" || target == "/begin" || target == "/lost";
        });
        return all;
    }

    std::unique_ptr<Process> a_;
    std::vector<std::unique_ptr<Process>> others_;
};

TEST_F(ClusterPlaces, WhatWaitedAtALostKeeperKeepsItsOrder) {
    begin();
    std::vector<std::string> targets{"/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"};
    Client lost = held_at(*a_);
    auto waiting = wait_at(*a_, targets);
    a_->crash();
    const Process& keeper = *others_[next_keeper()];
    waiting.push_back(keeper.client());
    waiting.back().get("/late");
    targets.emplace_back("/late");
    ASSERT_TRUE(keeper.wait_for_waiting(targets.size()));
    settle(lost_term());
    for (Client& one : waiting) EXPECT_EQ(one.read().status, 200);
    EXPECT_EQ(order(), targets);
    backend_.release("/lost");
}

// The second keeper is lost before it has granted anything: the places are those of the first.
TEST_F(ClusterPlaces, TheyOutliveASecondLoss) {
    begin();
    const std::vector<std::string> targets{"/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"};
    Client lost = held_at(*a_);
    auto waiting = wait_at(*a_, targets);
    a_->crash();
    const std::size_t gone = next_keeper();
    ASSERT_TRUE(others_[gone]->wait_for_waiting(targets.size()));
    others_[gone]->crash();
    const auto gathers = [&](const auto& one) {
        return one != others_[gone] && one->waiting() == 2 * targets.size() / 3;
    };
    ASSERT_TRUE(eventually([&] { return std::ranges::any_of(others_, gathers); }));
    settle(lost_term());
    std::vector<std::string> expected;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        if (i % others_.size() == gone) continue;
        EXPECT_EQ(waiting[i].read().status, 200);
        expected.push_back(targets[i]);
    }
    EXPECT_EQ(order(), expected);
    backend_.release("/lost");
}

// Newcomers fill the line of the next keeper before the old places come.
TEST_F(ClusterPlaces, NewcomersThatFillTheLineKeepNoOldPlaceOut) {
    begin("routes: [{prefix: /, upstream: app, queue: app, max_waiting: 3}]\n");
    std::vector<std::string> targets{"/1", "/2", "/3"};
    Client lost = held_at(*a_);
    auto waiting = wait_at(*a_, targets);
    a_->program().signal(SIGSTOP);
    const Process& keeper = *others_[next_keeper()];
    std::vector<Client> late;
    for (const char* target : {"/4", "/5", "/6", "/7"}) {
        late.push_back(keeper.client());
        late.back().get(target);
        targets.push_back(target);
        ASSERT_TRUE(keeper.wait_for_waiting(late.size()));
    }
    a_->crash();
    ASSERT_TRUE(keeper.wait_for_waiting(targets.size()));
    EXPECT_EQ(keeper.get("/full").status, 503);
    settle(lost_term());
    for (auto* all : {&waiting, &late})
        for (Client& one : *all) EXPECT_EQ(one.read().status, 200);
    EXPECT_EQ(order(), targets);
    backend_.release("/lost");
}

// The keeper tells the place in a 102, which is between replicas.
TEST_F(ClusterPlaces, AClientSeesNothingOfIt) {
    begin();
    Client running = held_at(*a_);
    auto waiting = wait_at(*a_, {"/waits"});
    backend_.release("/lost");
    const Response first = waiting[0].read();
    EXPECT_EQ(first.status, 200);
    EXPECT_FALSE(first.fields.has("Ticketgate-Place"));
}

}  // namespace
}  // namespace ticketgate::test
