// The keys that a reload cannot apply, and the message for each.
#include "app/restart_keys.hpp"

#include <gtest/gtest.h>

#include "config/load.hpp"

namespace ticketgate {
namespace {

const std::string usual =
    "listen: [{address: \"127.0.0.1:8080\"}, {address: \"127.0.0.1:8081\"}]\n";

config::Config good(const std::string& text) {
    auto loaded = config::load_text(
        "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n"
        "routes: [{prefix: /, upstream: app, queue: q}]\n" +
            text + (text.starts_with("listen") ? "" : usual),
        "c.yaml", config::environment_of({}));
    for (const auto& problem : loaded.problems) EXPECT_TRUE(problem.warning) << print(problem);
    return loaded.config.value_or(config::Config{});
}

std::string told(const std::string& started, const std::string& next) {
    std::string all;
    for (const auto& problem : keys_for_restart(good(started), good(next)))
        all += problem.path + ": " + problem.message + "\n";
    return all;
}

TEST(KeysForRestart, AreNoneIfAReloadAppliesEverything) {
    EXPECT_EQ(told("", ""), "");
    EXPECT_EQ(told("",
                   "queues: {q: {max_in_flight: 3}}\nclients: {max_head: 8KiB}\n"
                   "log: {level: debug, access: combined}\ndrain_timeout: 3s\n"),
              "");
    EXPECT_EQ(told("", "listen: [{address: \"127.0.0.1:8081\"}, {address: \"127.0.0.1:8080\"}]\n"),
              "")
        << "the same addresses in another order";
    const std::string admin = "admin: {address: \"127.0.0.1:9901\", token: ";
    EXPECT_EQ(told(admin + "a}\n", admin + "b}\n"), "") << "a reload applies the token";
}

TEST(KeysForRestart, NameEachKeyWithBothValues) {
    EXPECT_EQ(told("", "threads: 3\n"), "threads: 3 needs a restart; 1 stays in force\n");
    EXPECT_EQ(told("", "listen: [{address: \"127.0.0.1:8080\", proxy_protocol: true}]\n"),
              "listen: 127.0.0.1:8080 (proxy_protocol) needs a restart; 127.0.0.1:8080, "
              "127.0.0.1:8081 stays in force\n");
    EXPECT_EQ(told("", "spool: {max_disk: 1GiB, max_memory: 1MiB}\n"),
              "spool.max_disk: 1GiB needs a restart; 4GiB stays in force\n"
              "spool.max_memory: 1MiB needs a restart; 64MiB stays in force\n");
    EXPECT_EQ(told("", "ids: {machine: {datacenter: 3}}\n"),
              "ids.machine.datacenter: 3 needs a restart; 0 stays in force\n");
    EXPECT_EQ(told("", "log: {access_file: /tmp/x, max_buffer: 2MiB}\n"),
              "log.access_file: /tmp/x needs a restart; - stays in force\n"
              "log.max_buffer: 2MiB needs a restart; 1MiB stays in force\n");
}

TEST(KeysForRestart, OfTheAdminListenerSayHowToAskTheRunningProcess) {
    const std::string one = "admin: {address: \"127.0.0.1:9901\"}\n";
    EXPECT_EQ(told(one, "admin: {address: \"127.0.0.1:9902\"}\n"),
              "admin.address: 127.0.0.1:9902 needs a restart; 127.0.0.1:9901 stays in force; until "
              "the restart, add --admin 127.0.0.1:9901 to commands\n");
    EXPECT_EQ(told(one, ""),
              "admin: off needs a restart; 127.0.0.1:9901 stays in force; until the restart, add "
              "--admin 127.0.0.1:9901 to commands\n");
    EXPECT_EQ(told("", one), "admin: 127.0.0.1:9901 needs a restart; off stays in force\n");
    EXPECT_EQ(told(one, "admin: {address: \"127.0.0.1:9901\", max_connections: 5}\n"),
              "admin.max_connections: 5 needs a restart; 64 stays in force\n");
}

TEST(KeysForRestart, AreAllOfTheTlsBetweenReplicas) {
    const auto peer = [](const std::string& tls) {
        return "cluster: {name: c, store: {endpoints: [\"http://127.0.0.1:2\"]}, peer: {listen: "
               "\"127.0.0.1:3\", advertise: \"127.0.0.1:3\", secret: 0123456789abcdef" +
               tls + "}}\n";
    };
    const std::string tls = ", tls: {certificate: /a, key: /k, ca_file: ", one = tls + "/c}";
    EXPECT_EQ(told(peer(one), peer(one)), "");
    EXPECT_EQ(told(peer(""), peer(one)),
              "cluster.peer.tls: on needs a restart; off stays in force\n");
    EXPECT_EQ(told(peer(one), peer("")),
              "cluster.peer.tls: off needs a restart; on stays in force\n");
    EXPECT_EQ(told(peer(one), peer(tls + "/d, server_name: replica}")),
              "cluster.peer.tls.ca_file: /d needs a restart; /c stays in force\n"
              "cluster.peer.tls.server_name: replica needs a restart;  stays in force\n");
}

TEST(KeysForRestart, OfTheIdServiceKeepItsTokenSecret) {
    const std::string one = "id_service: {address: \"127.0.0.1:4444\", worker: 1, token: ";
    EXPECT_EQ(told("", one + "a}\n"),
              "id_service: 127.0.0.1:4444 needs a restart; off stays in force\n");
    EXPECT_EQ(told(one + "sesame}\n", one + "open}\n"),
              "id_service.token: the new value needs a restart; the old value stays in force\n");
    EXPECT_EQ(
        told(one + "a}\n", "id_service: {address: \"127.0.0.1:4445\", worker: 1, token: a}\n"),
        "id_service.address: 127.0.0.1:4445 needs a restart; 127.0.0.1:4444 stays in force\n");
}

}  // namespace
}  // namespace ticketgate
