// The section `cluster`: what it accepts, what it refuses, and its warnings.
#include "loading.hpp"

namespace ticketgate::config {
namespace {

using Lines = std::vector<std::string>;

std::string with_store(const std::string& store) {
    return base + one_route + "cluster: {name: shop, store: {" + store + "}}\n";
}

Lines told(const std::string& store) {
    return printed(load(with_store(store)).problems);
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
    text.append("cluster: {name: ").append(name).append(", store: {").append(two).append("}}\n");
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

}  // namespace
}  // namespace ticketgate::config
