// Peers that TLS accepts: names, authorities, dates, versions, protocols; and session resumption.
#include "tls_pair.hpp"

namespace ticketgate::net {
namespace {

const test::Authority& authority() {
    return Keys::get().authority;
}

std::string fault_with(const TlsClientSettings& settings, const TlsServerSettings& server) {
    Ends ends(server_with(server), client_with(settings));
    if (ends.shake_hands()) return "none";
    return ends.client->fault();
}

TEST(TlsTrust, ABackendMustMatchItsNameAndAuthority) {
    const auto good = serving(Keys::get().localhost);
    const auto& ca = authority().file();
    EXPECT_EQ(fault_with(trusting(ca), good), "none");
    EXPECT_EQ(fault_with(trusting(ca, "other.test"), good),
              "certificate not trusted: hostname mismatch");
    EXPECT_EQ(fault_with(trusting(ca, "127.0.0.1"), good),
              "certificate not trusted: IP address mismatch");
    const test::Authority stranger;
    EXPECT_EQ(fault_with(trusting(stranger.file()), good),
              "certificate not trusted: unable to get local issuer certificate");
    test::Wanted old;
    old.days = -1;
    EXPECT_EQ(fault_with(trusting(ca), serving(authority().issue("old", old))),
              "certificate not trusted: certificate has expired");
}

TEST(TlsTrust, AnAddressMustBeAnIpNameOfTheCertificate) {
    test::Wanted address;
    address.names = {"127.0.0.1"};
    const auto files = authority().issue("address", address);
    EXPECT_EQ(fault_with(trusting(authority().file(), "127.0.0.1"), serving(files)), "none");
}

TEST(TlsTrust, VerifyOffAcceptsAnyCertificate) {
    auto settings = trusting("", "whoever.test");
    settings.verify = false;
    EXPECT_EQ(fault_with(settings, serving(Keys::get().localhost)), "none");
}

TEST(TlsTrust, SessionsAreResumed) {
    const auto server = usual_server();
    const auto client = usual_client();
    for (const bool resumed : {false, true, true}) {
        Ends ends(server, client);
        ASSERT_TRUE(ends.shake_hands());
        EXPECT_EQ(ends.server->secured()->resumed, resumed);
        EXPECT_EQ(ends.client->secured()->resumed, resumed);
    }
    Ends ends(usual_server(), client);
    ASSERT_TRUE(ends.shake_hands()) << "a server that was made anew knows none of them";
    EXPECT_FALSE(ends.server->secured()->resumed);
}

std::string shown_to(const TlsServerSettings& settings, const std::string& name) {
    const auto server = server_with(settings);
    Ends ends(server, client_with(trusting(authority().file(), name)));
    return ends.shake_hands() ? "fits" : ends.client->fault();
}

TEST(TlsTrust, TheCertificateOfTheNameIsShown) {
    test::Wanted one, two, special;
    one.names = {"one.test"};
    two.names = {"*.two.test"};
    special.names = {"special.two.test"};
    TlsServerSettings settings = serving(authority().issue("one", one));
    for (const auto& files : {authority().issue("two", two), authority().issue("special", special),
                              Keys::get().localhost})
        settings.certificates.push_back({files.certificate, files.key});
    for (const char* name : {"one.test", "x.two.test", "special.two.test", "localhost", "ONE.test"})
        EXPECT_EQ(shown_to(settings, name), "fits") << name;
    for (const char* name : {"two.test", "a.b.two.test", "unknown.test"})
        EXPECT_EQ(shown_to(settings, name), "certificate not trusted: hostname mismatch") << name;
}

TEST(TlsTrust, AClientsCertificateIsNamed) {
    auto settings = serving(Keys::get().localhost);
    settings.client_ca = authority().file();
    settings.client_auth = ClientAuth::required;
    test::Wanted client;
    client.common_name = "Zoë, of\nthe test";
    const auto own = authority().issue("client", client);
    auto with_own = trusting(authority().file());
    with_own.certificate = own.certificate;
    with_own.key = own.key;
    Ends ends(server_with(settings), client_with(with_own));
    ASSERT_TRUE(ends.shake_hands());
    EXPECT_EQ(ends.server->secured()->client_subject, "CN=Zo\\C3\\AB\\, of\\0Athe test");
    EXPECT_EQ(ends.server->secured()->client_fingerprint.size(), 64u);
    // TLS 1.3: a client learns with its first read that it was refused.
    Ends without(server_with(settings), usual_client());
    EXPECT_FALSE(without.shake_hands());
    settings.client_auth = ClientAuth::optional;
    Ends optional(server_with(settings), usual_client());
    ASSERT_TRUE(optional.shake_hands());
    EXPECT_EQ(optional.server->secured()->client_fingerprint, "");
    const test::Authority stranger;
    const auto bad = stranger.issue("bad");
    with_own.certificate = bad.certificate;
    with_own.key = bad.key;
    Ends refused(server_with(settings), client_with(with_own));
    EXPECT_FALSE(refused.shake_hands()) << "a bad one is worse than none";
}

TEST(TlsTrust, NamesBadFiles) {
    const auto& good = Keys::get().localhost;
    const auto other = authority().issue("other");
    const auto why = [](const TlsServerSettings& settings) -> std::string {
        try {
            const TlsServer server(settings);
            return "good";
        } catch (const std::runtime_error& error) {
            return error.what();
        }
    };
    EXPECT_EQ(why(serving(good)), "good");
    EXPECT_EQ(why(serving({"/no/such", good.key})), "/no/such: No such file or directory");
    EXPECT_EQ(why(serving({good.certificate, other.key})),
              other.key + ": it is not the key of the certificate in " + good.certificate);
    EXPECT_EQ(why(serving({good.key, good.key})),
              good.key + ": it contains no certificate in PEM format");
}

}  // namespace
}  // namespace ticketgate::net
