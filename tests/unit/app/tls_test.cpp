// What `check` tells of the files for TLS.
#include "app/tls.hpp"

#include <gtest/gtest.h>

#include "config/load.hpp"
#include "support/certificates.hpp"

namespace ticketgate {
namespace {

using test::Authority;
using test::KeyFiles;

std::string told(const KeyFiles& own, const std::string& ca, const std::string& advertised) {
    const auto loaded = config::load_text(
        "listen: [{address: \"127.0.0.1:8080\"}]\n"
        "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n"
        "routes: [{prefix: /, upstream: app}]\n"
        "cluster: {name: c, store: {endpoints: [\"http://127.0.0.1:2\"]}, peer: {listen: "
        "\"127.0.0.1:3\", secret: 0123456789abcdef, advertise: \"" +
            advertised + "\",\n  tls: {certificate: \"" + own.certificate + "\", key: \"" +
            own.key + "\", ca_file: \"" + ca + "\"}}}\n",
        "c.yaml", config::environment_of({}));
    if (!loaded.config) return "no config";
    std::string out;
    for (const auto& problem : tls_problems(*loaded.config, wall_now()))
        out += config::print(problem) + "\n";
    return out;
}

TEST(TlsProblems, AreWhatOtherReplicasWouldRefuse) {
    const Authority ca, other("other.pem");
    const KeyFiles good = ca.issue("good");
    EXPECT_EQ(told(good, ca.file(), "localhost:3"), "");
    const auto refused = told(good, ca.file(), "10.0.0.1:3");
    EXPECT_TRUE(refused.starts_with("c.yaml:5:"));
    EXPECT_NE(refused.find("warning: cluster.peer.tls.certificate: the other replicas will refuse "
                           "it: IP address mismatch (server_name or advertised host: 10.0.0.1;"),
              std::string::npos)
        << refused;
    EXPECT_NE(told(good, other.file(), "localhost:3").find("unable to get local issuer"),
              std::string::npos);
}

TEST(TlsProblems, AreFilesThatAreMissing) {
    const Authority ca;
    const KeyFiles good = ca.issue("good");
    const auto missing = [&](const KeyFiles& own, const std::string& file, const std::string& key) {
        const auto text = told(own, file, "localhost:3");
        EXPECT_NE(text.find("cluster.peer.tls." + key + ": /none: "), std::string::npos) << text;
        EXPECT_EQ(text.find("warning"), std::string::npos) << text;
    };
    missing({"/none", good.key}, ca.file(), "certificate");
    missing({good.certificate, "/none"}, ca.file(), "key");
    missing(good, "/none", "ca_file");
}

TEST(TlsProblems, AreAuthoritiesThatHaveEnded) {
    const Authority ca;
    test::Wanted wanted;
    wanted.days = -2;
    const std::string server = ca.issue("server").certificate, key = ca.issue("server").key,
                      ended = ca.issue("ended", wanted).certificate;
    const auto loaded = config::load_text(
        "listen: [{address: \"127.0.0.1:8080\", tls: {certificates: [{certificate: \"" + server +
            "\", key: \"" + key + "\"}],\n  client_auth: required, client_ca: \"" + ended +
            "\"}}]\n"
            "upstreams: {app: {url: \"https://127.0.0.1:8000\",\n  tls: {ca_file: \"" +
            ended + "\"}}}\nroutes: [{prefix: /, upstream: app}]\n",
        "c.yaml", config::environment_of({}));
    ASSERT_TRUE(loaded.config);
    std::vector<std::string> lines;
    for (const auto& problem : tls_problems(*loaded.config, wall_now()))
        lines.push_back(config::print(problem));
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_TRUE(lines[0].starts_with("c.yaml:2:")) << lines[0];
    EXPECT_NE(lines[0].find("warning: listen[0].tls.client_ca: its certificate CN=a test"),
              std::string::npos)
        << lines[0];
    EXPECT_NE(lines[1].find("warning: upstreams.app.tls.ca_file: its certificate CN=a test"),
              std::string::npos)
        << lines[1];
}

}  // namespace
}  // namespace ticketgate
