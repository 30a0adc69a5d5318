#include "cluster/contents.hpp"
#include "etcd_calls.hpp"
#include "support/certificates.hpp"

namespace ticketgate::test {
namespace {

using wire::Fault;

TEST(EtcdClient, WritesAndReadsKeysOfAnyBytes) {
    const Etcd store;
    Calls calls(store);
    const std::string odd("\0\xff\"\n{", 5);
    EXPECT_TRUE(calls.put("/t/a", odd));
    EXPECT_TRUE(calls.put("/t/" + odd, ""));
    EXPECT_TRUE(calls.put("/tz", "not below the prefix"));
    EXPECT_EQ(calls.entries("/t/"),
              (std::vector<wire::Entry>{{"/t/" + odd, "", 3}, {"/t/a", odd, 2}}));
}

TEST(EtcdClient, WritesNothingIfAConditionDoesNotHold) {
    const Etcd store;
    Calls calls(store);
    wire::Transaction first;
    first.conditions.push_back({"/t/a", std::nullopt, 0});
    first.puts.push_back({"/t/a", "1", 0});
    first.puts.push_back({"/t/b", "1", 0});
    EXPECT_EQ(wire::read_outcome(calls.body(wire::write(first))), (wire::Outcome{true, 2}));
    EXPECT_EQ(wire::read_outcome(calls.body(wire::write(first))), (wire::Outcome{false, 2}));
    wire::Transaction next;
    next.conditions.push_back({"/t/a", std::nullopt, 2});
    next.conditions.push_back({"/t/b", "2", 0});
    next.drops.push_back("/t/a");
    EXPECT_EQ(wire::read_outcome(calls.body(wire::write(next))), (wire::Outcome{false, 2}));
    next.conditions.back().value = "1";
    EXPECT_EQ(wire::read_outcome(calls.body(wire::write(next))), (wire::Outcome{true, 3}));
    EXPECT_EQ(calls.entries("/t/"), (std::vector<wire::Entry>{{"/t/b", "1", 2}}));
}

// The whole way of a line: what a keeper writes is what it sees.
TEST(EtcdClient, KeepsTheRecordOfALine) {
    const Etcd store;
    Calls calls(store);
    const cluster::Keys keys("shop");
    const cluster::Instance self{"4f1d", "web-1", "10.0.0.1:9901"};
    const auto identity = cluster::write_cluster("c0ffee");
    EXPECT_TRUE(calls.put(keys.cluster(), identity));
    EXPECT_TRUE(calls.put(keys.replica(self.id),
                          cluster::write_replica({self, "1", {{"app", "5a"}}}), calls.lease(60s)));
    const cluster::Line line{1'795'000'000, self, cluster::LineState::idle, {}};
    const auto take = cluster::transaction_of(keys, identity, "app", self.id, {0, line, 0, 0}, {});
    EXPECT_TRUE(wire::read_outcome(calls.body(wire::write(take)))->done);
    std::string why;
    const auto contents = cluster::read_contents(
        keys, *wire::read_snapshot(calls.body(wire::read_all(keys.prefix()))), why);
    ASSERT_TRUE(contents) << why;
    const auto sight = cluster::sight_of(*contents, "app", self.id);
    EXPECT_EQ(sight.line, line);
    EXPECT_TRUE(sight.keeper_listed);
    // A store that was made anew has the same revisions, and another id.
    const auto other = cluster::transaction_of(keys, cluster::write_cluster("beef"), "app", self.id,
                                               {sight.version, line, 0, 0}, {});
    EXPECT_FALSE(wire::read_outcome(calls.body(wire::write(other)))->done);
}

TEST(EtcdClient, ListsWhatHasALeaseUntilItEnds) {
    const Etcd store;
    Calls calls(store);
    const auto lease = calls.lease(60s);
    ASSERT_NE(lease, 0);
    EXPECT_TRUE(calls.put("/t/me", "x", lease));
    EXPECT_EQ(wire::read_renewal(calls.body(wire::renew_lease(lease))), 60s);
    EXPECT_EQ(calls.entries("/t/").size(), 1U);
    calls.body(wire::end_lease(lease));
    EXPECT_TRUE(calls.entries("/t/").empty());
    EXPECT_EQ(wire::read_renewal(calls.body(wire::renew_lease(lease))), 0s);
    wire::Transaction late;
    late.puts.push_back({"/t/me", "x", lease});
    EXPECT_EQ(calls.call(wire::write(late)).failure.fault, Fault::no_lease);
}

TEST(EtcdClient, FindsTheStoreByItsName) {
    const Etcd store;
    auto settings = Calls::settings_of(store);
    settings.endpoints[0].host = "localhost";
    Calls calls(settings);
    EXPECT_TRUE(calls.put("/t/a", "1"));
    EXPECT_EQ(calls.entries("/t/").size(), 1U);
}

TEST(EtcdClient, TellsWhichNameItCannotFind) {
    const Etcd store;
    auto settings = Calls::settings_of(store);
    settings.endpoints[0].host = "no-such-host.invalid";
    Calls calls(settings);
    const auto failure = calls.call(wire::read_all("/")).failure;
    EXPECT_EQ(failure.fault, Fault::away);
    EXPECT_NE(failure.message.find("http://no-such-host.invalid:"), std::string::npos);
}

class EtcdLogin : public testing::Test {
 protected:
    void SetUp() override {
        store_.control({"user", "add", "root:secret"});
        store_.control({"user", "grant-role", "root", "root"});
        store_.control({"auth", "enable"});
    }
    etcd::Settings as(const std::string& user, const std::string& password) const {
        auto settings = Calls::settings_of(store_);
        settings.user = user;
        settings.password = password;
        return settings;
    }
    Etcd store_;
};

TEST_F(EtcdLogin, IsDoneBeforeTheFirstCall) {
    Calls calls(as("root", "secret"));
    EXPECT_TRUE(calls.put("/t/a", "1"));
    EXPECT_EQ(calls.entries("/t/").size(), 1U);
}

TEST_F(EtcdLogin, IsRefusedWithAnotherPassword) {
    Calls calls(as("root", "wrong"));
    const auto failure = calls.call(wire::read_all("/")).failure;
    EXPECT_EQ(failure.fault, Fault::refused);
    EXPECT_NE(failure.message.find("invalid user ID or password"), std::string::npos);
}

TEST_F(EtcdLogin, IsMissedIfNoneIsConfigured) {
    Calls calls(store_);
    EXPECT_EQ(calls.call(wire::read_all("/")).failure.fault, Fault::no_login);
}

// A simple token is good at the node that gave it, until that ends.
TEST_F(EtcdLogin, IsRepeatedWhenTheTokenHasEnded) {
    Calls calls(as("root", "secret"));
    EXPECT_TRUE(calls.put("/t/a", "1"));
    store_.kill(0);
    store_.restart(0);
    EXPECT_TRUE(calls.put("/t/a", "2"));
}

TEST(EtcdLoginNotEnabled, IsNoFault) {
    const Etcd store;
    auto settings = Calls::settings_of(store);
    settings.user = settings.password = "x";
    Calls calls(settings);
    EXPECT_TRUE(calls.put("/t/a", "1"));
}

class EtcdTls : public testing::Test {
 protected:
    static Wanted of_store() {
        Wanted wanted;
        wanted.names = {"127.0.0.1"};
        return wanted;
    }
    static Wanted of_client() {
        Wanted wanted;
        wanted.common_name.clear();  // the gateway refuses clients with a common name
        return wanted;
    }
    Etcd::Options options() const {
        Etcd::Options out;
        out.tls = true;
        out.more = {"--cert-file", files_.certificate, "--key-file", files_.key};
        return out;
    }
    etcd::Settings settings(const Etcd& store) const {
        auto out = Calls::settings_of(store);
        out.endpoints[0].tls = true;
        out.tls.ca_file = authority_.file();
        return out;
    }
    const Authority authority_;
    const KeyFiles files_ = authority_.issue("store", of_store());
};

TEST_F(EtcdTls, IsSpokenWithAStoreOfAKnownAuthority) {
    const Etcd store(options());
    Calls calls(settings(store));
    EXPECT_TRUE(calls.put("/t/a", "1"));
    EXPECT_EQ(calls.entries("/t/").size(), 1U);
}

TEST_F(EtcdTls, RefusesAStoreOfAnUnknownAuthority) {
    const Etcd store(options());
    const Authority other;
    auto wrong = settings(store);
    wrong.tls.ca_file = other.file();
    Calls calls(wrong);
    const auto failure = calls.call(wire::read_all("/")).failure;
    EXPECT_EQ(failure.fault, Fault::away);
    EXPECT_NE(failure.message.find("certificate verify failed"), std::string::npos)
        << failure.message;
}

TEST_F(EtcdTls, RefusesAStoreWithAnotherName) {
    const Etcd store(options());
    auto wrong = settings(store);
    wrong.endpoints[0].host = "localhost";
    Calls calls(wrong);
    const auto failure = calls.call(wire::read_all("/")).failure;
    EXPECT_NE(failure.message.find("certificate verify failed"), std::string::npos)
        << failure.message;
}

TEST_F(EtcdTls, ShowsItsOwnCertificate) {
    auto asking = options();
    for (const std::string& one :
         {std::string("--client-cert-auth"), std::string("--trusted-ca-file"), authority_.file()})
        asking.more.push_back(one);
    const Etcd store(asking);
    Calls stranger(settings(store));
    EXPECT_EQ(stranger.call(wire::read_all("/")).failure.fault, Fault::away);
    const auto own = authority_.issue("client", of_client());
    auto known = settings(store);
    known.tls.certificate = own.certificate;
    known.tls.key = own.key;
    Calls calls(known);
    EXPECT_TRUE(calls.put("/t/a", "1"));
}

TEST(EtcdTlsFiles, AreNamedIfTheyCannotBeRead) {
    etcd::Settings settings;
    etcd::Endpoint endpoint;
    endpoint.host = "127.0.0.1";
    endpoint.tls = true;
    settings.endpoints.push_back(endpoint);
    settings.tls.ca_file = "/no/such/file";
    try {
        const Calls calls(settings);
        FAIL() << "no error";
    } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("/no/such/file"), std::string::npos);
    }
}

}  // namespace
}  // namespace ticketgate::test
