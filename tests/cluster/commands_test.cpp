// `cluster init`, `cluster status` and `settle` of the real program, over a real etcd.
#include "cluster/contents.hpp"
#include "command.hpp"
#include "etcd_calls.hpp"

namespace ticketgate::test {
namespace {

using testing::Test;

const cluster::Keys keys("shop");

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Replica b keeps the queue, and waits for the lost replica a.
void store_settling_line(Calls& calls) {
    const cluster::Instance lost{"aaaa", "web-a", "a:1"}, now{"bbbb", "web-b", "b:1"};
    const cluster::Line line{20, now, cluster::LineState::settling, cluster::Prior{10, lost, true}};
    calls.put(keys.line("app"), cluster::write_line(line, wall_now()));
}

class ClusterCommands : public Test {
 protected:
    Etcd store_;
    Calls calls_{store_};
    Command command_{store_};
};

TEST_F(ClusterCommands, InitWritesTheClusterOnce) {
    const auto before = command_.run({"cluster", "status"});
    EXPECT_EQ(before.code, 1);
    EXPECT_TRUE(has(before.err, "ticketgate cluster init")) << before.err;
    const auto first = command_.run({"cluster", "init"});
    EXPECT_EQ(first.code, 0) << first.err;
    const auto entries = calls_.entries(keys.prefix());
    ASSERT_EQ(entries.size(), 1U);
    const auto second = command_.run({"cluster", "init"});
    EXPECT_EQ(second.code, 1);
    EXPECT_TRUE(has(second.err, "has been initialised before")) << second.err;
    EXPECT_EQ(calls_.entries(keys.prefix()), entries);
}

TEST_F(ClusterCommands, StatusPrintsWhatTheStoreHolds) {
    ASSERT_EQ(command_.run({"cluster", "init"}).code, 0);
    store_settling_line(calls_);
    const auto table = command_.run({"cluster", "status", "--table"});
    EXPECT_EQ(table.code, 0) << table.err;
    EXPECT_TRUE(has(table.out, "ticketgate settle app 10 -c /")) << table.out;
    EXPECT_TRUE(has(table.out, "/c.yaml\n")) << table.out;
    const auto piped = command_.run({"cluster", "status"});
    EXPECT_TRUE(has(piped.out, R"("state":"settling")")) << piped.out;
    EXPECT_TRUE(has(piped.out, R"("epoch":20)")) << piped.out;
}

TEST_F(ClusterCommands, SettleWritesTheWordOfAnOperator) {
    ASSERT_EQ(command_.run({"cluster", "init"}).code, 0);
    store_settling_line(calls_);
    const auto before = calls_.entries(keys.prefix());
    EXPECT_EQ(command_.run({"settle", "app", "20"}).code, 1) << "another epoch";
    EXPECT_EQ(command_.run({"settle", "other", "10"}).code, 1);
    EXPECT_EQ(calls_.entries(keys.prefix()), before);
    const auto ran = command_.run({"settle", "app", "10"});
    EXPECT_EQ(ran.code, 0) << ran.err;
    const auto word = calls_.entries(keys.word("app", 10));
    ASSERT_EQ(word.size(), 1U);
    EXPECT_TRUE(has(word.front().value, "\"by\":\"operator ")) << word.front().value;
    EXPECT_EQ(command_.run({"settle", "app", "10"}).code, 1) << "the word stands already";
}

TEST_F(ClusterCommands, SettleIsRefusedWhileTheReplicaIsListed) {
    ASSERT_EQ(command_.run({"cluster", "init"}).code, 0);
    store_settling_line(calls_);
    const cluster::Replica alive{{"aaaa", "web-a", "a:1"}, "1.0", {}};
    calls_.put(keys.replica("aaaa"), cluster::write_replica(alive), calls_.lease(60s));
    const auto ran = command_.run({"settle", "app", "10"});
    EXPECT_EQ(ran.code, 1);
    EXPECT_TRUE(has(ran.err, "replica web-a (a:1), which kept the queue, is listed")) << ran.err;
    EXPECT_TRUE(calls_.entries(keys.word("app", 10)).empty());
}

TEST_F(ClusterCommands, TellThatTheStoreDoesNotAnswer) {
    store_.kill(0);
    for (const auto& arguments : std::vector<std::vector<std::string>>{
             {"cluster", "init"}, {"cluster", "status"}, {"settle", "app", "1"}}) {
        const auto ran = command_.run(arguments);
        EXPECT_EQ(ran.code, 1);
        EXPECT_TRUE(has(ran.err, "store cannot be used: " + store_.url(0))) << ran.err;
    }
}

// etcd may store what it refuses, so nothing is said of what stands there.
TEST(ClusterCommandsOfAFullStore, TellThatItRefusedTheWrite) {
    const Etcd store(Calls::small_quota());
    Calls calls(store);
    const Command command(store);
    ASSERT_EQ(command.run({"cluster", "init"}).code, 0);
    store_settling_line(calls);
    calls.fill();
    const auto ran = command.run({"settle", "app", "10"});
    EXPECT_EQ(ran.code, 1);
    for (const char* part : {"the store is full and refused the write, which it may have stored",
                             "database space exceeded", "look again: ticketgate cluster status"})
        EXPECT_TRUE(has(ran.err, part)) << ran.err;
    EXPECT_FALSE(has(ran.err, "did not answer")) << ran.err;
}

TEST(ClusterCommandsOfAUser, LogInAsTheFileSays) {
    Etcd::Options options;
    options.nodes = 3;
    const Etcd store(options);
    store.control({"user", "add", "root:secret"});
    store.control({"user", "grant-role", "root", "root"});
    store.control({"auth", "enable"});
    EXPECT_EQ(Command(store).run({"cluster", "init"}).code, 1);
    // A password costs the store a processor for a while: a starved machine takes seconds.
    const auto as = [](const std::string& password) {
        return ", timeout: 20s, username: root, password: " + password;
    };
    const auto wrong = Command(store, as("x")).run({"cluster", "init"});
    EXPECT_EQ(wrong.code, 1);
    const Command command(store, as("secret"));
    const auto good = command.run({"cluster", "init"});
    EXPECT_EQ(good.code, 0) << good.err;
    EXPECT_EQ(command.run({"cluster", "status"}).code, 0);
}

}  // namespace
}  // namespace ticketgate::test
