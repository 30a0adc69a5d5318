// Replicas with real gates over a real etcd: which of them grants, and what a crash leaves behind.
#include "replica/replica.hpp"

#include "cluster/token.hpp"
#include "command.hpp"
#include "etcd_calls.hpp"

namespace ticketgate::test {
namespace {

using cluster::LineState;
using cluster::Role;

const cluster::Keys keys("shop");

// The test's thread is the gate's home loop.
class House {
 public:
    House(const Etcd& store, const std::string& id, seconds lease = 5s,
          std::optional<Duration> release_after = {}, const std::string& text = "alike")
        : replica(std::make_unique<replica::Replica>(
              settings(store, id, lease, release_after, text), log)),
          gate(std::make_shared<LocalGate>("app", GateSettings(), loop, registry,
                                           &replica->permit("app"))) {
        replica->join("app", gate);
        replica->start();
    }
    ~House() { crash(); }

    /// Ends as kill -9 does: nothing is written any more.
    void crash() const { replica->stop(); }

    /// A request that stays here: where its ticket moves away, it takes another one.
    class Waiter {
     public:
        explicit Waiter(House& house) : house_(house) { take(); }
        queue::State settle() {
            const auto state = place_->settle();
            if (state == queue::State::moved) take();
            return state;
        }
        const Pass& pass() const { return place_->pass(); }
        Slot begin() && { return std::move(*place_).begin(); }

     private:
        void take() {
            auto pass = std::make_shared<Pass>();
            house_.gate->take(*pass, queue::Queue::Entry(), house_.loop);
            place_.emplace(house_.gate, std::move(pass), house_.loop);
        }
        House& house_;
        std::optional<Place> place_;
    };
    Waiter place() { return Waiter(*this); }
    bool is_granted(Waiter& place) {
        loop.run_once(Duration{0});
        return place.settle() == queue::State::granted;
    }
    bool is_granted_at_last(Waiter& place) {
        return eventually([&] { return is_granted(place); });
    }
    /// The slot of a new request; nothing: it got none.
    std::optional<Slot> held() {
        Waiter request = place();
        if (!is_granted_at_last(request)) return std::nullopt;
        return std::move(request).begin();
    }
    Role role() const { return replica->view("app").role; }
    bool becomes(Role wanted) const {
        return eventually([&] { return role() == wanted; });
    }
    bool says(const std::string& text) const {
        return eventually([&] { return replica->problem().find(text) != std::string::npos; });
    }

    Log log{Level::off};
    metrics::Registry registry;
    net::Loop loop{0};
    std::unique_ptr<replica::Replica> replica;
    std::shared_ptr<LocalGate> gate;

