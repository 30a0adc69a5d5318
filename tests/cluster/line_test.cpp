// One line over two processes: a request that comes to either stands in it (CLUSTER.md 1, 9).
#include <algorithm>

#include "cluster/forward.hpp"
#include "processes.hpp"

namespace ticketgate::test {
namespace {

class ClusterLine : public Cluster {
 protected:
    ClusterLine() : a_(keeps("a")) {
        begin_line(*a_);
        b_ = keeps("b");
        EXPECT_EQ(b_->get("/second").status, 200);
    }
    /// None of these tests is about a lease that ends, as it may on a busy machine.
    std::unique_ptr<Process> keeps(const std::string& name) const {
        return replica_at(store_.url(0), name, "hold_timeout: never", all_queued, {}, "15s");
    }
    std::unique_ptr<Process> a_, b_;
};

TEST_F(ClusterLine, ServesWhatComesToAnyReplica) {
    const Response here = a_->get("/here"), there = b_->get("/there");
    EXPECT_EQ(here.body, "/here");
    EXPECT_EQ(there.body, "/there");
    const auto first = a_->log(4), second = b_->log(2);
    EXPECT_EQ(second[1].at("outcome").as_string(), "forwarded");
    EXPECT_EQ(second[1].at("forwarded_to").as_string(),
              "127.0.0.1:" + std::to_string(a_->address(2).port()));
    EXPECT_EQ(first[3].at("path").as_string(), "/there");
    EXPECT_EQ(first[3].at("forwarded_by").as_string(), "127.0.0.1");
    for (const char* same : {"request_id", "unique_id", "number", "token", "queue", "client_ip"})
        EXPECT_EQ(first[3].at(same), second[1].at(same)) << same;
    EXPECT_EQ(there.header("X-Request-Id"), second[1].at("request_id").as_string());
}

TEST_F(Cluster, LogsTheClientOfTheOtherReplica) {
    const std::string more = all_queued + std::string("clients: {trusted_proxies: [127.0.0.1]}\n");
    const auto a = replica("a", "hold_timeout: never", more);
    begin_line(*a);
    const auto b = replica("b", "hold_timeout: never", more);
    EXPECT_EQ(b->get("/there", "X-Forwarded-For: 192.0.2.7\r\n").status, 200);
    EXPECT_EQ(b->log(1)[0].at("client_ip").as_string(), "192.0.2.7");
    EXPECT_EQ(a->log(2)[1].at("client_ip").as_string(), "192.0.2.7");
    EXPECT_EQ(a->log(2)[1].at("forwarded_by").as_string(), "127.0.0.1");
}

// A route's `from` and `listener` ask for what only the other replica has seen.
TEST_F(Cluster, HasTheRoutesOfTheReplicaThatGotTheRequest) {
    const std::string more =
        "routes: [{prefix: /, upstream: app, queue: app, routes: [{prefix: /from, from: "
        "[127.0.0.0/8], max_body: 1B}, {prefix: /front, listener: front, max_body: 1B}]}]\n"
        "clients: {trusted_proxies: [127.0.0.1]}\n";
    const auto a = replica("a", "hold_timeout: never", more);
    begin_line(*a);
    const auto b = replica("b", "hold_timeout: never", more);
    EXPECT_EQ(b->get("/first").status, 200);
    for (const auto* one : {a.get(), b.get()}) {
        const std::string shown = one == a.get() ? "at the keeper" : "at the other one";
        EXPECT_EQ(one->post("/from", "body").status, 413) << shown;
        EXPECT_EQ(one->post("/from", "body", "X-Forwarded-For: 192.0.2.7\r\n").status, 200)
            << shown;
        EXPECT_EQ(one->post("/from", "body", "X-Forwarded-For: unknown\r\n").status, 200) << shown;
        EXPECT_EQ(one->post("/front", "body").status, 413) << shown;
    }
}

// The same for a listener that has a queue of its own.
TEST_F(Cluster, ForwardsARequestWhoseListenerQueuesIt) {
    const std::string more =
        "routes: [{prefix: /, upstream: app, routes: [{listener: front, queue: app}]}]\n";
    const auto a = replica("a", "hold_timeout: never", more);
    begin_line(*a);
    const auto b = replica("b", "hold_timeout: never", more);
    EXPECT_EQ(b->get("/there").status, 200);
    EXPECT_EQ(b->log(1)[0].at("outcome").as_string(), "forwarded");
}

TEST_F(ClusterLine, RunsOneRequestAtATimeInOneOrder) {
    backend_.hold("/slow");
    Client slow = a_->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    std::vector<Client> clients;
    std::vector<std::string> expected;
    for (int i = 0; i < 6; ++i) {
        clients.push_back((i % 2 == 0 ? *b_ : *a_).client());
        expected.push_back("/next?" + std::to_string(i));
        clients.back().get(expected.back());
        ASSERT_TRUE(a_->wait_for_waiting(static_cast<std::uint64_t>(i) + 1));
    }
    EXPECT_EQ(b_->waiting(), 0u);
    backend_.release("/slow");
    EXPECT_EQ(slow.read().status, 200);
    for (Client& client : clients) EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend_.most_in_flight(), 1);
    auto order = backend_.order();
    order.erase(order.begin(), std::ranges::find(order, "/slow") + 1);
    EXPECT_EQ(order, expected);
}

TEST_F(ClusterLine, GivesEachRequestAHigherToken) {
    std::string last;
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ((i % 2 == 0 ? *a_ : *b_).get("/token").status, 200);
        const Seen seen = backend_.of("/token").at(static_cast<std::size_t>(i));
        EXPECT_EQ(seen.header("Fencing-Queue"), "app");
        const std::string token = seen.header("Fencing-Token");
        EXPECT_EQ(token.size(), 19u);
        EXPECT_GT(token, last);
        last = token;
    }
}

