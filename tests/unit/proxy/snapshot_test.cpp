// A config ready to serve: what applies to a path, with its gate and its upstream.
#include "proxy/snapshot.hpp"

#include <vector>

#include "configs.hpp"

namespace ticketgate {
namespace {

TEST(Snapshot, PathsHaveTheirRoute) {
    const Served served(shop);
    EXPECT_EQ(served.find("/shop")->gate->name(), "cart");
    EXPECT_EQ(served.find("/shop/stock/1")->gate->name(), "stock");
    EXPECT_EQ(served.find("/shop/stock/1")->settings.max_waiting, 3u);
    EXPECT_EQ(served.find("/static/x.css")->gate, nullptr);
    EXPECT_EQ(served.find("/shopping"), nullptr);
    EXPECT_EQ(served.find("/"), nullptr);
}

TEST(Snapshot, RoutesHaveTheirUpstream) {
    const Served served(shop);
    EXPECT_EQ(served.find("/shop")->upstream, served.snapshot->upstreams.at("app"));
    EXPECT_EQ(served.find("/static")->upstream, served.snapshot->upstreams.at("other"));
}

TEST(Snapshot, RegexRoutesApplyOnTopOfPrefixes) {
    const Served served(shop);
    const Route* php = served.find("/shop/stock/index.php");
    EXPECT_EQ(php->gate->name(), "stock");
    EXPECT_EQ(php->settings.wait_timeout, 7s);
    EXPECT_EQ(php->settings.max_waiting, 3u);
    EXPECT_EQ(served.find("/shop/stock/1")->settings.wait_timeout, 60s);
    EXPECT_EQ(served.find("/shop/a.json")->gate, nullptr);
    EXPECT_EQ(served.find("/any.php")->gate->name(), "cart");  // without any prefix route
}

TEST(Snapshot, EqualMatchesAreOneRoute) {
    const Served served(shop);
    EXPECT_EQ(served.find("/shop/a.php"), served.find("/shop/b.php"));
    EXPECT_EQ(served.find("/shop/a"), served.find("/shop/b"));
    EXPECT_NE(served.find("/shop/a.php"), served.find("/shop/stock/a.php"));
    EXPECT_NE(served.find("/shop/a.php"), served.find("/shop/a"));
}

TEST(Snapshot, RoutesOfOneQueueShareItsGate) {
    const Served served(shop);
    EXPECT_EQ(served.find("/shop")->gate, served.find("/any.php")->gate);
}

TEST(Snapshot, SkippedMethodsDoNotQueue) {
    const Served served(shop);
    const Route& route = *served.find("/shop/stock");
    const auto queues = [&](const Route& at, std::string_view method, const char* target = "/") {
        http::RequestHead head;
        head.method = method;
        head.target = target;
        return served.snapshot->queues(at, head);
    };
    EXPECT_TRUE(queues(route, "GET"));
    EXPECT_TRUE(queues(route, "POST"));
    EXPECT_FALSE(queues(route, "OPTIONS"));
    EXPECT_FALSE(queues(route, "HEAD"));
    EXPECT_TRUE(queues(route, "head"));  // methods are case-sensitive (RFC 9110 9.1)
    EXPECT_TRUE(queues(route, "HEAD", "/?_method=DELETE"));
    EXPECT_FALSE(queues(*served.find("/static"), "GET"));
    EXPECT_TRUE(queues(*served.find("/any.php"), "OPTIONS"));
}

TEST(Snapshot, IdNamesAreEverySpellingOnce) {
    const Served served("routes: [{prefix: /, upstream: app}]\n");
    EXPECT_EQ(served.snapshot->id_names, (std::vector<std::string>{"unique-id", "x-request-id"}));
}

TEST(Snapshot, TrustsTheProxiesOfTheConfig) {
    const Served served(
        "clients: {trusted_proxies: [\"10.0.0.0/8\"]}\n"
        "routes: [{prefix: /, upstream: app}]\n");
    EXPECT_TRUE(served.snapshot->trusted.contains("10.1.1.1"));
    EXPECT_FALSE(served.snapshot->trusted.contains("127.0.0.1"));
}

}  // namespace
}  // namespace ticketgate
