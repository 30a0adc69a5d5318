// The problems that `check` reports in certificates and keys.
#include "net/certificate.hpp"

#include <sys/stat.h>

#include <fstream>

#include "tls_pair.hpp"

namespace ticketgate::net {
namespace {

std::vector<std::string> told(const test::KeyFiles& files) {
    std::vector<std::string> out;
    for (const auto& found : examine(files.certificate, files.key, wall_now()))
        out.push_back(std::string(found.warning ? "warning " : "error ") +
                      (found.about == Finding::About::key ? "key: " : "certificate: ") +
                      found.message);
    return out;
}

TEST(Certificates, GoodOnesGiveNoProblems) {
    EXPECT_EQ(told(Keys::get().localhost), std::vector<std::string>{});
    EXPECT_TRUE(examine_authorities(Keys::get().authority.file(), wall_now()).empty());
}

TEST(Certificates, AreExaminedAsThoseThatReplicasShowEachOther) {
    const auto& keys = Keys::get();
    const std::string own = keys.localhost.certificate, ca = keys.authority.file();
    EXPECT_EQ(examine_trust(own, ca, "localhost"), "");
    EXPECT_EQ(examine_trust(own, ca, "replica.internal"), "hostname mismatch");
    EXPECT_EQ(examine_trust(own, ca, "127.0.0.1"), "IP address mismatch");
    test::Wanted wanted;
    wanted.names = {"127.0.0.1"};
    wanted.days = -2;
    EXPECT_EQ(examine_trust(keys.authority.issue("ip", wanted).certificate, ca, "127.0.0.1"), "");
    const test::Authority other("other.pem");
    EXPECT_EQ(examine_trust(own, other.file(), "localhost"),
              "as a client's: unable to get local issuer certificate");
    EXPECT_EQ(examine_trust(own, other.folder() + "/none", "localhost"), "");
}

TEST(Certificates, DatesAreChecked) {
    test::Wanted wanted;
    wanted.days = -2;
    auto found = told(Keys::get().authority.issue("old", wanted));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].starts_with("warning certificate: the certificate expired at 20"))
        << found[0];
    wanted.days = 13;
    found = told(Keys::get().authority.issue("soon", wanted));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(found[0].starts_with("warning certificate: the certificate expires at 20"))
        << found[0];
    EXPECT_TRUE(found[0].ends_with(" days")) << found[0];
    wanted.days = 15;
    EXPECT_EQ(told(Keys::get().authority.issue("later", wanted)), std::vector<std::string>{});
}

TEST(Certificates, OfAChainTheFirstEndCounts) {
    const auto& authority = Keys::get().authority;
    test::Wanted wanted;
    const auto leaf = authority.issue("chained", wanted);
    wanted.common_name = "between";
    wanted.days = 3;
    const auto between = authority.issue("between", wanted);
    const std::string chain = authority.folder() + "/chain.pem";
    std::ofstream(chain) << std::ifstream(leaf.certificate).rdbuf()
                         << std::ifstream(between.certificate).rdbuf();
    const KeyPair pair(chain, leaf.key), alone(leaf.certificate, leaf.key);
    EXPECT_EQ(&first_to_end(alone), alone.leaf());
    EXPECT_EQ(subject_of(first_to_end(pair)), "CN=between");
    const auto left = expiry_of(first_to_end(pair)).unix_s() - wall_now().unix_s();
    EXPECT_LE(left, 3 * 86400);
    EXPECT_GT(left, 2 * 86400);
    EXPECT_LE(begin_of(*pair.leaf()).unix_s(), wall_now().unix_s());
    const auto found = told({chain, leaf.key});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_TRUE(
        found[0].starts_with("warning certificate: its intermediate certificate "
                             "CN=between expires at 20"))
        << found[0];
}

TEST(Certificates, TheAuthoritiesOfClientsAreKnownToTheListener) {
    const auto& keys = Keys::get();
    TlsServerSettings settings;
    settings.certificates = {{keys.localhost.certificate, keys.localhost.key}};
    EXPECT_TRUE(TlsServer(settings).authorities().empty());
    settings.client_ca = keys.authority.file();
    settings.client_auth = ClientAuth::required;
    const TlsServer server(settings);
    const auto known = server.authorities();
    ASSERT_EQ(known.size(), 1u);
    EXPECT_GT(expiry_of(*known[0]).unix_s(), wall_now().unix_s());
}

