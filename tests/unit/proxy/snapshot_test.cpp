// A config ready to serve: the settings of a path, with its gate and its upstream.
#include "proxy/snapshot.hpp"

#include <algorithm>
#include <vector>

#include "configs.hpp"
#include "http/cgi_name.hpp"

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
    const auto php = served.find("/shop/stock/index.php");
    EXPECT_EQ(php->gate->name(), "stock");
    EXPECT_EQ(php->settings.wait_timeout, 7s);
    EXPECT_EQ(php->settings.max_waiting, 3u);
    EXPECT_EQ(served.find("/shop/stock/1")->settings.wait_timeout, 60s);
    EXPECT_EQ(served.find("/shop/a.json")->gate, nullptr);
    EXPECT_EQ(served.find("/any.php")->gate->name(), "cart");  // no prefix route matches
}

TEST(Snapshot, EqualMatchesAreOneRoute) {
    const Served served(shop);
    EXPECT_EQ(served.find("/shop/a.php"), served.find("/shop/b.php"));
    EXPECT_EQ(served.find("/shop/a"), served.find("/shop/b"));
    EXPECT_NE(served.find("/shop/a.php"), served.find("/shop/stock/a.php"));
    EXPECT_NE(served.find("/shop/a.php"), served.find("/shop/a"));
}

// A replica removes the headers of replicas from the requests of clients.
TEST(Snapshot, OfAReplicaRemovesEachHeaderOfReplicas) {
    const Snapshot snapshot(
        config_of("defaults: {upstream: app}\nroutes: [{prefix: /}]\n"
                  "cluster: {name: a, store: {endpoints: [\"http://127.0.0.1:1\"]}, "
                  "peer: {listen: \"127.0.0.1:2\", advertise: \"127.0.0.1:2\", "
                  "secret: 0123456789abcdef}}\n"),
        {}, {}, {}, {}, {});
    for (const auto name : {"Ticketgate-Forward", "Ticketgate-Place", "Ticketgate-Ask"})
        EXPECT_TRUE(std::ranges::count(snapshot.own_names, http::cgi_name(name))) << name;
}

// One regex route for each of 20 letters: a path matches the routes of its letters, so clients
// choose from 2^20 combinations. Each route has `settings`.
std::string letters(const std::string& top, const std::string& settings) {
    std::string text = top + "defaults: {upstream: app}\nroutes:\n";
    for (char c = 'a'; c < 'a' + 20; ++c)
        text += std::string("- {regex: '") + c + "', " + settings + "}\n";
    return text;
}
std::string path_of(unsigned combination) {
    std::string path = "/";
    for (unsigned bit = 0; bit < 20; ++bit)
        if ((combination >> bit & 1) != 0) path += static_cast<char>('a' + bit);
    return path;
}

TEST(Snapshot, CombinationsThatClientsChooseAreBounded) {
    const Served served(letters("route_cache: 50\n", "wait_timeout: 1s"));
    for (unsigned i = 1; i <= 500; ++i) {
        EXPECT_EQ(served.find(path_of(i))->settings.wait_timeout, 1s);
        EXPECT_LE(served.snapshot->combinations(), 50u);
    }
    EXPECT_EQ(served.snapshot->combinations(), 50u);
}

TEST(Snapshot, TheLeastRecentlyUsedCombinationIsEvictedFirst) {
    const Served served(letters("route_cache: 2\n", "wait_timeout: 1s"));
    const auto a = served.find("/a"), b = served.find("/b");
    EXPECT_EQ(served.find("/a"), a);
    (void)served.find("/c");
    EXPECT_EQ(served.find("/a"), a) << "was asked for after the other";
    EXPECT_NE(served.find("/b"), b);
    EXPECT_EQ(b->settings.wait_timeout, 1s) << "who has it keeps it";
}

TEST(Snapshot, TheBodyOfAnAnswerIsNeverCopied) {
    const Served served(letters("", "on_full: {body: \"" + std::string(40'000, 'x') + "\"}"));
    const std::string& first = served.find("/a")->settings.on_full.body->str();
    const std::string& again = served.find("/abc")->settings.on_full.body->str();
    EXPECT_EQ(first.size(), 40'000u);
    const auto& routes = served.snapshot->config.routes;
    EXPECT_EQ(&first, &routes[0].overrides.on_full.body.value->value().str());
    EXPECT_EQ(&again, &routes[2].overrides.on_full.body.value->value().str());
}

// Two lookups of one combination compare equal even if the cache forgot it in between.
TEST(Snapshot, PathsAreComparedByTheirMatches) {
    const Served served(letters("route_cache: 1\n", "wait_timeout: 1s"));
    EXPECT_FALSE(other_route(served.snapshot->index(), "/a%2Fq/b", "/a/q/b"));
    EXPECT_TRUE(other_route(served.snapshot->index(), "/a%2F../b", "/b"));
}

TEST(Snapshot, RoutesOfOneQueueShareItsGate) {
    const Served served(shop);
    EXPECT_EQ(served.find("/shop")->gate, served.find("/any.php")->gate);
}

TEST(Snapshot, SkippedMethodsDoNotQueue) {
    const Served served(shop);
    const auto found = served.find("/shop/stock");
    const Route& route = *found;
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

TEST(Snapshot, IdNamesHaveEverySpellingOnce) {
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
