// Client certificates: who is admitted, and which headers the backend can trust.
#include "support/tls_configs.hpp"

namespace ticketgate::test {
namespace {

constexpr const char* spoofed =
    "X-Client-Cert-Verify: SUCCESS\r\nx_client_cert_verify: SUCCESS\r\n"
    "X-CLIENT-CERT-SUBJECT: CN=root\r\nX-Client_Cert-Fingerprint: 00\r\n";

std::vector<std::string> told(const Seen& seen) {
    std::vector<std::string> out;
    for (const auto& [name, value] : seen.fields.list())
        if (name.size() > 8 && same_word(name.substr(2, 6), "client") &&
            value.find('0') == std::string::npos)
            out.push_back(name + ": " + value);
    return out;
}

TEST(TlsClientCertificate, IsPassedToTheBackendAndCannotBeForged) {
    House house(one_queue(), ", client_auth: optional, client_ca: \"${CA}\"");
    EXPECT_EQ(house.gateway.get("/none", spoofed).status, 200);
    EXPECT_EQ(told(house.backend.of("/none").at(0)),
              std::vector<std::string>{"X-Client-Cert-Verify: NONE"});
    Wanted alice;
    alice.common_name = "Alice";
    TlsEnd with_own = house.trust.client();
    house.gateway.speak(with_own.with(house.trust.authority.issue("alice", alice)));
    EXPECT_EQ(house.gateway.get("/alice", spoofed).status, 200);
    const Seen seen = house.backend.of("/alice").at(0);
    EXPECT_EQ(seen.fields.all("X-Client-Cert-Verify"), std::vector<std::string>{"SUCCESS"});
    EXPECT_EQ(seen.fields.all("X-Client-Cert-Subject"), std::vector<std::string>{"CN=Alice"});
    EXPECT_EQ(seen.header("X-Client-Cert-Fingerprint").size(), 64u);
    EXPECT_FALSE(seen.fields.has("x_client_cert_verify"));
    EXPECT_FALSE(seen.fields.has("X-Client_Cert-Fingerprint"));
    EXPECT_EQ(house.gateway.log(2).at(1).at("client_certificate").as_string(), "CN=Alice");
}

TEST(TlsClientCertificate, CannotBeForgedOnAnotherPortEither) {
    const Trust trust;
    Backend backend;
    const std::string plain_beside =
        "listen: [{ address: \"127.0.0.1:0\", tls: { certificates: [{ certificate: "
        "\"${CERTIFICATE}\", key: \"${KEY}\" }], client_auth: required, client_ca: \"${CA}\" } }, "
        "{ address: \"127.0.0.1:0\" }]\n";
    Gateway gateway(plain_beside + one_queue(), trust.with(backend));
    Client plain(gateway.address(1));
    plain.get("/x", spoofed);
    EXPECT_EQ(plain.read().status, 200);
    EXPECT_EQ(told(backend.of("/x").at(0)), std::vector<std::string>{"X-Client-Cert-Verify: NONE"});
}

// It serves until the restart, with the files that it has read.
TEST(TlsClientCertificate, CannotBeForgedWhenTheListenerIsTakenOutOfTheFile) {
    const Trust trust;
    Backend backend;
    const std::string plain = "{ address: \"127.0.0.1:0\" }";
    const std::string asks =
        "{ address: \"127.0.0.2:0\", tls: { certificates: [{ certificate: \"${CERTIFICATE}\", "
        "key: \"${KEY}\" }], client_auth: required, client_ca: \"${CA}\" } }";
    Gateway gateway("listen: [" + plain + ", " + asks + "]\n" + one_queue(), trust.with(backend));
    ASSERT_TRUE(gateway.reload("listen: [" + plain + "]\n" + one_queue()));
    Client client(gateway.address(0));
    client.get("/x", spoofed);
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(told(backend.of("/x").at(0)), std::vector<std::string>{"X-Client-Cert-Verify: NONE"});
}

TEST(TlsClientCertificate, RequiredRefusesClientsWithoutOne) {
    House house(one_queue(), ", client_auth: required, client_ca: \"${CA}\"");
    Client without = house.gateway.client();
    without.get("/x");
    EXPECT_EQ(without.read().status, 0);
    const Authority stranger;
    Wanted bob;
    TlsEnd bad = house.trust.client();
    Client strange(house.gateway.address(), bad.with(stranger.issue("bob", bob)));
    strange.get("/x");
    EXPECT_EQ(strange.read().status, 0);
    TlsEnd good = house.trust.client();
    house.gateway.speak(good.with(house.trust.authority.issue("carol")));
    EXPECT_EQ(house.gateway.get("/x").status, 200);
    EXPECT_EQ(house.backend.all().size(), 1u);
}

// A client without a key can send any number of certificates; parsing them costs time and memory.
TEST(TlsClientCertificate, IsRefusedWithMoreThanNineOthers) {
    House house(one_queue(), ", client_auth: optional, client_ca: \"${CA}\"");
    TlsEnd end = house.trust.client();
    end.with(house.trust.authority.issue("alice"));
    const auto with_others = [&](int others) {
        end.shows(house.trust.files, others);
        Client client(house.gateway.address(), end);
        client.get("/x");
        return client.read().status;
    };
    EXPECT_EQ(with_others(9), 200);
    EXPECT_EQ(with_others(1), 0);
    EXPECT_EQ(house.gateway.metric(R"(ticketgate_tls_handshakes_total{result="failed"})"), 1);
}

// A certificate checked under the old rules proves nothing under the new ones.
TEST(TlsClientCertificate, AReloadWithOtherSignersNeedsAnotherHandshake) {
    const std::string asks = ", client_auth: optional, client_ca: ";
    House house(one_queue(), asks + "\"${CA}\"");
    const Authority others;
    TlsEnd own = house.trust.client();
    Client alice(house.gateway.address(), own.with(house.trust.authority.issue("alice")));
    Client nobody(house.gateway.address(), house.trust.client());
    for (Client* client : {&alice, &nobody}) {
        client->get("/x");
        EXPECT_EQ(client->read().status, 200);
    }
    ASSERT_TRUE(house.gateway.reload(https(one_queue(", wait_timeout: 5s"), asks + "\"${CA}\"")));
    alice.get("/x");
    EXPECT_EQ(alice.read().status, 200) << "the same signers";
    EXPECT_EQ(house.backend.all().back().header("X-Client-Cert-Verify"), "SUCCESS");

    ASSERT_TRUE(house.gateway.reload(https(one_queue(), asks + others.file())));
    alice.get("/after");
    const auto refused = alice.read();
    EXPECT_EQ(refused.status, 421);
    EXPECT_EQ(refused.header("Connection"), "close");
    EXPECT_TRUE(alice.ends());
    nobody.get("/after");
    EXPECT_EQ(nobody.read().status, 200) << "it proved nothing";
    EXPECT_EQ(house.backend.count("/after"), 1u);
}

TEST(TlsClientCertificate, AReloadThatRequiresOneEndsOldConnectionsWithout) {
    House house(one_queue());
    Client client = house.gateway.client();
    client.get("/x");
    EXPECT_EQ(client.read().status, 200);
    ASSERT_TRUE(
        house.gateway.reload(https(one_queue(), ", client_auth: required, client_ca: \"${CA}\"")));
    client.get("/x");
    EXPECT_EQ(client.read().status, 421);
    EXPECT_EQ(house.backend.count("/x"), 1u);
}

TEST(TlsClientCertificate, HeadersOfAProxyPassIfNoCertificateIsAskedFor) {
    House house(one_queue());
    EXPECT_EQ(house.gateway.get("/x", "X-Client-Cert-Verify: SUCCESS\r\n").status, 200);
    EXPECT_EQ(house.backend.of("/x").at(0).header("X-Client-Cert-Verify"), "SUCCESS")
        << "a proxy in front may say so; here nothing is promised";
}

}  // namespace
}  // namespace ticketgate::test
