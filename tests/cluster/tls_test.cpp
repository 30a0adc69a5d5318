// One line over replicas that speak TLS to each other, with files of one CA; and what becomes of
// requests if they do not understand each other (cluster.peer.tls; CLUSTER.md 7).
#include <filesystem>
#include <fstream>
#include <optional>
#include <tuple>

#include "processes.hpp"

namespace ticketgate::test {
namespace {

std::string tls_of(const KeyFiles& own, const std::string& ca, const std::string& more = {}) {
    return ", tls: {certificate: \"" + own.certificate + "\", key: \"" + own.key +
           "\", ca_file: \"" + ca + "\"" + more + "}";
}

class ClusterTls : public Cluster {
 protected:
    static Wanted of_this_host() {
        Wanted wanted;
        wanted.names = {"127.0.0.1"};
        return wanted;
    }
    std::string good(const std::string& name) const {
        return tls_of(ca_.issue(name, of_this_host()), ca_.file());
    }
    std::unique_ptr<Process> with(const std::string& name, const std::string& peer) const {
        return replica(name, "hold_timeout: never",
                       "routes: [{prefix: /, upstream: app, queue: app, wait_timeout: 60s, "
                       "routes: [{prefix: /refused, wait_timeout: 3s}]}]\n",
                       peer);
    }
    /// A request at `there`, which cannot speak to the keeper, is refused and never started.
    void is_refused(Process& there, const std::string& why) const {
        EXPECT_EQ(there.get("/refused").status, 503);
        EXPECT_EQ(there.post("/refused", "body").status, 503);
        EXPECT_EQ(backend_.count("/refused"), 0u);
        EXPECT_TRUE(there.program().says(why)) << there.program().err();
        EXPECT_EQ(there.log(2)[0].at("outcome").as_string(), "timeout");
        std::size_t told = 0;
        const std::string err = there.program().err(), line = "a request cannot be sent to the";
        for (auto at = err.find(line); at != err.npos; at = err.find(line, at + 1)) ++told;
        EXPECT_EQ(told, 1u) << "one line for many tries: " << err;
    }
    static double handshakes(const Process& there) {
        return there.metric("ticketgate_tls_handshakes_total{result=\"full\"}") +
               there.metric("ticketgate_tls_handshakes_total{result=\"resumed\"}");
    }

