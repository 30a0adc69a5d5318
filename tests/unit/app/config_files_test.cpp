// Which files `--watch` follows beside the config's own.
#include "app/config_files.hpp"

#include <gtest/gtest.h>

#include <map>

#include "config/keys.hpp"
#include "support/temporary_folder.hpp"

namespace ticketgate {
namespace {

// Each key that names a file, and that file in the config below. A key that is new needs a place
// here, and in named_files() if a reload reads its file.
const std::map<std::string, std::string> read_by_a_reload = {
    {"certificate.certificate", "a.pem"},
    {"certificate.key", "a.key"},
    {"listen_tls.client_ca", "ca.pem"},
    {"id_service.token_file", "token"},
    {"upstream_tls.ca_file", "b.pem"},
    {"upstream_tls.certificate", "own.pem"},
    {"upstream_tls.key", "own.key"},
    {"answer.body_file", "full.html"},
    {"answer.page_file", "wait.html"},
    {"peer_tls.certificate", "r.pem"},
    {"peer_tls.key", "r.key"},
    {"peer_tls.ca_file", "rs.pem"},
    {"cluster_peer.secret_file", "peer"},
    {"cluster_store.password_file", "password"},
    {"tracing.ca_file", "collector.pem"}};
// The process writes the state file itself; the store is connected to once, at the start.
const std::map<std::string, std::string> not_read = {{"id_service.state_file", "state"},
                                                     {"cluster_store.ca_file", "store.pem"},
                                                     {"cluster_store.certificate", "s.pem"},
                                                     {"cluster_store.key", "s.key"}};

constexpr const char* with_all_files =
    "listen:\n"
    "  - address: 127.0.0.1:1\n"
    "    tls: { certificates: [{ certificate: a.pem, key: a.key }], client_ca: ca.pem,"
    " client_auth: required }\n"
    "id_service: { address: 127.0.0.1:2, token_file: token, state_file: state }\n"
    "upstreams: { app: { url: \"https://a\", tls: { ca_file: b.pem, certificate: own.pem, key: "
    "own.key } } }\n"
    "cluster: { name: c, store: { endpoints: [\"https://127.0.0.1:2\"], username: u, "
    "password_file: password, ca_file: store.pem, certificate: s.pem, key: s.key }, peer: { "
    "listen: "
    "\"127.0.0.1:3\", advertise: \"127.0.0.1:3\", secret_file: peer, tls: { "
    "certificate: r.pem, key: r.key, ca_file: rs.pem } } }\n"
    "tracing: { endpoint: \"https://collector\", ca_file: collector.pem }\n"
    "routes:\n"
    "  - { prefix: /, upstream: app, queue: q, on_full: { body_file: full.html }, "
    "on_wait_timeout: { page_file: wait.html } }\n";

std::set<std::string> keys_with_files() {
    std::set<std::string> keys;
    for (std::size_t i = 0; i < config::section_count; ++i) {
        const auto section = static_cast<config::Section>(i);
        for (const config::Key& key : config::keys_of(section))
            if (key.kind == config::Kind::file || key.kind == config::Kind::body_file)
                keys.insert(std::string(config::name_of(section)) + "." + std::string(key.name));
    }
    return keys;
}

TEST(NamedFiles, AreAllThatAReloadReadsEvenThoseThatAreMissing) {
    const test::TemporaryFolder folder;
    const auto loaded = config::load_file(folder.write("c.yaml", with_all_files),
                                          [](auto) { return std::nullopt; });
    ASSERT_NE(loaded.read(), nullptr);
    Files expected;
    for (const auto& [key, name] : read_by_a_reload) expected.insert(folder.file(name));
    EXPECT_EQ(named_files(loaded), expected);
}

TEST(NamedFiles, NoKeyIsForgotten) {
    std::set<std::string> known;
    for (const auto* keys : {&read_by_a_reload, &not_read})
        for (const auto& [key, name] : *keys) known.insert(key);
    EXPECT_EQ(keys_with_files(), known);
}

}  // namespace
}  // namespace ticketgate