 private:
    static replica::Settings settings(const Etcd& store, const std::string& id, seconds lease,
                                      std::optional<Duration> release_after,
                                      const std::string& text) {
        replica::Settings out;
        out.cluster = "shop";
        // Nothing listens there. Two replicas never share an address.
        out.self = {id, "web-" + id, "127.0.0.1:" + std::to_string(1 + id.front() - 'a')};
        out.version = "test";
        out.store = Calls::settings_of(store, milliseconds(lease) / 3);
        out.lease = lease;
        cluster::Keeper::Settings queue;
        queue.lease = lease;
        queue.idle_after = 200ms;
        queue.release_after = release_after;
        out.queues["app"] = {queue, text};
        return out;
    }
};

// A store that refuses connections answers at once; while a ticket waits, each turn of the keeper
// wants a look.
TEST(Replica, LooksAtAStoreThatRefusesOnceInABeat) {
    Log log{Level::off};
    metrics::Registry registry;
    net::Loop loop{0};
    std::atomic<int> looks{0};
    replica::Settings settings;
    settings.cluster = "shop";
    settings.self = {"a", "web-a", "127.0.0.1:1"};
    settings.store.endpoints = {{"127.0.0.1", free_ports(1).front()}};
    settings.lease = 3s;
    settings.queues["app"] = {};
    settings.timed = [&](replica::StoreCall call, Duration) {
        if (call == replica::StoreCall::read) ++looks;
    };
    replica::Replica replica(std::move(settings), log);
    const auto gate =
        std::make_shared<LocalGate>("app", GateSettings(), loop, registry, &replica.permit("app"));
    replica.join("app", gate);
    const Time begun = monotonic_now();
    replica.start();
    auto pass = std::make_shared<Pass>();
    gate->take(*pass, queue::Queue::Entry(), loop);
    Place waits(gate, std::move(pass), loop);
    ASSERT_TRUE(eventually([&] { return looks >= 4; }));
    EXPECT_GE(monotonic_now() - begun, 250ms);
    waits.cancel(GivenUp::client_closed);
    replica.stop();
}

class Replicas : public testing::Test {
 protected:
    explicit Replicas(const Etcd::Options& options = {}) : store_(options), calls_(store_) {
        init("c0ffee");
    }
    void init(const std::string& id) { calls_.put(keys.cluster(), cluster::write_cluster(id)); }
    void drop(const std::string& key) {
        wire::Transaction one;
        one.drops.push_back(key);
        calls_.body(wire::write(one));
    }
    cluster::StoredLine stored() {
        std::string why;
        const auto snapshot = wire::read_snapshot(calls_.body(wire::read_all(keys.prefix())));
        auto contents = cluster::read_contents(keys, *snapshot, why);
        EXPECT_TRUE(contents) << why;
        return contents ? contents->lines["app"] : cluster::StoredLine();
    }
    bool is_stored(LineState state) {
        return eventually([&] {
            const auto line = stored().line;
            return line && line->state == state;
        });
    }

