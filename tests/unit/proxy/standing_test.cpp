// Whom a connection speaks for under the current rules.
#include "proxy/standing.hpp"

#include <gtest/gtest.h>

namespace ticketgate {
namespace {

using http::ProxySubject;

http::ProxyHeader header(ProxySubject subject) {
    if (subject != ProxySubject::client) return {.bytes = 1, .subject = subject};
    return {.bytes = 1, .source = "203.0.113.9", .source_port = 4000, .port = 443, .tls = true};
}

Peer peer(const std::string& ip) {
    return {.ip = ip, .port = 8080, .from_port = 5000};
}

const config::Networks proxies({"10.0.0.0/8", "unix"}), nobody({});

TEST(Standing, WithoutAProxyHeaderTheNetworksDecide) {
    EXPECT_TRUE(believed(peer("10.0.0.1"), nullptr, proxies).trusted);
    EXPECT_TRUE(believed(peer("unix"), nullptr, proxies).trusted);
    EXPECT_FALSE(believed(peer("10.0.0.1"), nullptr, nobody).trusted);
    EXPECT_FALSE(believed(peer("unix"), nullptr, nobody).trusted);
    Peer before = peer("10.0.0.1");
    before.trusted = before.many = true;
    EXPECT_FALSE(believed(before, nullptr, nobody).trusted) << "what was believed does not count";
    EXPECT_FALSE(believed(before, nullptr, nobody).many);
}

TEST(Standing, ANamedClientIsJudgedByItsOwnAddress) {
    const auto named = header(ProxySubject::client);
    const Peer client = believed(peer("10.0.0.1"), &named, proxies);
    EXPECT_EQ(client.ip, "203.0.113.9");
    EXPECT_EQ(client.from_port, 4000);
    EXPECT_EQ(client.port, 443);
    EXPECT_TRUE(client.proxied_tls);
    EXPECT_FALSE(client.trusted);
    EXPECT_FALSE(client.many);
    EXPECT_TRUE(believed(peer("10.0.0.1"), &named, config::Networks({"10.0.0.0/8", "203.0.113.9"}))
                    .trusted);
}

// Otherwise the client would get the trust of the proxy that it comes through.
TEST(Standing, AClientWithoutAnAddressIsNotItsProxy) {
    const auto unknown = header(ProxySubject::unknown);
    for (const char* ip : {"10.0.0.1", "127.0.0.1", "unix"}) {
        const Peer client =
            believed(peer(ip), &unknown, config::Networks({"10.0.0.0/8", "127.0.0.1", "unix"}));
        EXPECT_EQ(client.ip, ip);
        EXPECT_FALSE(client.trusted) << ip;
        EXPECT_FALSE(client.many) << ip;
        EXPECT_EQ(client.speaks_for, SpeaksFor::nobody) << ip;
    }
}

TEST(Standing, OnlyAnAddressNamesAClient) {
    for (const auto subject : {ProxySubject::unknown, ProxySubject::sender, ProxySubject::client}) {
        const auto claim = header(subject);
        const SpeaksFor whom = subject == ProxySubject::unknown  ? SpeaksFor::nobody
                               : subject == ProxySubject::sender ? SpeaksFor::proxy
                                                                 : SpeaksFor::client;
        EXPECT_EQ(believed(peer("10.0.0.1"), &claim, proxies).speaks_for, whom);
        EXPECT_EQ(believed(peer("203.0.113.1"), &claim, nobody).speaks_for, SpeaksFor::nobody)
            << "it is not heard";
    }
    EXPECT_EQ(believed(peer("10.0.0.1"), nullptr, proxies).speaks_for, SpeaksFor::itself);
}

TEST(Standing, ASenderThatSpeaksForItselfHasItsOwnStanding) {
    const auto local = header(ProxySubject::sender);
    EXPECT_TRUE(believed(peer("10.0.0.1"), &local, proxies).trusted);
    EXPECT_TRUE(believed(peer("10.0.0.1"), &local, proxies).many);
    EXPECT_FALSE(believed(peer("127.0.0.1"), &local, proxies).trusted);
}

TEST(Standing, TheHeaderOfASenderNoLongerTrustedIsDropped) {
    for (const auto subject : {ProxySubject::client, ProxySubject::unknown, ProxySubject::sender}) {
        const auto said = header(subject);
        const Peer left = believed(peer("10.0.0.1"), &said, nobody);
        EXPECT_EQ(left.ip, "10.0.0.1");
        EXPECT_EQ(left.from_port, 5000);
        EXPECT_EQ(left.port, 8080);
        EXPECT_FALSE(left.proxied_tls);
        EXPECT_FALSE(left.trusted);
    }
    const auto named = header(ProxySubject::client);
    EXPECT_EQ(believed(peer("127.0.0.1"), &named, nobody).ip, "203.0.113.9") << "this machine may";
}

TEST(Standing, ChangedRulesForCertificatesNeedAnotherHandshake) {
    EXPECT_FALSE(must_shake_hands_again("a", "a", true, true));
    EXPECT_FALSE(must_shake_hands_again("", "", false, false));
    EXPECT_TRUE(must_shake_hands_again("a", "b", false, true)) << "signed by others";
    EXPECT_TRUE(must_shake_hands_again("a", "", false, true)) << "nobody is asked any more";
    EXPECT_TRUE(must_shake_hands_again("", "b", true, false)) << "it has shown none";
    EXPECT_TRUE(must_shake_hands_again("a", "a", true, false)) << "optional became required";
    EXPECT_FALSE(must_shake_hands_again("", "b", false, false)) << "none is what it has";
    EXPECT_FALSE(must_shake_hands_again("a", "b", false, false));
}

}  // namespace
}  // namespace ticketgate