TEST_F(ClusterLine, TakesNothingFromClientsThatOnlyReplicasMaySay) {
    const std::string forged =
        "Fencing-Token: 1\r\nfencing_token: 2\r\nFencing-Queue: other\r\nTicketgate-Forward: 1 "
        "queue=app client=1.2.3.4 secret=0123456789abcdef\r\nX-Request-Id: mine\r\n"
        "Ticketgate-Ask: 1 queue=app instance=a term=1 by=1 secret=x\r\nTicketgate-Place: 1 n=1\r\n"
        "X-Forwarded-For: 9.9.9.9\r\n";
    for (const auto* one : {a_.get(), b_.get()}) EXPECT_EQ(one->get("/forged", forged).status, 200);
    for (const Seen& seen : backend_.of("/forged")) {
        EXPECT_EQ(seen.fields.count("Fencing-Token"), 1u);
        EXPECT_GT(seen.header("Fencing-Token").size(), 1u);
        EXPECT_FALSE(seen.fields.has("fencing_token") && seen.header("fencing_token") == "2");
        EXPECT_EQ(seen.header("Fencing-Queue"), "app");
        for (const auto name : cluster::headers) EXPECT_FALSE(seen.fields.has(name)) << name;
        EXPECT_NE(seen.header("X-Request-Id"), "mine");
        EXPECT_EQ(seen.header("X-Forwarded-For"), "127.0.0.1");
        EXPECT_EQ(seen.header("X-Forwarded-Port").empty(), false);
    }
}

TEST_F(ClusterLine, RefusesStrangersAtTheListenerForReplicas) {
    for (const std::string secret : {"", "secret=wrong-wrong-wrong-wrong"}) {
        Client stranger(a_->address(2));
        stranger.get("/stranger",
                     secret.empty()
                         ? ""
                         : "Ticketgate-Forward: 1 queue=app client=1.1.1.1 " + secret + "\r\n");
        EXPECT_EQ(stranger.read().status, 403);
    }
    EXPECT_EQ(backend_.count("/stranger"), 0u);
}