    Etcd store_;
    Calls calls_;
};

TEST_F(Replicas, GrantNothingUntilTheyKeepTheLine) {
    store_.stop(0);
    House house(store_, "a");
    House::Waiter place = house.place();
    EXPECT_EQ(place.settle(), queue::State::waiting);
    store_.go_on(0);
    EXPECT_TRUE(house.is_granted_at_last(place));
    EXPECT_EQ(stored().line->state, LineState::open);
    const auto epoch = stored().line->epoch;
    EXPECT_EQ(place.pass().token(), cluster::numbers_before(epoch) + 1);
    EXPECT_EQ(place.pass().number(), cluster::numbers_before(epoch) + 1);
    {
        const Slot slot = std::move(place).begin();
        EXPECT_EQ(slot.token(), cluster::numbers_before(epoch) + 1);
    }
    EXPECT_TRUE(is_stored(LineState::idle));
    EXPECT_EQ(stored().line->epoch, epoch);
}

TEST_F(Replicas, KeepTheirTermWhileTheLineFallsIdleAndWakes) {
    House house(store_, "a");
    std::uint64_t last = 0;
    for (int i = 0; i < 3; ++i) {
        House::Waiter place = house.place();
        ASSERT_TRUE(house.is_granted_at_last(place));
        EXPECT_EQ(place.pass().token(), last == 0 ? place.pass().token() : last + 1);
        last = place.pass().token();
        (void)std::move(place).begin();
        EXPECT_TRUE(is_stored(LineState::idle));
    }
}

TEST_F(Replicas, NoticeThatOneHasOtherSettings) {
    using Names = std::set<std::string>;
    House a(store_, "a");
    House b(store_, "b", 5s, {}, "other");
    EXPECT_TRUE(eventually([&] { return a.replica->differing() == Names{"app"}; }));
    EXPECT_TRUE(eventually([&] { return b.replica->differing() == Names{"app"}; }));
    b.replica->configure({{"app", {{}, "alike"}}});  // a reload
    EXPECT_TRUE(eventually([&] { return a.replica->differing() == Names(); }));
    EXPECT_TRUE(eventually([&] { return b.replica->differing() == Names(); }));
}

TEST_F(Replicas, GrantNothingInAStoreThatNobodyMade) {
    drop(keys.cluster());
    House house(store_, "a");
    House::Waiter place = house.place();
    EXPECT_TRUE(house.says("no cluster of this name"));
    EXPECT_EQ(place.settle(), queue::State::waiting);
    init("c0ffee");
    EXPECT_TRUE(house.is_granted_at_last(place));
}

TEST_F(Replicas, TakeAnIdleLineOfACrashedOneWithoutAProof) {
    House first(store_, "a");
    EXPECT_TRUE(first.becomes(Role::idle));
    const auto epoch = stored().line->epoch;
    first.crash();
    House second(store_, "b");
    House::Waiter place = second.place();
    EXPECT_TRUE(second.is_granted_at_last(place));
    EXPECT_GT(stored().line->epoch, epoch);
}

// What ran when the keeper crashed may still run at the backend.
TEST_F(Replicas, WaitForTheWordWhenTheKeeperCrashedWithARequest) {
    House first(store_, "a");
    House::Waiter running = first.place();
    ASSERT_TRUE(first.is_granted_at_last(running));
    const auto token = running.pass().token();
    const auto epoch = stored().line->epoch;
    first.crash();
    House second(store_, "b");
    House::Waiter place = second.place();
    EXPECT_TRUE(second.becomes(Role::settling));
    EXPECT_TRUE(still(1s, [&] { return !second.is_granted(place); }));
    EXPECT_EQ(stored().line->prior->epoch, epoch);
    const auto settled = Command(store_).run({"settle", "app", std::to_string(epoch)});
    EXPECT_EQ(settled.code, 0) << settled.err;
    EXPECT_TRUE(second.is_granted_at_last(place));
    EXPECT_GT(place.pass().token(), token);
    EXPECT_TRUE(stored().words.empty()) << "a word that was used is deleted";
    constexpr auto by_operator = static_cast<std::size_t>(cluster::Settled::by_operator);
    EXPECT_EQ(second.replica->view("app").settled[by_operator], 1U);
    EXPECT_NE(
        second.registry.render().find("ticketgate_exclusion_violations_total{queue=\"app\"} 1"),
        std::string::npos);
}

TEST_F(Replicas, GoOnAfterALeaseAndTheHoldTimeoutWhereItMayFailOpen) {
    House first(store_, "a");
    House::Waiter running = first.place();
    ASSERT_TRUE(first.is_granted_at_last(running));
    first.crash();
    House second(store_, "b", 5s, 500ms);
    House::Waiter place = second.place();
    EXPECT_TRUE(second.is_granted_at_last(place));
    EXPECT_TRUE(stored().line);
}

TEST_F(Replicas, KeepOneLineAtOneOfThem) {
    House first(store_, "a");
    EXPECT_TRUE(first.becomes(Role::idle));
    House second(store_, "b");
    House::Waiter there = second.place();
    EXPECT_TRUE(
        eventually([&] { return second.replica->view("app").where == cluster::Where::peer; }));
    House::Waiter here = first.place();
    EXPECT_TRUE(first.is_granted_at_last(here));
    EXPECT_FALSE(second.is_granted(there));
    EXPECT_EQ(second.replica->view("app").record->keeper.id, "a");
}

TEST_F(Replicas, HandTheLineOverWhenTheyDrain) {
    House first(store_, "a", 60s);
    House::Waiter running = first.place();
    ASSERT_TRUE(first.is_granted_at_last(running));
    House second(store_, "b", 60s);
    House::Waiter place = second.place();
    EXPECT_TRUE(eventually([&] { return second.replica->view("app").record.has_value(); }));
    first.replica->drain();
    EXPECT_TRUE(is_stored(LineState::leaving) || is_stored(LineState::settling));
    EXPECT_FALSE(second.is_granted(place));
    (void)std::move(running).begin();
    EXPECT_TRUE(second.is_granted_at_last(place)) << "the word, long before the lease ends";
}

// Nothing is granted behind 0.9 of a lease without the store, and nothing is lost.
TEST_F(Replicas, GrantNothingWithoutTheStoreAndGoOnWithIt) {
    House house(store_, "a");
    std::optional<Slot> slot = house.held();
    ASSERT_TRUE(slot);
    const auto epoch = stored().line->epoch;
    store_.stop(0);
    EXPECT_TRUE(house.says("timeout"));
    EXPECT_TRUE(eventually([&] { return !house.replica->permit("app").holds(); }));
    House::Waiter place = house.place();
    slot.reset();
    EXPECT_FALSE(house.is_granted(place));
    store_.go_on(0);
    EXPECT_TRUE(house.is_granted_at_last(place));
    EXPECT_GE(stored().line->epoch, epoch);
}

TEST_F(Replicas, RefuseAStoreThatLostTheLine) {
    House house(store_, "a");
    EXPECT_TRUE(house.becomes(Role::idle));
    drop(keys.line("app"));
    EXPECT_TRUE(house.says("epoch of queue app went back"));
    House::Waiter place = house.place();
    EXPECT_TRUE(still(500ms, [&] { return !house.is_granted(place); }));
}

// What is there again may be what it was before a request began.
TEST_F(Replicas, RefuseAStoreThatLostTheLineAlsoWhenItIsThereAgain) {
    House house(store_, "a");
    EXPECT_TRUE(house.becomes(Role::idle));
    const cluster::Line line = *stored().line;
    drop(keys.line("app"));
    EXPECT_TRUE(house.says("epoch of queue app went back"));
    wire::Transaction again;
    again.puts.push_back({keys.line("app"), cluster::write_line(line, wall_now()), 0});
    calls_.body(wire::write(again));
    ASSERT_TRUE(eventually([&] {
        const auto seen = house.replica->contents()->lines;
        const auto found = seen.find("app");
        return found != seen.end() && found->second.line == line;
    }));
    EXPECT_NE(house.replica->problem().find("went back"), std::string::npos);
}

// Nobody takes the word there, so a stop need not wait for it.
TEST_F(Replicas, OweAStoreThatTheyRefuseNoWord) {
    House house(store_, "a");
    std::optional<Slot> slot = house.held();
    ASSERT_TRUE(slot);
    drop(keys.line("app"));
    ASSERT_TRUE(house.says("epoch of queue app went back"));
    house.replica->drain();
    EXPECT_TRUE(still(300ms, [&] { return !house.replica->is_rid(); })) << "its request runs";
    slot.reset();
    EXPECT_TRUE(eventually([&] {
        house.loop.run_once(Duration{0});
        return house.replica->is_rid();
    }));
}

TEST_F(Replicas, TakeTicketsWithoutTheStoreWhileTheyAreSure) {
    const House house(store_, "a", 60s);
    ASSERT_TRUE(house.becomes(Role::idle));
    store_.kill(0);
    ASSERT_TRUE(house.says("127.0.0.1"));
    EXPECT_EQ(house.gate->where().where, Whereabouts::Where::here);
}

// The next look would be in 20 seconds.
TEST_F(Replicas, LookAtTheStoreSoonWhenTheirKeeperTakesNoRequest) {
    const House a(store_, "a", 60s);
    ASSERT_TRUE(a.becomes(Role::idle));
    const House b(store_, "b", 60s);
    ASSERT_TRUE(eventually([&] { return b.replica->sure() > 0s; }));  // its looks of the start
    ASSERT_EQ(b.gate->where().where, Whereabouts::Where::peer);
    a.replica->drain();
    ASSERT_TRUE(is_stored(LineState::free));
    b.gate->doubt_keeper();
    EXPECT_TRUE(eventually([&] { return b.role() != Role::follower; }, 15s));
}

}  // namespace
}  // namespace ticketgate::test
