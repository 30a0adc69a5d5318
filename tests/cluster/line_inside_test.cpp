// Calls from inside while the line passes on: the call comes to one replica, and its caller runs at
// another (CONTRACT 10).
#include "faults.hpp"

namespace ticketgate::test {
namespace {

class ClusterInside : public ClusterFaults {
 protected:
    ClusterInside() : ClusterFaults(Etcd::Options{.nodes = 3, .more = {}}) {}
    static constexpr const char* passes =
        "clients: {inside: [127.0.0.1]}\n"
        "routes: [{prefix: /, upstream: app, queue: app, inside_calls: pass}]\n";
    std::unique_ptr<Process> replica_of(std::size_t node, const std::string& name) const {
        return replica_at(store_.url(node), name, "hold_timeout: never", passes);
    }
    /// The line that names the request at the backend as the caller.
    std::string caller() const {
        return "X-Request-Id: " + backend_.of("/lost").at(0).header("X-Request-Id") + "\r\n";
    }
};

// Another replica may run the request that made it.
TEST_F(ClusterInside, WaitsIfItNamesNobody) {
    const std::string any =
        "clients: {inside: [127.0.0.1]}\n"
        "defaults: {upstream: app, inside_calls: pass_any}\n"
        "routes: [{prefix: /, queue: app}, {prefix: /free, queue: off}]\n";
    const auto a = replica_at(store_.url(0), "a", "hold_timeout: never", any);
    begin_line(*a);
    const auto b = replica_at(store_.url(0), "b", "hold_timeout: never", any);
    backend_.hold("/free");
    Client elsewhere = b->client(), page = a->client(), call = a->client();
    elsewhere.get("/free");
    ASSERT_TRUE(backend_.wait_for("/free"));
    backend_.hold("/page");
    page.get("/page", "Via: 1.1 front\r\n");
    ASSERT_TRUE(backend_.wait_for("/page"));
    call.get("/call");
    EXPECT_TRUE(a->wait_for_waiting(1));
    EXPECT_EQ(backend_.count("/call"), 0u);
    backend_.release("/page");
    EXPECT_EQ(page.read().status, 200);
    EXPECT_EQ(call.read().status, 200);
    backend_.release("/free");
    EXPECT_EQ(elsewhere.read().status, 200);
}

TEST_F(ClusterInside, RunsWithinItsCallersSlotAtAKeeperThatDrains) {
    auto a = replica_of(0, "a");
    begin_line(*a);
    const auto b = replica_of(0, "b");
    Client outer = held_at(*a), next = b->client();
    a->program().signal(SIGTERM);
    ASSERT_TRUE(is_stored({"settling"}));
    next.request("POST", "/next");
    ASSERT_TRUE(b->wait_for_waiting(1));
    EXPECT_EQ(b->get("/inner", caller()).status, 200);
    Client posts = b->client();
    posts.request("POST", "/body", caller(), "body");
    EXPECT_EQ(posts.read().status, 200);
    EXPECT_EQ(backend_.of("/body").at(0).body, "body");
    EXPECT_EQ(backend_.count("/next"), 0u);
    backend_.release("/lost");
    EXPECT_EQ(outer.read().status, 200);
    EXPECT_EQ(next.read().status, 200);
    EXPECT_TRUE(a->program().wait());
}

// A replica that neither keeps the line nor kept it passes the call to the one that its caller runs
// at, and not to the next keeper, which waits for that one.
TEST_F(ClusterInside, IsFoundFromEachReplica) {
    auto a = replica_of(0, "a");
    begin_line(*a);
    const auto b = replica_of(0, "b"), c = replica_of(1, "c");
    Client outer = held_at(*a);
    a->program().signal(SIGTERM);
    ASSERT_TRUE(is_stored({"settling"}));
    EXPECT_EQ(b->get("/inner", caller()).status, 200);
    EXPECT_EQ(c->get("/inner", caller()).status, 200);
    backend_.release("/lost");
    EXPECT_EQ(outer.read().status, 200);
    EXPECT_TRUE(a->program().wait());
}

// A replica that stood while another took the line over: its request waits for the call, and the
// next keeper for that request.
TEST_F(ClusterInside, IsRefusedAtOnceWhereItsCallerRunsInATermThatEnded) {
    auto a = replica_of(0, "a");
    begin_line(*a);
    const auto b = replica_of(1, "b");
    Client outer = held_at(*a);
    a->program().signal(SIGSTOP);
    ASSERT_TRUE(is_stored({"settling"}));
    a->program().signal(SIGCONT);
    EXPECT_EQ(a->get("/inner", caller()).status, 503);
    EXPECT_EQ(b->get("/inner", caller()).status, 503);
    EXPECT_EQ(backend_.count("/inner"), 0u);
    backend_.release("/lost");
    EXPECT_EQ(outer.read().status, 200);
    EXPECT_EQ(b->get("/next").status, 200);
}

// A backend that refuses lower numbers would refuse the caller behind its own call.
TEST_F(ClusterInside, HasTheFencingNumberOfItsCaller) {
    const auto a = replica_of(0, "a");
    begin_line(*a);
    Client outer = held_at(*a);
    EXPECT_EQ(a->get("/inner", caller()).status, 200);
    const auto number = [&](const char* path) {
        return backend_.of(path).at(0).header("Fencing-Token");
    };
    EXPECT_EQ(number("/inner"), number("/lost"));
    backend_.release("/lost");
    EXPECT_EQ(outer.read().status, 200);
    EXPECT_EQ(a->get("/next").status, 200);
    EXPECT_GT(number("/next"), number("/lost"));
}

// The keeper before knows no such request, so the call waits in its turn.
TEST_F(ClusterInside, WaitsWhereItCameIfItsCallerIsNotKnown) {
    auto a = replica_of(0, "a");
    begin_line(*a);
    const auto b = replica_of(0, "b");
    Client outer = held_at(*a), stranger = b->client();
    a->program().signal(SIGTERM);
    ASSERT_TRUE(is_stored({"settling"}));
    stranger.request("POST", "/stranger", "X-Request-Id: nobody\r\n", "body");
    ASSERT_TRUE(b->wait_for_waiting(1));
    EXPECT_EQ(backend_.count("/stranger"), 0u);
    backend_.release("/lost");
    EXPECT_EQ(outer.read().status, 200);
    EXPECT_EQ(stranger.read().status, 200);
    EXPECT_EQ(backend_.of("/stranger").at(0).body, "body");
}

// It may send nothing more, and the request that runs there waits for the call.
TEST_F(ClusterInside, IsRefusedAtOnceIfItsCallersKeeperIsCutFromTheStore) {
    auto a = replica_of(0, "a");
    begin_line(*a);
    const auto b = replica_of(1, "b");
    Client outer = held_at(*a), next = b->client();
    store_.stop(0);
    ASSERT_TRUE(eventually([&] { return a->get("/away").status == 503; }));
    next.request("POST", "/next");
    EXPECT_EQ(b->get("/inner", caller()).status, 503);
    EXPECT_TRUE(a->program().says("a call from inside is refused"));
    EXPECT_EQ(backend_.count("/inner"), 0u);
    backend_.release("/lost");
    EXPECT_EQ(outer.read().status, 200);
    EXPECT_EQ(next.read().status, 200);
    store_.go_on(0);
}

}  // namespace
}  // namespace ticketgate::test
