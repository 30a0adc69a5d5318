#include "cluster/etcd_wire.hpp"

#include <gtest/gtest.h>

#include <ostream>

// The answers are those of etcd 3.4.23, as it printed them.
namespace ticketgate::cluster::etcd {
namespace {

constexpr const char* header =
    R"("header":{"cluster_id":"324952591200643719","member_id":"3319814642761637952",)"
    R"("revision":"5","raft_term":"2"})";

std::string answer(std::string_view members = "") {
    return '{' + std::string(header) + std::string(members) + '}';
}

TEST(EtcdCall, ReadsAllKeysBelowAPrefix) {
    const Call call = read_all("/t/");
    EXPECT_EQ(call.path, "/v3/kv/range");
    EXPECT_EQ(call.body, R"({"key":"L3Qv","range_end":"L3Qw"})");
}

TEST(EtcdCall, ReadsBelowAPrefixThatEndsWithTheLastByte) {
    EXPECT_EQ(read_all("a\xff\xff").body, R"({"key":"Yf//","range_end":"Yg=="})");
    EXPECT_EQ(read_all("\xff").body, R"({"key":"/w==","range_end":"AA=="})");
}

TEST(EtcdCall, WritesOnlyUnderItsConditions) {
    Transaction transaction;
    transaction.conditions.push_back({"/t/a", std::nullopt, 7});
    transaction.conditions.push_back({"/t/b", "hello", 0});
    transaction.puts.push_back({"/t/a", "x", 0});
    transaction.puts.push_back({"/t/l", "", -77});
    transaction.drops.push_back("/t/w");
    const Call call = write(transaction);
    EXPECT_EQ(call.path, "/v3/kv/txn");
    EXPECT_EQ(call.body,
              R"({"compare":[{"key":"L3QvYQ==","result":"EQUAL","target":"MOD","modRevision":"7"},)"
              R"({"key":"L3QvYg==","result":"EQUAL","target":"VALUE","value":"aGVsbG8="}],)"
              R"("success":[{"requestPut":{"key":"L3QvYQ==","value":"eA=="}},)"
              R"({"requestPut":{"key":"L3QvbA==","value":"","lease":"-77"}},)"
              R"({"requestDeleteRange":{"key":"L3Qvdw=="}}]})");
}

TEST(EtcdCall, AsksForALeaseKeepsItAndEndsIt) {
    EXPECT_EQ(grant_lease(5s), (Call{"/v3/lease/grant", R"({"TTL":"5"})"}));
    EXPECT_EQ(renew_lease(-3), (Call{"/v3/lease/keepalive", R"({"ID":"-3"})"}));
    EXPECT_EQ(end_lease(77), (Call{"/v3/lease/revoke", R"({"ID":"77"})"}));
}

TEST(EtcdCall, LogsInWithAnyCharacters) {
    EXPECT_EQ(log_in("a", "b\"\n"),
              (Call{"/v3/auth/authenticate", R"({"name":"a","password":"b\"\n"})"}));
}

TEST(EtcdAnswer, OfAnEmptyStoreHasNoEntries) {
    const auto got = read_snapshot(answer());
    ASSERT_TRUE(got);
    EXPECT_EQ(got->revision, 5U);
    EXPECT_TRUE(got->entries.empty());
}

TEST(EtcdAnswer, HasKeysValuesAndTheRevisionOfTheirLastWrite) {
    const auto got = read_snapshot(
        answer(R"(,"kvs":[{"key":"L3QvYQ==","create_revision":"2","mod_revision":"5",)"
               R"("version":"2","value":"aGVsbG8y"},{"key":"L3QvYg==","create_revision":"3",)"
               R"("mod_revision":"3","version":"1","lease":"77"}],"count":"2")"));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->entries, (std::vector<Entry>{{"/t/a", "hello2", 5}, {"/t/b", "", 3}}));
}

TEST(EtcdAnswer, TellsWhetherTheConditionsHeld) {
    EXPECT_EQ(read_outcome(answer(R"(,"succeeded":true,"responses":[])")), (Outcome{true, 5}));
    EXPECT_EQ(read_outcome(answer()), (Outcome{false, 5}));
}

TEST(EtcdAnswer, TellsOfLeases) {
    EXPECT_EQ(read_lease(answer(R"(,"ID":"2324035586690831369","TTL":"5")")), 2324035586690831369);
    EXPECT_EQ(read_renewal(R"({"result":)" + answer(R"(,"ID":"77","TTL":"5")") + '}'), 5s);
    EXPECT_EQ(read_renewal(R"({"result":)" + answer(R"(,"ID":"78")") + '}'), 0s);
}

TEST(EtcdAnswer, HasTheTokenOfALogin) {
    EXPECT_EQ(read_login(answer(R"(,"token":"abc.12")")), "abc.12");
    EXPECT_FALSE(read_login(answer()));
}

// Whatever is no answer of etcd decides nothing.
TEST(EtcdAnswer, OfAnotherProgramIsNone) {
    for (const std::string text :
         {"", "x", "[]", "{}", "null", R"({"header":{}})", R"({"header":{"revision":"0"}})",
          R"({"header":{"revision":5}})", R"({"header":{"revision":"-1"}})",
          R"({"header":{"revision":"5x"}})"}) {
        EXPECT_FALSE(read_snapshot(text)) << text;
        EXPECT_FALSE(read_outcome(text)) << text;
        EXPECT_FALSE(read_lease(text)) << text;
        EXPECT_FALSE(read_renewal(text)) << text;
        EXPECT_FALSE(read_login(text)) << text;
    }
}

TEST(EtcdAnswer, WithAMalformedEntryIsNone) {
    for (const std::string kvs : {"7", "[7]", R"([{"key":"L3QvYQ==","value":"aGVsbG8y"}])",
                                  R"([{"key":"!","mod_revision":"5"}])",
                                  R"([{"key":"YQ==","value":"?","mod_revision":"5"}])",
                                  R"([{"key":"YQ==","mod_revision":"99999999999999999999"}])"})
        EXPECT_FALSE(read_snapshot(answer(",\"kvs\":" + kvs))) << kvs;
    EXPECT_FALSE(read_snapshot(answer(R"(,"more":true)"))) << "a part of the keys";
    EXPECT_FALSE(read_outcome(answer(R"(,"succeeded":"true")")));
}

struct Said {
    const char* name;
    unsigned status;
    const char* body;
    Fault fault;
};

std::ostream& operator<<(std::ostream& out, const Said& said) {
    return out << said.name;
}

class EtcdFailure : public testing::TestWithParam<Said> {};

TEST_P(EtcdFailure, IsTold) {
    EXPECT_EQ(read_failure(GetParam().status, GetParam().body).fault, GetParam().fault);
}

INSTANTIATE_TEST_SUITE_P(
    All, EtcdFailure,
    testing::Values(
        Said{"no lease", 404,
             R"({"error":"etcdserver: requested lease not found",)"
             R"("message":"etcdserver: requested lease not found","code":5})",
             Fault::no_lease},
        Said{"no space", 429, R"({"message":"etcdserver: mvcc: database space exceeded","code":8})",
             Fault::no_space},
        Said{"token ended", 401, R"({"message":"etcdserver: invalid auth token","code":16})",
             Fault::no_login},
        Said{"no token", 400, R"({"message":"etcdserver: user name is empty","code":3})",
             Fault::no_login},
        Said{"wrong password", 400,
             R"({"message":"etcdserver: authentication failed, invalid user ID or password",)"
             R"("code":3})",
             Fault::refused},
        Said{"no permission", 403, R"({"message":"etcdserver: permission denied","code":7})",
             Fault::refused},
        Said{"no leader", 503, R"({"message":"etcdserver: no leader","code":14})", Fault::away},
        Said{"timeout", 503, R"({"message":"etcdserver: request timed out","code":14})",
             Fault::away},
        Said{"too late", 504, R"({"message":"context deadline exceeded","code":4})", Fault::away},
        Said{"login not enabled", 412,
             R"({"message":"etcdserver: authentication is not enabled","code":9})", Fault::other},
        Said{"another program", 404, "404 page not found\n", Fault::not_etcd},
        Said{"another JSON", 404, R"({"status":"no"})", Fault::not_etcd}));

TEST(EtcdFailureText, IsEtcdsOwn) {
    EXPECT_EQ(read_failure(503, R"({"message":"etcdserver: no leader","code":14})").message,
              "etcdserver: no leader");
    EXPECT_EQ(read_failure(404, "no").message, "status 404");
}

}  // namespace
}  // namespace ticketgate::cluster::etcd