TEST(Certificates, WeakKeysAndReadableKeyFilesAreReported) {
    test::Wanted wanted;
    wanted.rsa = true;
    EXPECT_EQ(told(Keys::get().authority.issue("rsa", wanted)), std::vector<std::string>{});
    wanted.rsa_bits = 1024;
    const auto files = Keys::get().authority.issue("weak", wanted);
    ::chmod(files.key.c_str(), 0644);
    EXPECT_EQ(told(files),
              (std::vector<std::string>{"warning key: the key has 1024 bits, which is weak",
                                        "warning key: " + files.key +
                                            ": every user of this machine can read the key; run "
                                            "chmod o-r",
                                        "error certificate: " + files.certificate +
                                            ": OpenSSL does not serve it: ee key too small"}));
}

TEST(Certificates, RefusedByOpenSslAreReportedInEveryPlace) {
    test::Wanted wanted;
    wanted.rsa = true;
    wanted.rsa_bits = 1024;
    const auto weak = Keys::get().authority.issue("too-weak", wanted);
    const auto& good = Keys::get().localhost;
    TlsServerSettings settings;
    settings.certificates = {{good.certificate, good.key}, {weak.certificate, weak.key}};
    try {
        const TlsServer server(settings);
        ADD_FAILURE() << "handshakes for the second name would fail";
    } catch (const std::runtime_error& why) {
        EXPECT_EQ(why.what(), weak.certificate + ": OpenSSL does not serve it: ee key too small");
    }
}

TEST(Certificates, DamageIsAnError) {
    const auto& good = Keys::get().localhost;
    const test::TemporaryFolder folder;
    EXPECT_EQ(
        told({folder.write("empty", ""), good.key}),
        std::vector<std::string>{"error certificate: " + folder.file("empty") + ": it is empty"});
    const auto text = Keys::get().authority.read("localhost.pem");
    EXPECT_EQ(told({folder.write("cut", text + text.substr(0, text.size() / 2)), good.key}),
              std::vector<std::string>{"error certificate: " + folder.file("cut") +
                                       ": it contains a damaged certificate"});
    EXPECT_EQ(told({good.certificate, folder.write("locked",
                                                   "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n"
                                                   "-----END ENCRYPTED PRIVATE KEY-----\n")}),
              std::vector<std::string>{"error key: " + folder.file("locked") +
                                       ": the key has a passphrase; store it without one"});
    const auto found = examine_authorities(good.key, wall_now());
    ASSERT_EQ(found.size(), 1u);
    EXPECT_FALSE(found[0].warning);
    EXPECT_EQ(found[0].message, good.key + ": it contains no certificate in PEM format");
}

TEST(Certificates, OfAuthoritiesTheLastEndCounts) {
    const auto& authority = Keys::get().authority;
    const test::TemporaryFolder folder;
    const auto until = [&](int days) {
        test::Wanted wanted;
        wanted.days = days;
        const std::string name = "until" + std::to_string(days);
        (void)authority.issue(name, wanted);
        return authority.read(name + ".pem");
    };
    const auto told_of = [&](const std::string& text) {
        std::string all;
        for (const auto& found :
             examine_authorities(folder.write("authorities.pem", text), wall_now()))
            all += (found.warning ? "warning " : "error ") + found.message;
        return all;
    };
    const std::string ended = until(-2), ends = until(5), later = until(100);
    EXPECT_NE(told_of(ended).find("warning its certificate CN=a test"), std::string::npos)
        << told_of(ended);
    EXPECT_NE(told_of(ended).find(" expired at 20"), std::string::npos) << told_of(ended);
    EXPECT_NE(told_of(ended + ends).find(" expires at 20"), std::string::npos)
        << told_of(ended + ends);
    EXPECT_EQ(told_of(later + ended), "");
    EXPECT_EQ(told_of(ended + later), "");
}

}  // namespace
}  // namespace ticketgate::net