// A replica that was started again at its address may keep the line in a later term than the other
// one knows. That one would send the request again once the earlier term is over.
TEST_F(ClusterLine, TakesNoRequestForAnotherTerm) {
    const auto term = status().at("queues").at(0).at("epoch").to_number<std::uint64_t>();
    const auto forwarded = [&](const std::string& term_told) {
        Client replica(a_->address(2));
        replica.get("/told", "Ticketgate-Forward: 1 queue=app client=1.1.1.1" + term_told +
                                 " secret=0123456789abcdef\r\n");
        Response answer = replica.read();
        while (answer.status == 102) answer = replica.read();  // it waits for the line to open
        return answer;
    };
    const Response earlier = forwarded(" term=" + std::to_string(term - 1));
    EXPECT_EQ(earlier.status, 503);
    EXPECT_EQ(earlier.header("Ticketgate-Place"), "1 moved=1");
    EXPECT_EQ(backend_.count("/told"), 0u);
    EXPECT_EQ(forwarded(" term=" + std::to_string(term)).status, 200);
    EXPECT_EQ(forwarded("").status, 200) << "of a version that tells none";
    const auto lines = a_->log(4);
    ASSERT_EQ(lines.size(), 4u) << "two others, and two that it took";
    for (const auto& line : lines) EXPECT_EQ(line.at("outcome").as_string(), "admitted");
}

TEST_F(ClusterLine, PassesBodiesOfAnyKindOn) {
    const std::string small = pattern(100), large = pattern(3 << 20, 7);
    EXPECT_EQ(b_->post("/small", small).status, 200);
    EXPECT_EQ(b_->post("/large", large).status, 200);
    Client chunked = b_->client();
    chunked.send("POST /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
                 chunk(small) + chunk(small) + "0\r\n\r\n");
    EXPECT_EQ(chunked.read().status, 200);
    EXPECT_EQ(backend_.of("/small").at(0).body, small);
    EXPECT_EQ(backend_.of("/large").at(0).body, large);
    EXPECT_EQ(backend_.of("/chunked").at(0).body, small + small);
}

TEST_F(ClusterLine, ForgetsAClientThatLeavesWhileItWaitsElsewhere) {
    backend_.hold("/slow");
    Client slow = a_->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    Client fin = b_->client(), rst = b_->client();
    fin.get("/leaves?fin");
    rst.get("/leaves?rst");
    ASSERT_TRUE(a_->wait_for_waiting(2));
    fin.close();
    rst.reset();
    ASSERT_TRUE(a_->wait_for_waiting(0)) << "their tickets go at once";
    backend_.release("/slow");
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(b_->get("/after").status, 200);
    EXPECT_EQ(backend_.count("/leaves"), 0u);
    const auto lines = b_->log(4);
    EXPECT_EQ(lines[1].at("status").as_int64(), 499);
    EXPECT_EQ(lines[2].at("status").as_int64(), 499);
}

TEST_F(ClusterLine, KeepsTheSlotOfAClientThatLeavesWhileItRuns) {
    backend_.hold("/slow");
    Client slow = b_->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    Client next = a_->client();
    next.get("/next");
    ASSERT_TRUE(a_->wait_for_waiting(1));
    slow.reset();
    ASSERT_TRUE(eventually([&] { return b_->log(2).size() >= 2; }));
    EXPECT_EQ(backend_.count("/next"), 0u);
    backend_.release("/slow");
    EXPECT_EQ(next.read().status, 200);
    EXPECT_EQ(backend_.most_in_flight(), 1);
}

TEST_F(ClusterLine, AnswersAsItsKeeperAnswers) {
    EXPECT_EQ(b_->get("/x", "X-Y: z\r\n").status, 200);
    backend_.on("/teapot", [](Call& call) { call.respond(418, "short", "X-Kind: stout\r\n"); });
    const Response teapot = b_->get("/teapot");
    EXPECT_EQ(teapot.status, 418);
    EXPECT_EQ(teapot.body, "short");
    EXPECT_EQ(teapot.header("X-Kind"), "stout");
    EXPECT_FALSE(teapot.fields.has("Ticketgate-Place"));
    EXPECT_EQ(teapot.fields.count("X-Request-Id"), 1u);
}

