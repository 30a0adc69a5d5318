#include "cluster/contents.hpp"

#include <gtest/gtest.h>

namespace ticketgate::cluster {
namespace {

const Keys keys("shop");
const Instance a{"4f1d", "web-1", "10.0.0.1:9901"}, b{"a07c", "web-2", "10.0.0.2:9901"};
constexpr WallTime now{1'795'000'000'123'456}, started{1'794'999'000'500'000},
    now_ms{1'795'000'000'123'000};

etcd::Entry entry(std::string key, std::string value, etcd::Revision version = 3) {
    return {std::move(key), std::move(value), version};
}

etcd::Snapshot snapshot(std::vector<etcd::Entry> entries, etcd::Revision revision = 9) {
    entries.push_back(entry(keys.cluster(), write_cluster("c0ffee"), 2));
    return {revision, std::move(entries)};
}

Contents contents(std::vector<etcd::Entry> entries, etcd::Revision revision = 9) {
    std::string why;
    auto read = read_contents(keys, snapshot(std::move(entries), revision), why);
    EXPECT_EQ(why, "");
    return read.value_or(Contents{});
}

etcd::Entry line_of(const Line& line, etcd::Revision version = 5) {
    return entry(keys.line("app"), write_line(line, now), version);
}

etcd::Entry listed(const Instance& one, const std::string& queue = "app") {
    return entry(keys.replica(one.id), write_replica({one, "1.0", {{queue, "5a"}}, started}));
}

TEST(Keys, StandBelowTheClustersName) {
    EXPECT_EQ(keys.cluster(), "/ticketgate/shop/cluster");
    EXPECT_EQ(keys.replica("4f1d"), "/ticketgate/shop/replicas/4f1d");
    EXPECT_EQ(keys.line("app"), "/ticketgate/shop/queues/app/line");
    EXPECT_EQ(keys.word("app", 7), "/ticketgate/shop/queues/app/word/7");
}

TEST(Contents, ComeBackAsTheyWereWritten) {
    const Line line{1'795'000'000, a, LineState::open, {}};
    const Contents got = contents({listed(a), line_of(line), entry(keys.word("app", 8), "{}")});
    EXPECT_EQ(got.id, "c0ffee");
    EXPECT_EQ(got.revision, 9U);
    EXPECT_EQ(got.replicas, (std::vector<Replica>{{a, "1.0", {{"app", "5a"}}, started}}));
    EXPECT_EQ(got.lines.at("app"), (StoredLine{5, line, {Word{8}}, now_ms}));
}

// They are for people: nothing that an earlier version or a broken clock wrote makes a store
// unusable.
TEST(Contents, KnowNoTimeThatCannotBeOne) {
    for (const char* text :
         {"", R"(,"started":-1)", R"(,"started":"x")", R"(,"started":9223372036854775807)"}) {
        const std::string value = R"({"name":"w","address":"a:1","version":"1","queues":{})";
        const Contents got = contents({entry(keys.replica("4f1d"), value + text + "}")});
        EXPECT_EQ(got.replicas.at(0).started, WallTime{}) << text;
    }
    std::string line = write_line({20, a, LineState::open, {}}, now);
    line.replace(line.find("1795000000123"), 13, "9223372036854775807");
    EXPECT_EQ(contents({entry(keys.line("app"), line)}).lines.at("app").since, WallTime{});
}

TEST(Contents, LeaveOutKeysOfLaterVersions) {
    const Contents got =
        contents({entry(keys.prefix() + "news", "x"),
                  entry(keys.prefix() + "queues/app/holders", "[]"), entry("/other", "x")});
    EXPECT_TRUE(got.lines.empty());
}

TEST(Contents, WithAMalformedValueAreRefusedWithTheKey) {
    const auto refused = [](etcd::Entry one) {
        std::string why;
        EXPECT_FALSE(read_contents(keys, {9, {std::move(one)}}, why));
        return why;
    };
    EXPECT_EQ(refused(entry(keys.line("app"), "x")),
              "/ticketgate/shop/queues/app/line: not a JSON object");
    EXPECT_EQ(refused(entry(keys.word("app", 7) + "x", "")),
              "/ticketgate/shop/queues/app/word/7x: it does not end with an epoch");
    EXPECT_EQ(refused(entry(keys.replica("4f1d"), "[]")),
              "/ticketgate/shop/replicas/4f1d: not a JSON object");
    EXPECT_EQ(refused(entry(keys.replica("4f1d"), "{}")),
              "/ticketgate/shop/replicas/4f1d: \"queues\" is not an object");
    EXPECT_EQ(refused(entry(keys.cluster(), R"({"format":2,"id":"x"})")),
              "/ticketgate/shop/cluster: not of format 1: another version of ticketgate made it");
    EXPECT_EQ(refused(entry(keys.cluster(), R"({"format":1})")),
              "/ticketgate/shop/cluster: \"id\" is not a string");
}

TEST(Contents, TellWhichQueuesHaveOtherSettingsElsewhere) {
    const auto with = [](const Instance& self, const char* app, const char* cart) {
        const Replica one{self, "1", {{"app", app}, {"cart", cart}}};
        return entry(keys.replica(self.id), write_replica(one));
    };
    using Names = std::set<std::string>;
    const auto differing = [&](const char* app, const char* cart) {
        return differing_queues(contents({with(a, "max 1", "max 2"), with(b, app, cart)}), a.id);
    };
    EXPECT_EQ(differing("max 1", "max 2"), Names());
    EXPECT_EQ(differing("max 3", "max 2"), Names{"app"});
    EXPECT_EQ(differing("max 3", "max 1"), (Names{"app", "cart"}));
    EXPECT_EQ(differing("", ""), Names());  // such a replica does not say them
    EXPECT_EQ(differing_queues(contents({with(b, "max 3", "max 1")}), a.id), Names());
}

TEST(Sight, OfAQueueWithoutARecordHasVersion0) {
    const Sight sight = sight_of(contents({listed(a)}), "app", a.id);
    EXPECT_EQ(sight.version, 0U);
    EXPECT_FALSE(sight.line);
}

TEST(Sight, TellsWhoIsListedAndWhetherTheWordIsGiven) {
    const Line line{20, b, LineState::settling, Prior{19, a, false}};
    const Sight before = sight_of(contents({listed(b), line_of(line)}), "app", b.id);
    EXPECT_TRUE(before.keeper_listed);
    EXPECT_FALSE(before.prior_listed);
    EXPECT_FALSE(before.word);
    const Sight after =
        sight_of(contents({listed(a), listed(b), line_of(line), entry(keys.word("app", 19), "{}")}),
                 "app", b.id);
    EXPECT_TRUE(after.prior_listed);
    EXPECT_TRUE(after.word);
    EXPECT_FALSE(after.word_of_operator);
    const auto settled = entry(keys.word("app", 19), R"({"by":"operator ann","at":1})");
    EXPECT_TRUE(sight_of(contents({line_of(line), settled}), "app", b.id).word_of_operator);
}

TEST(Sight, DoesNotTakeTheWordOfAnotherEpoch) {
    const Line line{20, b, LineState::settling, Prior{19, a, false}};
    const auto other = entry(keys.word("app", 18), "{}");
    EXPECT_FALSE(sight_of(contents({line_of(line), other}), "app", b.id).word);
    const auto elsewhere = entry(keys.word("cart", 19), "{}");
    EXPECT_FALSE(sight_of(contents({line_of(line), elsewhere}), "app", b.id).word);
}

TEST(Sight, RanksOnlyReplicasThatHaveTheQueue) {
    const Contents all = contents({listed(a), listed(b)});
    const auto later = sight_of(all, "app", a.id).rank == 1 ? a.id : b.id;
    EXPECT_EQ(sight_of(all, "app", later).rank, 1U);
    const Contents one = contents({listed(a, "cart"), listed(b, "cart")});
    EXPECT_EQ(sight_of(one, "app", later).rank, 0U);
}

TEST(Sight, DoesNotRankAReplicaThatLeavesTheLine) {
    for (const Instance& keeper : {a, b}) {
        const std::string next = keeper.id == a.id ? b.id : a.id;
        for (const LineState left : {LineState::leaving, LineState::free}) {
            const Line line{20, keeper, left, {}};
            EXPECT_EQ(sight_of(contents({listed(a), listed(b), line_of(line)}), "app", next).rank,
                      0U);
        }
    }
}

TEST(Transaction, ReplacesTheRecordOfOneVersionInOneStore) {
    const Write write{5, Line{20, a, LineState::idle, {}}, 0, 19};
    const auto out = transaction_of(keys, write_cluster("c0ffee"), "app", a.id, write, now);
    ASSERT_EQ(out.conditions.size(), 2U);
    EXPECT_EQ(out.conditions[0].key, keys.cluster());
    EXPECT_EQ(out.conditions[0].value, write_cluster("c0ffee"));
    EXPECT_EQ(out.conditions[1].key, keys.line("app"));
    EXPECT_EQ(out.conditions[1].version, 5U);
    ASSERT_EQ(out.puts.size(), 1U);
    EXPECT_EQ(out.puts[0].value, write_line(*write.line, now));
    EXPECT_EQ(out.drops, (std::vector<std::string>{keys.word("app", 19)}));
}

TEST(Transaction, OfAWordLeavesTheRecordAlone) {
    const auto out = transaction_of(keys, "x", "app", a.id, Write{5, std::nullopt, 19, 0}, now);
    ASSERT_EQ(out.puts.size(), 1U);
    EXPECT_EQ(out.puts[0].key, keys.word("app", 19));
    EXPECT_EQ(out.puts[0].value, R"({"by":"4f1d","at":1795000000123})");
    EXPECT_TRUE(out.drops.empty());
}

// Contents that nothing speaks against are remembered.
std::string checked(Memory& memory, const Contents& shown) {
    std::string why = memory.check(shown);
    if (why.empty()) memory.remember(shown);
    return why;
}

TEST(Memory, AcceptsWhatGoesOn) {
    Memory memory;
    EXPECT_EQ(checked(memory, contents({}, 9)), "");
    EXPECT_EQ(checked(memory, contents({}, 9)), "");
    EXPECT_EQ(checked(memory, contents({line_of({20, a, LineState::idle, {}})}, 12)), "");
    EXPECT_EQ(checked(memory, contents({line_of({21, b, LineState::idle, {}})}, 13)), "");
    EXPECT_EQ(memory.id(), "c0ffee");
}

TEST(Memory, RefusesAStoreWithoutTheCluster) {
    Memory memory;
    EXPECT_EQ(checked(memory, Contents{}),
              "it has no cluster of this name: a new one needs `ticketgate cluster init`");
    EXPECT_EQ(checked(memory, contents({})), "");
    Contents gone;
    gone.revision = 99;
    EXPECT_EQ(checked(memory, gone), "the cluster's key has gone: the store has lost its data");
}

TEST(Memory, RefusesAnotherClusterUnderTheSameName) {
    Memory memory;
    EXPECT_EQ(checked(memory, contents({})), "");
    Contents other = contents({}, 99);
    other.id = "beef";
    EXPECT_EQ(checked(memory, other), "the cluster has another id: the store was made anew");
}

TEST(Memory, RefusesAStoreThatWentBack) {
    Memory memory;
    const auto line = line_of({20, a, LineState::open, {}});
    EXPECT_EQ(checked(memory, contents({line}, 9)), "");
    EXPECT_NE(checked(memory, contents({line}, 8)).find("revision went back from 9 to 8"),
              std::string::npos);
    // Writes behind the restore have made up for the revisions.
    const auto older = line_of({19, a, LineState::open, {}});
    EXPECT_NE(checked(memory, contents({older}, 30)).find("queue app went back from 20 to 19"),
              std::string::npos);
    EXPECT_NE(checked(memory, contents({}, 30)).find("queue app went back from 20 to 0"),
              std::string::npos);
    EXPECT_EQ(checked(memory, contents({line}, 31)), "") << "a refused read is not remembered";
}

// Restored within an epoch: the line was open, and is idle again.
TEST(Memory, RefusesARecordThatWentBack) {
    Memory memory;
    EXPECT_EQ(checked(memory, contents({line_of({20, a, LineState::open, {}}, 8)}, 9)), "");
    const auto restored = contents({line_of({20, a, LineState::idle, {}}, 7)}, 30);
    EXPECT_NE(checked(memory, restored).find("record of queue app went back from 8 to 7"),
              std::string::npos);
}

TEST(Memory, RefusesAStoreWithoutWhatWasWritten) {
    Memory memory;
    EXPECT_EQ(checked(memory, contents({}, 9)), "");
    const Memory before = memory;
    memory.remember("app", 20, 10);
    EXPECT_NE(memory.check(contents({}, 11)), "");
    EXPECT_EQ(before.check(contents({}, 9)), "") << "that read began before the write";
}

}  // namespace
}  // namespace ticketgate::cluster
