// The section `cluster`: what it accepts, what it refuses, and its warnings.
#include <algorithm>

#include "loading.hpp"

namespace ticketgate::config {
namespace {

using Lines = std::vector<std::string>;

const std::string peer_settings =
    "listen: \"127.0.0.1:8081\", advertise: \"127.0.0.1:8081\", secret: 0123456789abcdef";
const std::string peer = "peer: {" + peer_settings + "}";

std::string with_store(const std::string& store) {
    return base + one_route + "cluster: {name: shop, store: {" + store + "}, " + peer + "}\n";
}

// But for the warning that a file shares no queue, as most of these do.
Lines told_of(const std::string& text) {
    Lines lines = printed(load(text).problems);
    std::erase_if(lines, [](const std::string& line) {
        return line.find("no queue is shared") != std::string::npos;
    });
    return lines;
}

Lines told(const std::string& store) {
    return told_of(with_store(store));
}

const std::string two = "endpoints: [\"http://127.0.0.1:1\", \"http://[::1]:2\"]";

TEST(Cluster, IsOffByDefault) {
    EXPECT_FALSE(good(base + one_route).cluster);
    EXPECT_FALSE(good(base + one_route + "cluster: off\n").cluster);
}

TEST(Cluster, HasANameAndAStore) {
    const Config config = good(
        with_store(two + ", username: u, password: \"${P}\", timeout: 300ms"), {{"P", "secret"}});
    ASSERT_TRUE(config.cluster);
    EXPECT_EQ(config.cluster->name, "shop");
    const ClusterStore& store = config.cluster->store;
    EXPECT_EQ(store.endpoints, (Lines{"http://127.0.0.1:1", "http://[::1]:2"}));
    EXPECT_EQ(store.username, "u");
    EXPECT_EQ(store.password, "secret");
    EXPECT_EQ(store.timeout, 300ms);
    EXPECT_EQ(told(two), Lines());
}

bool accepts(const std::string& name) {
    std::string text = base + one_route;
    text.append("cluster: {name: ").append(name).append(", store: {").append(two).append("}, ");
    text.append(peer).append("}\n");
    return load(text).config.has_value();
}

TEST(Cluster, RefusesOtherNames) {
    for (const auto* const name : {"Shop", "a_b", "a/b", "\"\"", "a.b"})
        EXPECT_FALSE(accepts(name)) << name;
    const std::string most(63, 'a');
    EXPECT_TRUE(accepts(most));
    EXPECT_FALSE(accepts(most + "a"));
}

TEST(Cluster, RefusesWhatIsNoEndpoint) {
    const auto complaint = [](const std::string& endpoints) {
        const auto lines = told("endpoints: " + endpoints);
        return lines.empty() ? std::string() : lines.front();
    };
    const std::string at = "c.yaml:5:42: cluster.store.endpoints: ";
    EXPECT_EQ(complaint("[]"), at + "expected 1 to 9 endpoints");
    EXPECT_EQ(complaint("[\"http://etcd\"]"), at + "\"http://etcd\": has no port; etcd's is 2379");
    EXPECT_EQ(complaint("[\"fastcgi://etcd:1\"]"),
              at + "\"fastcgi://etcd:1\": write http://host:port or https://host:port");
    EXPECT_EQ(complaint("[\"unix:/run/etcd\"]"),
              at + "\"unix:/run/etcd\": write http://host:port or https://host:port");
    EXPECT_EQ(complaint("[\"http://a:1\", \"http://a:1\"]"), at + "http://a:1 stands twice");
    EXPECT_NE(complaint("[\"http://u:p@etcd:1\"]").find("user name or password"),
              std::string::npos);
    EXPECT_NE(complaint("http://etcd:2379").find("a list such as"), std::string::npos);
}

TEST(Cluster, NeedsBothOfAPair) {
    EXPECT_EQ(told(two + ", username: u"),
              Lines{"c.yaml:5:84: cluster.store.username: needs password beside it"});
    EXPECT_EQ(told(two + ", password: p"),
              Lines{"c.yaml:5:84: cluster.store.password: needs username beside it"});
    const auto https = "endpoints: [\"https://a:1\", \"https://b:1\"]";
    EXPECT_EQ(told(https + std::string(", key: k")),
              Lines{"c.yaml:5:74: cluster.store.key: needs certificate beside it"});
}

TEST(Cluster, WarnsOfOneEndpointOpenPasswordsAndUselessFiles) {
    EXPECT_EQ(told("endpoints: [\"http://127.0.0.1:1\"]"),
              Lines{"c.yaml:5:31: warning: cluster.store.endpoints: has one endpoint: without that "
                    "node the lines stand; name all nodes"});
    const std::string far = "endpoints: [\"http://127.0.0.1:1\", \"http://etcd:1\"]";
    EXPECT_EQ(told(far), Lines());
    EXPECT_EQ(told(far + ", username: u, password: p"),
              Lines{"c.yaml:5:31: warning: cluster.store.endpoints: the password goes to "
                    "http://etcd:1 in plain text; use https"});
    EXPECT_EQ(told(two + ", username: u, password: p"), Lines());
    EXPECT_EQ(
        told(two + ", ca_file: ca"),
        Lines{"c.yaml:5:84: warning: cluster.store.ca_file: has no effect: no endpoint begins "
              "with https://"});
}

// ── peers and queues ──

std::string with_peer(const std::string& settings, const std::string& queue = "") {
    return base + one_route + "cluster: {name: shop, store: {" + two + "}, peer: {" + settings +
           "}}\n" + (queue.empty() ? "" : "queues: {app: {" + queue + "}}\n");
}

std::string first_problem(const std::string& text) {
    auto lines = told_of(text);
    std::ranges::stable_sort(lines, {}, [](const std::string& line) {
        return line.find(": warning: ") != std::string::npos;  // errors first
    });
    return lines.empty() ? std::string() : lines.front().substr(lines.front().find(": ") + 2);
}

TEST(ClusterPeer, NeedsAnAddressThatOthersReachAndASecret) {
    const std::string listen = "listen: \"0.0.0.0:8081\", ", secret = "secret: 0123456789abcdef";
    EXPECT_EQ(first_problem(with_peer(listen + "advertise: \"127.0.0.1:8081\", " + secret)), "");
    for (const auto& [advertised, why] : std::vector<std::pair<std::string, std::string>>{
             {"0.0.0.0:8081", "is no address that another machine can connect to"},
             {"web-1", "has no port"},
             {"http://web-1:8081", "write host:port, without http://"}})
        EXPECT_EQ(first_problem(with_peer(listen + "advertise: \"" + advertised + "\", " + secret)),
                  "cluster.peer.advertise: \"" + advertised + "\": " + why);
    EXPECT_EQ(first_problem(with_peer(listen + "advertise: \"a:1\", secret: short")),
              "cluster.peer.secret: is shorter than 16 characters; make one: openssl rand -hex 16");
    EXPECT_EQ(
        first_problem(with_peer("listen: \"unix:/x\", advertise: \"127.0.0.1:1\", " + secret)),
        "cluster.peer.listen: other machines cannot connect to a unix socket; write an "
        "address and port");
}

TEST(ClusterPeer, WarnsOfPlainTextBetweenMachines) {
    EXPECT_EQ(first_problem(with_peer("listen: \"0.0.0.0:8081\", advertise: \"web-1:8081\", "
                                      "secret: 0123456789abcdef")),
              "warning: cluster.peer.advertise: the secret and the requests go between machines in "
              "plain text; write peer.tls, unless the network is closed to others");
}

TEST(ClusterPeer, MaySpeakTls) {
    const std::string far =
        "listen: \"0.0.0.0:8081\", advertise: \"web-1:8081\", secret: 0123456789abcdef, tls: ";
    const std::string text =
        with_peer(far + "{certificate: one.pem, key: /k, ca_file: ca.pem, server_name: replica}");
    EXPECT_EQ(first_problem(text), "");
    const ClusterPeer its = good(text).cluster->peer;
    ASSERT_TRUE(its.tls);
    EXPECT_EQ(its.tls->key, "/k");
    EXPECT_TRUE(its.tls->certificate.ends_with("one.pem"));
    EXPECT_EQ(its.tls->server_name, "replica");
    const Listen listen = peer_listener(its);
    ASSERT_TRUE(listen.tls);
    EXPECT_EQ(listen.tls->client_auth, ClientAuth::required);
    EXPECT_EQ(listen.tls->client_ca, its.tls->ca_file);
    const Upstream upstream = peer_upstream(its, "[::1]:8081");
    EXPECT_TRUE(upstream.https && upstream.tls.verify);
    EXPECT_EQ(upstream.host, "::1");
    EXPECT_EQ(upstream.tls.ca_file, its.tls->ca_file);
    EXPECT_EQ(upstream.tls.certificate, its.tls->certificate);
    EXPECT_EQ(upstream.tls.server_name, "replica");
}

TEST(ClusterPeer, NeedsAllFilesOfItsTls) {
    const std::string near =
        "listen: \"127.0.0.1:1\", advertise: \"127.0.0.1:1\", secret: 0123456789abcdef, tls: ";
    for (const auto& [given, missing] : std::vector<std::pair<std::string, std::string>>{
             {"{key: k, ca_file: c}", "certificate"},
             {"{certificate: p, ca_file: c}", "key"},
             {"{certificate: p, key: k}", "ca_file"}}) {
        const auto told = first_problem(with_peer(near + given));
        EXPECT_TRUE(told.starts_with("cluster.peer.tls." + missing + ": is missing")) << told;
    }
}

TEST(ClusteredQueue, NeedsAClusterAndAWordAboutLostRequests) {
    EXPECT_EQ(
        first_problem(base + one_route + "queues: {app: {cluster: true, hold_timeout: 1m}}\n"),
        "queues.app.cluster: needs the section cluster: its store, and how replicas reach "
        "each other");
    EXPECT_EQ(first_problem(with_peer(peer_settings, "cluster: true")),
              "queues.app.cluster: write hold_timeout beside it, if only never: how long may a "
              "request of a lost replica still run?");
    EXPECT_EQ(first_problem(base + one_route + "queues: {app: {token: X-Fence}}\n"),
              "queues.app.token: has no effect without cluster: true");
    const Config config = good(with_peer(
        peer_settings, "cluster: true, token: off, hold_timeout: 1m, on_hold_timeout: release"));
    EXPECT_TRUE(config.queues.at("app").cluster);
    EXPECT_FALSE(config.queues.at("app").token);
}

bool warns_that_none_is_shared(const std::string& text) {
    const auto lines = printed(load(text).problems);
    return std::ranges::find(
               lines,
               "c.yaml:5:1: warning: cluster: no queue is shared: each replica has "
               "lines of its own; write cluster: true on the queues that all replicas "
               "shall share") != lines.end();
}

TEST(ClusteredQueue, IsMissedInAClusterWithoutOne) {
    EXPECT_TRUE(warns_that_none_is_shared(with_peer(peer_settings)));
    EXPECT_TRUE(warns_that_none_is_shared(with_peer(peer_settings, "max_in_flight: 1")));
    EXPECT_FALSE(
        warns_that_none_is_shared(with_peer(peer_settings, "cluster: true, hold_timeout: 1m")));
    EXPECT_FALSE(warns_that_none_is_shared(base + one_route + "cluster: off\n"));
}

std::string told_of_token(const std::string& name, const std::string& more = "") {
    const std::string queue = "cluster: true, hold_timeout: never, token: " + name;
    return first_problem(with_peer(peer_settings, queue) + more);
}

TEST(ClusteredQueue, HasItsNumberInAHeaderOfItsOwn) {
    for (const auto* const name : {"Host",
                                   "content-length",
                                   "Transfer_Encoding",
                                   "Connection",
                                   "Keep-Alive",
                                   "TE",
                                   "Trailer",
                                   "Upgrade",
                                   "Expect",
                                   "Cookie",
                                   "Authorization",
                                   "User-Agent",
                                   "X-Forwarded-For",
                                   "X-Forwarded-Any",
                                   "X-Real-IP",
                                   "Forwarded",
                                   "Via",
                                   "Fencing-Queue",
                                   "Ticketgate-Forward",
                                   "traceparent"})
        EXPECT_EQ(told_of_token(name), "queues.app.token: " + std::string(name) +
                                           " has another meaning; choose another header");
    EXPECT_TRUE(told_of_token("X-Fence").starts_with("warning: ")) << told_of_token("X-Fence");
}

TEST(ClusteredQueue, HasItsNumberInNoHeaderOfAnId) {
    const std::string why = "; a backend cannot tell them apart";
    EXPECT_EQ(told_of_token("X_Request-ID"),
              "queues.app.token: X_Request-ID is also a header of ids.request_id" + why);
    EXPECT_EQ(told_of_token("X-T", "ids: {other: {trace: {header: x-t}}}\n"),
              "queues.app.token: X-T is also a header of ids.other.trace" + why);
    EXPECT_EQ(told_of_token("Fencing-Token", "ids: {other: {a: {header: Fencing-Token}}}\n"),
              "queues.app.token: Fencing-Token is also a header of ids.other.a" + why);
}

TEST(ClusteredQueue, SharesItsHeaderWithOtherQueues) {
    const std::string queue = "{cluster: true, hold_timeout: 1m}";
    EXPECT_TRUE(load(base + one_route + "cluster: {name: shop, store: {" + two + "}, " + peer +
                     "}\nqueues: {app: " + queue + ", other: " + queue + "}\n")
                    .config);
}

}  // namespace
}  // namespace ticketgate::config