TEST_F(ClusterLine, CountsWhatItForwardsAndHowLongItsStoreTakes) {
    const auto forwarded = [&](const Process& at, const std::string& outcome) {
        return at.metric("ticketgate_queue_forwarded_total{outcome=\"" + outcome +
                         "\",queue=\"app\"}");
    };
    EXPECT_EQ(b_->get("/there").status, 200);
    EXPECT_EQ(a_->get("/here").status, 200);
    EXPECT_TRUE(eventually([&] { return forwarded(*b_, "served") == 2; }));
    EXPECT_EQ(forwarded(*a_, "served"), 0);
    backend_.hold("/slow");
    Client slow = b_->client(), leaves = b_->client();
    slow.request("POST", "/slow", {}, "x");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    leaves.get("/leaves");
    ASSERT_TRUE(a_->wait_for_waiting(1));
    leaves.reset();
    EXPECT_TRUE(eventually([&] { return forwarded(*b_, "client_closed") == 1; }));
    a_->crash();
    EXPECT_EQ(slow.read().status, 502);
    EXPECT_TRUE(eventually([&] { return forwarded(*b_, "lost") == 1; }));
    EXPECT_EQ(forwarded(*b_, "served"), 2);
    backend_.release("/slow");
    for (const std::string call : {"read", "write", "renew"}) {
        const auto series = "ticketgate_cluster_store_seconds_count{call=\"" + call + "\"}";
        EXPECT_TRUE(eventually([&] { return b_->metric(series) > 0; })) << call;
    }
}

// The time in the queue and in the backend is none of forwarding.
TEST_F(ClusterLine, MeasuresForwardingWithoutTheWaitAndTheRun) {
    const auto measured = [](const Process& at, const std::string& what) {
        return at.metric("ticketgate_queue_forward_seconds_" + what + "{queue=\"app\"}");
    };
    ASSERT_TRUE(eventually([&] { return measured(*b_, "count") == 1; }));
    ASSERT_EQ(measured(*a_, "count"), 0);
    const double before = measured(*b_, "sum");
    EXPECT_GT(before, 0);
    backend_.hold("/slow");
    Client slow = b_->client(), waits = b_->client(), leaves = b_->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    waits.request("POST", "/waits", {}, "x");
    ASSERT_TRUE(a_->wait_for_waiting(1));
    leaves.get("/leaves");
    ASSERT_TRUE(a_->wait_for_waiting(2));
    const auto waited = [&] { return a_->queue().at("oldest_wait_seconds").to_number<double>(); };
    ASSERT_TRUE(eventually([&] { return waited() > 8; }));
    leaves.reset();
    ASSERT_TRUE(a_->wait_for_waiting(1));
    backend_.release("/slow");
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(waits.read().status, 200);
    EXPECT_TRUE(eventually([&] { return measured(*b_, "count") >= 3; }));
    EXPECT_EQ(measured(*b_, "count"), 3) << "one that left had no answer";
    // A stall of the machine counts as forwarding.
    EXPECT_LT(measured(*b_, "sum") - before, 8) << "two requests were there for more than 16 s";
    EXPECT_EQ(measured(*a_, "count"), 0);
}

// A change of the section `cluster` needs a restart; the queue's own settings do not.
TEST_F(ClusterLine, KeepsTheLeaseOfItsStartAtAReload) {
    const auto listed = [&] {
        return store_.control({"get", "--prefix", "/ticketgate/shop/replicas/"});
    };
    ASSERT_TRUE(eventually([&] { return listed().find("lease 15000") != std::string::npos; }))
        << listed();
    b_->reload("lease: 15s\n  idle_after: 200ms", "lease: 30s\n  idle_after: 10s");
    ASSERT_TRUE(b_->program().says("cluster.lease")) << b_->program().err();
    b_->reload("hold_timeout: never", "hold_timeout: 7s");
    ASSERT_TRUE(eventually([&] { return listed().find("hold_timeout 7000") != std::string::npos; }))
        << listed();
    EXPECT_EQ(listed().find("lease 30000"), std::string::npos) << listed();
    EXPECT_EQ(listed().find("idle_after 10000"), std::string::npos) << listed();
}

}  // namespace
}  // namespace ticketgate::test