    Authority ca_, other_{"other.pem"};
};

TEST_F(ClusterTls, HasOneLine) {
    auto a = with("a", good("a"));
    begin_line(*a);
    const auto b = with("b", good("b"));
    const std::string large = pattern(3 << 20, 7);
    Client client = b->client();
    client.get("/kept");
    EXPECT_EQ(client.read().body, "/kept");
    const double before = handshakes(*a);
    client.request("POST", "/large", {}, large);
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend_.of("/large").at(0).body, large);
    client.send(
        "POST /expects HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
        "Content-Length: 4\r\n\r\n");
    EXPECT_EQ(client.read().status, 100);
    client.send("body");
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(backend_.of("/expects").at(0).body, "body");
    EXPECT_EQ(backend_.of("/kept").at(0).header("X-Forwarded-Proto"), "http");
    EXPECT_FALSE(backend_.of("/kept").at(0).fields.has("X-Client-Cert-Verify"));
    EXPECT_FALSE(a->log(2)[1].contains("tls")) << "the client came without";
    EXPECT_GE(before, 1);
    EXPECT_EQ(handshakes(*a), before) << "they keep their connections";
    backend_.hold("/slow");
    Client slow = b->client(), here = a->client(), there = b->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    here.get("/next?1");
    ASSERT_TRUE(a->wait_for_waiting(1));
    there.request("POST", "/next?2", {}, "x");
    ASSERT_TRUE(a->wait_for_waiting(2));
    backend_.release("/slow");
    for (Client* one : {&slow, &here, &there}) EXPECT_EQ(one->read().status, 200);
    EXPECT_EQ(backend_.most_in_flight(), 1);
    EXPECT_EQ(backend_.of("/next").at(0).target, "/next?1");
    EXPECT_EQ(b->metric("ticketgate_cluster_settings_differ"), 0);
}

TEST_F(ClusterTls, TakesReplicasOnlyWithACertificateOfItsCa) {
    auto a = with("a", good("a"));
    begin_line(*a);
    const std::string ask =
        "Ticketgate-Ask: 1 queue=app instance=x term=1 by=1 secret="
        "0123456789abcdef\r\n";
    const auto status = [&](TlsEnd end) {
        Client one(a->address(2), end);
        one.get("/", ask);
        return one.read().status;
    };
    const auto end = [&] { return TlsEnd::client(ca_.file(), ""); };
    EXPECT_EQ(status(end().with(ca_.issue("c", of_this_host()))), 409);
    EXPECT_EQ(status(end()), 0);
    EXPECT_EQ(status(end().with(other_.issue("c", of_this_host()))), 0);
    Client plain(a->address(2));
    plain.get("/", ask);
    EXPECT_EQ(plain.read().status, 400);
}

TEST_F(ClusterTls, PassesTheLineOfACrashedKeeperOn) {
    auto a = with("a", good("a"));
    begin_line(*a);
    auto b = with("b", good("b"));
    ASSERT_EQ(b->get("/before").status, 200);
    ASSERT_TRUE(is_stored({"idle"}));
    a->crash();
    EXPECT_EQ(b->get("/after").status, 200);
    a->start();
    ASSERT_TRUE(a->serves());
    EXPECT_EQ(a->get("/there").status, 200);
    backend_.hold("/lost");
    Client lost = a->client();
    lost.request("POST", "/lost", {}, "x");
    ASSERT_TRUE(backend_.wait_for("/lost"));
    b->crash();
    EXPECT_EQ(lost.read().status, 502) << "it may have run, and is not sent again";
    EXPECT_EQ(backend_.count("/lost"), 1u);
    EXPECT_EQ(backend_.most_in_flight(), 1);
    backend_.release("/lost");
}

// While the request runs, the store cannot have the word.
TEST_F(ClusterTls, AsksForTheWordOfTheKeeperBefore) {
    auto a = with("a", good("a"));
    begin_line(*a);
    const auto b = with("b", good("b"));
    backend_.hold("/slow");
    Client slow = a->client();
    slow.get("/slow");
    ASSERT_TRUE(backend_.wait_for("/slow"));
    const double before = handshakes(*a);
    a->program().stop();
    Client next = b->client();
    next.get("/next");
    ASSERT_TRUE(is_stored({"settling"}));
    a->program().signal(SIGCONT);
    ASSERT_TRUE(eventually([&] { return handshakes(*a) > before; }));
    backend_.release("/slow");
    EXPECT_EQ(next.read().status, 200);
    EXPECT_EQ(slow.read().status, 200);
    EXPECT_EQ(backend_.most_in_flight(), 1);
    EXPECT_EQ(b->program().err().find("cannot be asked"), std::string::npos) << b->program().err();
}

// The kernel of a keeper that stands still takes connections, and nobody answers on them.
class ClusterTlsStopped : public ClusterTls {
 protected:
    std::unique_ptr<Process> patient(const std::string& name, const std::string& times) const {
        return replica(name, "hold_timeout: never",
                       "routes: [{prefix: /, upstream: app, queue: app, connect_timeout: 1h, " +
                           times + "}]\n",
                       good(name));
    }
};

TEST_F(ClusterTlsStopped, WhatCannotReachAKeeperGoesOnWithTheLine) {
    auto a = patient("a", "wait_timeout: 60s");
    begin_line(*a);
    const auto b = patient("b", "wait_timeout: 60s");
    ASSERT_TRUE(is_stored({"idle"}));
    a->program().stop();
    expect_three_answered(*b);
    a->program().signal(SIGCONT);
    expect_serves_again(*a, "/after");
    expect_each_ran_once();
}

TEST_F(ClusterTlsStopped, WhatCannotReachAKeeperWaitsNoLongerThanInALine) {
    auto a = patient("a", "wait_timeout: 60s");
    begin_line(*a);
    const auto b = patient("b", "wait_timeout: 1s");
    backend_.hold("/runs");
    Client runs = a->client(), post = b->client(), get = b->client();
    runs.get("/runs");
    ASSERT_TRUE(backend_.wait_for("/runs"));
    a->program().stop();
    post.request("POST", "/post", {}, "body");
    get.get("/get");
    EXPECT_EQ(post.read().status, 503);
    EXPECT_EQ(get.read().status, 503);
    a->program().signal(SIGCONT);
    backend_.release("/runs");
    EXPECT_EQ(runs.read().status, 200);
    EXPECT_EQ(backend_.count("/post") + backend_.count("/get"), 0u);
}

TEST_F(ClusterTls, RefusesAKeeperOfAnotherCa) {
    auto a = with("a", good("a"));
    begin_line(*a);
    const auto b = with("b", tls_of(ca_.issue("b", of_this_host()), other_.file()));
    is_refused(*b, "certificate not trusted");
    EXPECT_TRUE(b->program().says("cluster.peer.tls.ca_file of this replica"));
    EXPECT_EQ(a->get("/goes-on").status, 200);
}

TEST_F(ClusterTls, IsRefusedByAKeeperWithACertificateOfAnotherCa) {
    auto a = with("a", good("a"));
    begin_line(*a);
    const auto b = with("b", tls_of(other_.issue("b", of_this_host()), ca_.file()));
    is_refused(*b, "the other replica refuses the certificate of this one");
    EXPECT_TRUE(a->program().says("a TLS handshake of another replica failed"))
        << a->program().err();
    EXPECT_EQ(a->get("/goes-on").status, 200);
}

TEST_F(ClusterTls, ChecksTheNameOfTheKeeper) {
    const KeyFiles of_name = ca_.issue("name");
    auto a = with("a", tls_of(of_name, ca_.file()));
    begin_line(*a);
    const auto b = with("b", good("b"));
    is_refused(*b, "IP address mismatch");
    const auto c = with("c", tls_of(of_name, ca_.file(), ", server_name: localhost"));
    EXPECT_EQ(c->get("/served").status, 200);
}

TEST_F(ClusterTls, DoesNotTakeTheRefusalOfATlsKeeperForAnAnswer) {
    auto a = with("a", good("a"));
    begin_line(*a);
    const auto b = with("b", "");
    is_refused(*b, "it answers 400: does it have cluster.peer.tls");
    for (const auto* one : {a.get(), b.get()})
        EXPECT_TRUE(
            eventually([&] { return one->metric("ticketgate_cluster_settings_differ") == 1; }));
}

TEST_F(ClusterTls, ARequestWaitsWhileOnlyOneReplicaHasTls) {
    auto a = with("a", "");
    begin_line(*a);
    const auto b = with("b", good("b"));
    Client waits = b->client();
    waits.request("POST", "/waits", {}, "body");
    ASSERT_TRUE(b->program().says("the other replica has no cluster.peer.tls"))
        << b->program().err();
    EXPECT_EQ(backend_.count("/waits"), 0u);
    a->program().signal(SIGTERM);
    EXPECT_EQ(waits.read().status, 200) << "b keeps the line now";
    EXPECT_EQ(a->program().wait(), 0);
    EXPECT_EQ(backend_.count("/waits"), 1u);
}

TEST_F(ClusterTls, DoesNotTakeTheRefusalOfASecretForAnAnswer) {
    auto a = with("a", "");
    begin_line(*a);
    auto b = with("b", "");
    ASSERT_EQ(b->get("/good").status, 200);
    b->crash();
    b->change("0123456789abcdef", "fedcba9876543210");
    b->start();
    ASSERT_TRUE(b->serves());
    EXPECT_EQ(b->get("/refused").status, 503);
    EXPECT_TRUE(b->program().says("it answers 403: set the same cluster.peer.secret"))
        << b->program().err();
    EXPECT_EQ(backend_.count("/refused"), 0u);
}

TEST_F(ClusterTls, ReadsItsFilesAgainAtAReload) {
    std::filesystem::copy_file(ca_.file(), ca_.folder() + "/both.pem");
    const std::string both = ca_.folder() + "/both.pem";
    std::ofstream(both, std::ios::app) << other_.read("other.pem");
    const KeyFiles of_a = ca_.issue("a", of_this_host()), of_b = ca_.issue("b", of_this_host());
    auto a = with("a", tls_of(of_a, both));
    begin_line(*a);
    const auto b = with("b", tls_of(of_b, both));
    ASSERT_EQ(b->get("/before").status, 200);
    const auto renew = [&](const KeyFiles& old, const std::string& name) {
        const KeyFiles fresh = other_.issue(name, of_this_host());
        constexpr auto over = std::filesystem::copy_options::overwrite_existing;
        std::filesystem::copy_file(fresh.certificate, old.certificate, over);
        std::filesystem::copy_file(fresh.key, old.key, over);
    };
    renew(of_a, "a");
    renew(of_b, "b");
    std::filesystem::copy_file(other_.file(), both,
                               std::filesystem::copy_options::overwrite_existing);
    a->program().signal(SIGHUP);
    ASSERT_TRUE(a->program().says("config loaded"));
    b->program().signal(SIGHUP);
    ASSERT_TRUE(b->program().says("config loaded"));
    const auto served = [&](const std::string& ca, const KeyFiles& own) {
        Client one(a->address(2), TlsEnd::client(ca, "").with(own));
        return one.socket().tls_fault().empty();
    };
    EXPECT_TRUE(served(other_.file(), other_.issue("c", of_this_host())));
    EXPECT_FALSE(served(ca_.file(), other_.issue("c", of_this_host())));
    EXPECT_EQ(b->get("/after").status, 200);
    EXPECT_EQ(b->post("/after", "body").status, 200);
}

// Both sides of a replica change together, at a restart.
TEST_F(ClusterTls, KeepsTheTlsOfItsStartAtAReload) {
    const std::string tls = good("a");
    auto a = with("a", tls);
    begin_line(*a);
    const auto b = with("b", good("b"));
    a->reload(tls, "");
    ASSERT_TRUE(a->program().says("cluster.peer.tls: off needs a restart; on stays in force"))
        << a->program().err();
    EXPECT_EQ(b->get("/there").status, 200);
    Client plain(a->address(2));
    plain.get("/");
    EXPECT_EQ(plain.read().status, 400);
}

TEST_F(ClusterTls, IsTriedByCheckConnect) {
    auto a = with("a", good("a"));
    begin_line(*a);
    // The replicas' timeout of the store is short, so on a busy machine a check may not reach it.
    const auto tried = [](const std::string& file) {
        std::pair<std::optional<int>, std::string> out;
        EXPECT_TRUE(eventually([&] {
            Program program({"check", "--connect", "-c", file});
            out.first = program.wait();
            out.second = program.out() + program.err();
            return out.second.find("store cannot be used") == std::string::npos;
        })) << out.second;
        return out;
    };
    const std::string at = "replica a (127.0.0.1:" + std::to_string(a->address(2).port()) + "): ";
    auto [code, text] = tried(a->file());
    EXPECT_EQ(code, 0) << text;
    EXPECT_NE(text.find(at + "answers"), std::string::npos) << text;
    const auto b = with("b", tls_of(ca_.issue("b", of_this_host()), other_.file()));
    std::tie(code, text) = tried(b->file());
    EXPECT_EQ(code, 1) << text;
    EXPECT_NE(text.find(at + "failed"), std::string::npos) << text;
    EXPECT_NE(text.find("certificate not trusted"), std::string::npos) << text;
    EXPECT_NE(text.find("the other replicas will refuse it"), std::string::npos) << text;
    const auto c = with("c", "");
    std::tie(code, text) = tried(c->file());
    EXPECT_EQ(code, 1) << text;
    EXPECT_NE(text.find("it answers 400"), std::string::npos) << text;
}

}  // namespace
}  // namespace ticketgate::test
