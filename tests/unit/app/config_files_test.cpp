// Which files `--watch` follows beside the config's own.
#include "app/config_files.hpp"

#include <gtest/gtest.h>

#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

TEST(NamedFiles, AreCertificatesBodiesAndSecretsEvenThoseThatAreMissing) {
    const test::TemporaryFolder folder;
    const std::string file = folder.write(
        "c.yaml",
        "listen:\n"
        "  - address: 127.0.0.1:1\n"
        "    tls: { certificates: [{ certificate: a.pem, key: a.key }], client_ca: ca.pem,"
        " client_auth: required }\n"
        "id_service: { address: 127.0.0.1:2, token_file: token }\n"
        "upstreams: { app: { url: \"https://a\", tls: { ca_file: b.pem } } }\n"
        "cluster: { name: c, store: { endpoints: [\"http://127.0.0.1:2\"] }, peer: { listen: "
        "\"127.0.0.1:3\", advertise: \"127.0.0.1:3\", secret: 0123456789abcdef, tls: { "
        "certificate: r.pem, key: r.key, ca_file: rs.pem } } }\n"
        "routes:\n"
        "  - { prefix: /, upstream: app, queue: q, on_full: { body_file: full.html } }\n");
    const auto loaded = config::load_file(file, [](auto) { return std::nullopt; });
    ASSERT_NE(loaded.read(), nullptr);
    Files expected;
    for (const char* name :
         {"a.pem", "a.key", "ca.pem", "token", "b.pem", "full.html", "r.pem", "r.key", "rs.pem"})
        expected.insert(folder.file(name));
    EXPECT_EQ(named_files(loaded), expected);
}

}  // namespace
}  // namespace ticketgate
