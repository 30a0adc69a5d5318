// From a config to the proxy, and over reloads (CONTRACT 2.8).
#include "proxy/assembly.hpp"

#include "configs.hpp"

namespace ticketgate {
namespace {

const std::string two_queues =
    "queues: {a: {max_in_flight: 1}, b: {}}\n"
    "defaults: {upstream: app}\n"
    "routes: [{prefix: /a, queue: a}, {prefix: /b, queue: b}, {prefix: /free, upstream: other}]\n";
const std::string raised =
    "queues: {a: {max_in_flight: 3}}\n"
    "defaults: {upstream: app}\n"
    "routes: [{prefix: /a, queue: a}, {prefix: /new, queue: new}]\n"
    "clients: {max_input: 64KiB}\n";

struct AssemblyTest : testing::Test {
    Gate* gate(const std::string& name) const { return served.assembly.gates().find(name); }
    const Snapshot& now() const { return *served.assembly.snapshot(); }
    void turn_loops() {
        for (const auto& loop : served.loops) loop->turn(1);
    }
    bool takes_heads_behind(std::size_t bytes) {
        InputBudget& input = served.assembly.commons().input;
        input.take(InputBudget::Kind::head, bytes);
        const bool takes = input.takes_heads();
        input.give_back(InputBudget::Kind::head, bytes);
        return takes;
    }
    Served served{two_queues, 2};
};

TEST_F(AssemblyTest, EachQueueHasAGateOnALoopInTurn) {
    EXPECT_EQ(served.find("/a")->gate.get(), gate("a"));
    EXPECT_EQ(&gate("a")->home(), served.loops[0].get());
    EXPECT_EQ(&gate("b")->home(), served.loops[1].get());
}

TEST_F(AssemblyTest, AReloadKeepsAGateWithItsSlotsAndGivesItNewLimits) {
    const auto before = served.find("/a")->gate;
    auto pass = std::make_shared<Pass>();
    before->take(*pass, queue::Queue::Entry(), before->home());
    const Slot slot = Place(before, pass, before->home()).begin();
    served.assembly.reload(config_of(raised));
    EXPECT_EQ(now().find("/a")->gate, before);
    EXPECT_EQ(gate("a"), before.get());
    EXPECT_EQ(before->settings().limits.max_in_flight, 3u);
    EXPECT_EQ(before->figures().in_flight, 1u);
    EXPECT_NE(gate("new"), nullptr);
}

TEST_F(AssemblyTest, AReloadKeepsAnUpstreamWhoseSettingsAreEqual) {
    auto next = config_of(two_queues);
    next.upstreams.at("other").max_idle = 1;
    served.assembly.reload(std::move(next));
    EXPECT_EQ(now().upstreams.at("app"), served.snapshot->upstreams.at("app"));
    EXPECT_NE(now().upstreams.at("other"), served.snapshot->upstreams.at("other"));
    EXPECT_EQ(now().find("/free")->upstream, now().upstreams.at("other"));
}

TEST_F(AssemblyTest, EachLoopTakesUpTheNewSnapshotAtItsTurn) {
    served.assembly.reload(config_of(raised));
    EXPECT_EQ(served.assembly.station(1).snapshot(), served.snapshot);
    turn_loops();
    for (const std::size_t loop : {0u, 1u})
        EXPECT_EQ(served.assembly.station(loop).snapshot(), served.assembly.snapshot());
}

TEST_F(AssemblyTest, AReloadChangesTheRoomForInput) {
    EXPECT_TRUE(takes_heads_behind(100 << 10));
    served.assembly.reload(config_of(raised));
    EXPECT_FALSE(takes_heads_behind(100 << 10));
}

// A file may be gone between the check of the config and the reload.
struct MissingFile : AssemblyTest, testing::WithParamInterface<const char*> {
    static config::Config config() {
        auto next = config_of(raised);
        if (std::string(GetParam()) == "certificate")
            next.listen[0].tls.emplace().certificates.push_back({"/none/a.pem", "/none/a.key"});
        else
            next.upstreams.at("other").https = true,
            next.upstreams.at("other").tls.ca_file = "/none/ca.pem";
        next.upstreams.at("app").max_idle = 1;
        return next;
    }
};

TEST_P(MissingFile, ThrowsBeforeAnythingHasChanged) {
    EXPECT_THROW(served.assembly.reload(config()), std::runtime_error);
    turn_loops();
    EXPECT_EQ(served.assembly.snapshot(), served.snapshot);
    EXPECT_EQ(served.assembly.station(0).snapshot(), served.snapshot);
    EXPECT_EQ(gate("a")->settings().limits.max_in_flight, 1u);
    EXPECT_NE(gate("b"), nullptr);
    EXPECT_EQ(gate("new"), nullptr);
    EXPECT_TRUE(takes_heads_behind(100 << 10));
    served.assembly.reload(config_of(two_queues));
    EXPECT_EQ(now().upstreams.at("app"), served.snapshot->upstreams.at("app"));
}

INSTANTIATE_TEST_SUITE_P(Files, MissingFile, testing::Values("certificate", "ca_file"),
                         [](const auto& file) { return std::string(file.param); });

TEST_F(AssemblyTest, DrainAndStopReachEveryStation) {
    served.assembly.drain();
    turn_loops();
    EXPECT_TRUE(served.assembly.station(1).draining());
    EXPECT_FALSE(served.assembly.station(1).stopping());
    served.assembly.stop();
    turn_loops();
    EXPECT_TRUE(served.assembly.station(0).stopping());
    EXPECT_TRUE(served.assembly.idle());
}

}  // namespace
}  // namespace ticketgate
