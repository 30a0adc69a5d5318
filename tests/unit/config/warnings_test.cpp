#include "config/validate.hpp"
#include "loading.hpp"

namespace ticketgate::config {
namespace {

using Lines = std::vector<std::string>;

Lines warnings(const std::string& rest, const std::string& before = base) {
    const auto loaded = load(before + rest);
    EXPECT_TRUE(loaded.config);
    return printed(loaded.problems);
}

TEST(Warnings, NoneForDefaults) {
    EXPECT_EQ(warnings("routes: [{prefix: /, queue: a}]\n"), Lines{});
    EXPECT_EQ(warnings("routes: [{prefix: /, queue: a, wait_timeout: 10s}]\n"), Lines{});
    EXPECT_EQ(warnings("routes: [{prefix: /, wait_timeout: 5m}]\n"), Lines{}) << "not queued";
}

TEST(Warnings, LongerThanTheLoadBalancerWaits) {
    EXPECT_EQ(
        warnings("routes: [{prefix: /, queue: a, wait_timeout: 40s, response_timeout: 30s}]\n"),
        Lines{"c.yaml:4:32: warning: routes[0].wait_timeout: wait_timeout 40s and response_timeout "
              "30s make "
              "70s; nginx and most load balancers give up after 60s, so raise theirs as well"});
    EXPECT_EQ(warnings("routes: [{prefix: /, queue: a, wait_timeout: 90s}]\n").size(), 1u);
    EXPECT_EQ(warnings("routes: [{prefix: /, queue: a, wait_timeout: never}]\n").size(), 1u);
    EXPECT_EQ(
        warnings("routes: [{prefix: /, queue: a, wait_timeout: 90s, routes: [{prefix: /b}]}]\n")
            .size(),
        1u)
        << "once, where it is set";
}

TEST(Warnings, PrefixesThatWereMeantAsPatterns) {
    const auto told = [](const std::string& prefix) {
        return warnings("routes: [{prefix: \"" + prefix + "\", queue: a}]\n");
    };
    EXPECT_EQ(told("/shop/*"),
              Lines{"c.yaml:4:10: warning: routes[0].prefix: a prefix is not a pattern: only paths "
                    "with a literal * in this place match; write prefix: /shop, which also matches "
                    "all below /shop/"});
    for (const char* same : {"/shop*", "/shop/**", "/shop/.*", "/shop/*/"})
        EXPECT_NE(told(same).at(0).find("write prefix: /shop, which"), std::string::npos) << same;
    EXPECT_NE(told("/shop$").at(0).find("a literal $ in this place match; write prefix: /shop, "),
              std::string::npos);
    for (const char* all : {"/*", "/.*"})
        EXPECT_NE(told(all).at(0).find("write prefix: /, which matches everything"),
                  std::string::npos)
            << all;
    for (const char* inside : {"/*.php", "/shop/{id}", "/shop/:id/edit", "/a/*/b/*"})
        EXPECT_NE(told(inside).at(0).find("for a pattern write regex:"), std::string::npos)
            << inside;
    for (const char* good : {"/wiki/Special:All", "/a(b)", "/~me", "/a.php", "/$price/a"})
        EXPECT_EQ(told(good), Lines{}) << good;
}

TEST(Warnings, TunnelsThatBypass) {
    const auto told = warnings("routes: [{prefix: /, queue: a, tunnel: bypass}]\n");
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told[0].find("routes[0].tunnel: bypass lets any client past the line"),
              std::string::npos)
        << told[0];
    EXPECT_EQ(warnings("routes: [{prefix: /, tunnel: bypass}]\n"), Lines{}) << "not queued";
}

TEST(Warnings, MethodOverridesThatSkipTheQueue) {
    const std::string skip = "routes: [{prefix: /, queue: a, skip_methods: [GET]";
    EXPECT_EQ(warnings(skip + "}]\n"), Lines{});
    EXPECT_EQ(warnings(skip + ", method_override: remove}]\n"), Lines{});
    const auto told = warnings(skip + ", method_override: forward}]\n");
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told[0].find("routes[0].method_override: method_override: forward lets a client past "
                           "the line: a GET with X-HTTP-Method-Override or ?_method="),
              std::string::npos)
        << told[0];
    EXPECT_EQ(
        warnings("routes: [{prefix: /, method_override: forward, routes: [{regex: ^/b, queue: "
                 "a, skip_methods: [GET]}]}]\n")
            .size(),
        1u)
        << "once, where it takes effect";
    EXPECT_EQ(warnings("routes: [{prefix: /, skip_methods: [GET], method_override: forward}]\n"),
              Lines{})
        << "not queued";
    const auto posts = warnings("routes: [{prefix: /, queue: a, skip_methods: [POST]}]\n");
    ASSERT_EQ(posts.size(), 1u);
    EXPECT_NE(posts[0].find("routes[0].skip_methods: a POST may name another method as _method in "
                            "its body"),
              std::string::npos)
        << posts[0];
}

// What is said of a queued route, wherever the setting stands that matters there: `key` is its
// place.
void tells_once(const std::string& key, const std::string& what, const std::string& rest) {
    const auto loaded = load(base.substr(0, base.find("defaults")) + rest);
    EXPECT_TRUE(loaded.config) << rest;
    std::vector<std::string> keys;
    for (const Problem& problem : loaded.problems)
        if (problem.message.find(what) != std::string::npos) keys.push_back(problem.path);
    EXPECT_EQ(keys, Lines{key}) << rest;
}

TEST(Warnings, OfSettingsAroundTheRouteThatQueues) {
    const std::string forward = "lets a client past the line: a GET with";
    const std::string two = "routes: [{prefix: /a, queue: a}, {prefix: /b, queue: b}]\n";
    const auto defaults = [](const std::string& more) {
        return "defaults: {upstream: app, " + more + "}\n";
    };
    tells_once("defaults.method_override", forward,
               defaults("skip_methods: [GET], method_override: forward") + two);
    tells_once("defaults.skip_methods", "a POST may name another method",
               defaults("skip_methods: [GET, POST]") + two);
    tells_once("routes[0].method_override", forward,
               "routes: [{prefix: /, upstream: app, skip_methods: [GET], method_override: forward, "
               "routes: [{prefix: /a, queue: a}]}]\n");
    tells_once("routes[0].skip_methods", "a POST may name another method",
               "routes: [{prefix: /, upstream: app, skip_methods: [POST], routes: [{prefix: /a, "
               "routes: [{prefix: /a/b, queue: a}]}]}]\n");
    tells_once("defaults.method_override", forward,
               defaults("skip_methods: [GET], method_override: forward") +
                   "routes: [{regex: ^/a, queue: a}]\n");
    tells_once("defaults.tunnel", "past the line", defaults("tunnel: bypass") + two);
    tells_once("defaults.wait_timeout", "give up after 60s", defaults("wait_timeout: 5m") + two);
    tells_once("defaults.response_timeout", "give up after 60s",
               defaults("response_timeout: 5m") + two);
    EXPECT_EQ(warnings("defaults: {upstream: app, skip_methods: [POST], tunnel: bypass}\n"
                       "routes: [{prefix: /, queue: a, skip_methods: [], tunnel: release}]\n",
                       base.substr(0, base.find("defaults"))),
              Lines{})
        << "the route that queues has its own";
}

TEST(Warnings, PathHeadersThatSkipTheQueue) {
    const std::string both =
        "routes: [{prefix: /}, {prefix: /a, queue: a}, {regex: '^/[^/]+\\.php/?a', queue: a}]\n";
    const std::string passes = "clients: {path_headers: [X-Original-URL]}\n";
    EXPECT_EQ(warnings(both), Lines{});
    const auto told = warnings(both + passes);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told[0].find("clients.path_headers: lets X-Rewrite-URL pass: if the application"),
              std::string::npos)
        << told[0];
    EXPECT_EQ(warnings(both + "clients: {path_headers: [default, X-A]}\n"), Lines{});
    EXPECT_EQ(warnings("routes: [{prefix: /, queue: a}]\n" + passes), Lines{})
        << "one line for all";
}

TEST(Warnings, AddressHeadersWithoutTheBuiltInOnes) {
    const auto told = warnings("clients: {address_headers: [X-A]}\nroutes: [{prefix: /}]\n");
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told[0].find("write [default, X-A] to add to them"), std::string::npos) << told[0];
    EXPECT_EQ(warnings("clients: {address_headers: [X-A, default]}\nroutes: [{prefix: /}]\n"),
              Lines{});
    EXPECT_EQ(warnings("clients: {address_headers: []}\nroutes: [{prefix: /}]\n"), Lines{});
}

TEST(Warnings, AQueueWhoseNameLooksLikeOff) {
    EXPECT_EQ(warnings("routes: [{prefix: /, queue: none}]\n").size(), 1u);
    EXPECT_NE(warnings("routes: [{prefix: /, queue: None}]\n")
                  .at(0)
                  .find("None is the name of a queue here; to queue nothing, write queue: off"),
              std::string::npos);
    EXPECT_EQ(warnings("routes: [{prefix: /, queue: nonesuch}]\n"), Lines{});
    EXPECT_EQ(warnings("routes: [{prefix: /, queue: off}]\n"), Lines{});
}

// A queue that only routes name is allowed; a slip makes one that excludes nothing.
TEST(Warnings, AQueueWithNearlyTheNameOfAnother) {
    const auto told = [](const std::string& name) {
        return warnings(
            "queues: {shop: {}, a: {}}\nroutes: [{prefix: /, queue: shop}, {regex: ^/a, "
            "queue: a}, {regex: ^/b, queue: " +
            name + "}]\n");
    };
    for (const char* slip : {"shpo", "Shop", "shops", "shap"}) {
        const auto lines = told(slip);
        ASSERT_EQ(lines.size(), 1u) << slip;
        EXPECT_NE(lines[0].find("routes[2].queue: " + std::string(slip) +
                                " is a queue of its own with default settings; did you mean shop?"),
                  std::string::npos)
            << lines[0];
    }
    for (const char* other : {"b", "cart", "shop2", "shopping", "shop"})
        EXPECT_EQ(told(other), Lines{}) << other;
}

TEST(Notes, SayThatNothingIsQueued) {
    const auto noted = [](const std::string& routes) { return notes(*load(base + routes).config); };
    EXPECT_EQ(noted("routes: [{prefix: /, queue: a, tunnel: hold}]\n"), Lines{});
    EXPECT_EQ(noted("routes: [{prefix: /, routes: [{prefix: /a, queue: a, tunnel: hold}]}]\n"),
              Lines{});
    const Lines told = noted("routes: [{prefix: /}, {prefix: /a, queue: off}]\n");
    ASSERT_EQ(told.size(), 1u);
    EXPECT_TRUE(told[0].starts_with("nothing is queued")) << told[0];
}

// CONTRACT 2.9.
TEST(Notes, SayWhereATunnelRunsBesideItsQueue) {
    const auto noted = [](const std::string& routes) { return notes(*load(base + routes).config); };
    const std::string frees = ": tunnel: release: a WebSocket or an event stream gives its slot";
    const auto one = noted("routes: [{prefix: /, queue: a}]\n");
    ASSERT_EQ(one.size(), 1u);
    EXPECT_TRUE(one[0].starts_with("routes[0]" + frees)) << one[0];
    const auto two = noted(
        "routes: [{prefix: /, queue: a, tunnel: hold}, {prefix: /a, tunnel: release}, "
        "{prefix: /b, queue: off}, {prefix: /c, queue: c, tunnel: release}]\n");
    ASSERT_EQ(two.size(), 1u);
    EXPECT_TRUE(two[0].starts_with("routes[1] and others" + frees)) << two[0];
    EXPECT_EQ(noted("routes: [{prefix: /, queue: a, tunnel: bypass}]\n"), Lines{});
}

TEST(Warnings, RewritingRedirectsWhereThereIsNoPort) {
    const auto told = [](const std::string& upstream) {
        const auto loaded = load("listen: [{address: \"127.0.0.1:1\"}]\nupstreams: {b: {" +
                                 upstream + "}}\nroutes: [{prefix: /, upstream: b}]\n");
        EXPECT_TRUE(loaded.config);
        return loaded.problems.size();
    };
    EXPECT_EQ(told("url: \"unix:/a\", rewrite_location: true"), 1u);
    EXPECT_EQ(told("url: \"fastcgi://a\", fastcgi: {root: /a}, rewrite_location: false"), 1u);
    EXPECT_EQ(told("url: \"fastcgi://a\", fastcgi: {root: /a}"), 0u);
    EXPECT_EQ(told("url: \"http://a\", rewrite_location: false"), 0u);
}

TEST(Warnings, MoreThanOneInFlight) {
    EXPECT_EQ(warnings("queues: {a: {max_in_flight: 4}}\nroutes: [{prefix: /, queue: a}]\n"),
              Lines{"c.yaml:4:14: warning: queues.a.max_in_flight: more than 1 is not mutual "
                    "exclusion: up to 4 "
                    "requests run at once"});
}

TEST(Warnings, FailingOpen) {
    const std::string routes = "routes: [{prefix: /, queue: a}]\n";
    EXPECT_EQ(warnings("queues: {a: {hold_timeout: 5m, on_hold_timeout: release}}\n" + routes),
              Lines{"c.yaml:4:32: warning: queues.a.on_hold_timeout: release fails open: after 5m "
                    "a second request "
                    "runs beside the first; keep is the safe choice"});
    EXPECT_EQ(warnings("queues: {a: {on_hold_timeout: release}}\n" + routes),
              Lines{"c.yaml:4:14: warning: queues.a.on_hold_timeout: has no effect while "
                    "hold_timeout is never"});
}

TEST(Warnings, ClientLimitsTooLargeToProtect) {
    const std::string routes = "routes: [{prefix: /, queue: a}]\n";
    const auto only = [&](const std::string& clients) {
        const auto told = warnings("clients: {" + clients + "}\n" + routes);
        EXPECT_EQ(told.size(), 1u) << clients;
        return told.empty() ? std::string() : told[0];
    };
    EXPECT_EQ(only("head_timeout: 5m"),
              "c.yaml:4:11: warning: clients.head_timeout: 5m is long: a client that sends nothing "
              "keeps its connection for that time");
    EXPECT_NE(only("idle_timeout: 11m").find("idle clients"), std::string::npos);
    EXPECT_NE(only("write_timeout: 11m").find("reads nothing"), std::string::npos);
    EXPECT_NE(only("max_connections: 5, max_connections_per_client: 5").find("has no effect"),
              std::string::npos);
    EXPECT_NE(only("max_head: 1MiB").find("room for 48 heads"), std::string::npos);
    EXPECT_EQ(warnings("clients: {head_timeout: 1m, idle_timeout: 10m, write_timeout: 10m, "
                       "max_connections_per_client: 5}\n" +
                       routes),
              Lines{});
}

TEST(Warnings, BodyLimitsTooLargeToProtect) {
    const auto only = [&](const std::string& setting) {
        const auto told = warnings("routes: [{prefix: /, queue: a, " + setting + "}]\n");
        EXPECT_EQ(told.size(), 1u) << setting;
        return told.empty() ? std::string() : told[0];
    };
    EXPECT_EQ(only("body_min_rate: 0"),
              "c.yaml:4:32: warning: routes[0].body_min_rate: 0 lets a client keep a request open "
              "by sending a byte in each body_timeout");
    EXPECT_NE(only("body_timeout: 6m").find("during a body"), std::string::npos);
    EXPECT_NE(only("max_body: 5GiB").find("spool.max_disk is 4GiB"), std::string::npos);
    EXPECT_EQ(warnings("routes: [{prefix: /, max_body: 5GiB}]\n"), Lines{}) << "not spooled";
}

TEST(Warnings, LimitsThatRefuseAlmostEverybody) {
    const std::string routes = "routes: [{prefix: /, queue: a}]\n";
    const auto only = [&](const std::string& clients, const std::string& said) {
        const auto told = warnings("clients: {" + clients + "}\n" + routes);
        ASSERT_EQ(told.size(), 1u) << clients;
        EXPECT_NE(told[0].find(said), std::string::npos) << told[0];
    };
    only("head_timeout: 5ms", "clients.head_timeout: 5ms is short");
    only("idle_timeout: 99ms", "clients.idle_timeout: 99ms is short");
    only("write_timeout: 5ms", "clients.write_timeout: 5ms is short");
    only("max_requests: 1", "a connection of its own");
    only("max_uri: 64KiB", "clients.max_uri: has no effect: a whole head may have max_head 32KiB");
    only("trusted_proxies: [10.0.0.0/8, 0.0.0.0/0]", "0.0.0.0/0 trusts every IPv4 client");
    only("trusted_proxies: ['::/0']", "::/0 trusts every IPv6 client");
    only("trusted_proxies: [10.0.0.0/8, 0.0.0.0/1]", "0.0.0.0/1 trusts strangers");
    only("trusted_proxies: ['fc00::/7', '2000::/3']", "2000::/3 trusts strangers");
    EXPECT_EQ(warnings("clients: {head_timeout: 100ms, idle_timeout: 100ms, write_timeout: 100ms, "
                       "max_requests: 2, max_uri: 32KiB, trusted_proxies: [10.0.0.0/8]}\n" +
                       routes),
              Lines{});
}

TEST(Warnings, RouteLimitsThatRefuseAlmostEverybody) {
    const auto only = [&](const std::string& setting, const std::string& said) {
        const auto told = warnings("routes: [{prefix: /, queue: a, " + setting + "}]\n");
        ASSERT_EQ(told.size(), 1u) << setting;
        EXPECT_NE(told[0].find("c.yaml:4:32: warning: routes[0]." + said), std::string::npos)
            << told[0];
    };
    only("max_body: 0B", "max_body: 0B answers requests that have a body with 413, unless");
    only("body_min_rate: 2MiB", "body_min_rate: 2MiB a second is faster");
    only("body_timeout: 5ms", "body_timeout: 5ms is short");
    only("tunnel_timeout: 5ms", "tunnel_timeout: 5ms is short");
    only("connect_timeout: 61s", "connect_timeout: 61s is long");
    only("response_spool_max: 1KiB", "response_spool_max: 1KiB is small");
    only("hold_back_timeout: 21s", "hold_back_timeout: 21s is long");
    only("hold_back_timeout: 99ms", "hold_back_timeout: 99ms is short");
    EXPECT_EQ(warnings("routes: [{prefix: /, queue: a, max_body: 1KiB, body_min_rate: 1MiB, "
                       "body_timeout: 100ms, tunnel_timeout: 1s, connect_timeout: 1m, "
                       "response_spool_max: 64KiB, hold_back_timeout: 100ms}]\n"),
              Lines{});
    EXPECT_EQ(warnings("routes: [{prefix: /, response_spool_max: 1KiB}]\n"), Lines{})
        << "no slot to hold";
}

TEST(Warnings, LimitsOfAQueueInAnyPlace) {
    const std::string around = "routes: [{prefix: /, response_spool_max: 1KiB, max_body: 5GiB, ";
    EXPECT_EQ(warnings(around + "routes: [{regex: ^/a, queue: a}]}]\n").size(), 2u);
    EXPECT_EQ(warnings(around + "routes: [{regex: ^/a, queue: a, response_spool_max: 64KiB, "
                                "max_body: 1MiB}]}]\n"),
              Lines{})
        << "no queued route has them";
}

TEST(Warnings, ASpoolWithoutRoomForBodies) {
    const std::string none = "spool: {max_memory: 0B, max_disk: 0B}\n";
    const auto told = warnings(none + "routes: [{prefix: /, queue: a}]\n");
    ASSERT_EQ(told.size(), 1u);
    EXPECT_NE(told[0].find("a queued request that has one gets 503"), std::string::npos);
    EXPECT_EQ(warnings(none + "routes: [{prefix: /}]\n"), Lines{});
}

TEST(Warnings, AProxyProtocolWithoutTrustedProxies) {
    const std::string rest =
        "upstreams: {a: {url: \"http://a\"}}\nroutes: [{prefix: /, upstream: a}]\n";
    const auto told = [&](const std::string& first) {
        return printed(load(first + rest).problems);
    };
    EXPECT_EQ(told("listen: [{address: \"0.0.0.0:80\", proxy_protocol: true}]\n"),
              Lines{"c.yaml:1:34: warning: listen[0].proxy_protocol: accepts programs on this "
                    "machine only; list the proxies in front in clients.trusted_proxies"});
    EXPECT_EQ(told("listen: [{address: \"127.0.0.1:80\", proxy_protocol: true}]\n"), Lines{});
    EXPECT_EQ(told("listen: [{address: \"0.0.0.0:80\", proxy_protocol: true}]\n"
                   "clients: {trusted_proxies: [10.0.0.0/8]}\n"),
              Lines{});
}

TEST(Warnings, QueuesAndUpstreamsThatNoRouteUses) {
    EXPECT_EQ(warnings("queues: {a: {}}\nroutes: [{prefix: /}]\n"),
              Lines{"c.yaml:4:10: warning: queues.a: this queue is used by no route"});
    EXPECT_EQ(warnings("queues: {a: {}}\nroutes: [{regex: x, queue: a}]\n"), Lines{});
    const auto loaded = load(
        "listen: [{address: \"127.0.0.1:80\"}]\n"
        "upstreams: {a: {url: \"http://a\"}, b: {url: \"http://b\"}}\n"
        "routes: [{prefix: /, upstream: a}]\n");
    EXPECT_EQ(printed(loaded.problems),
              Lines{"c.yaml:2:35: warning: upstreams.b: this upstream is used by no route"});
}

TEST(Warnings, AnAdminListenerThatOthersCanReach) {
    EXPECT_EQ(warnings("routes: [{prefix: /}]\nadmin: {address: \"0.0.0.0:9901\"}\n"),
              Lines{"c.yaml:5:9: warning: admin.address: is reachable from other machines; metrics "
                    "and write actions "
                    "belong on 127.0.0.1, or behind a firewall"});
}

TEST(Warnings, ArrivalWithSlowUploads) {
    const std::string queue = "queues: {a: {order: arrival}}\n";
    EXPECT_EQ(
        warnings(queue + "routes: [{prefix: /, queue: a}, {prefix: /b, queue: a}]\n"),
        Lines{"c.yaml:4:14: warning: queues.a.order: arrival lets one slow upload stop the "
              "whole line for up to 1m, the wait_timeout of routes[0]; body_timeout ends only "
              "an upload that stops. Lower wait_timeout, or use order: ready; ticketgate "
              "release ends an upload that others wait for"});
    const auto slow = warnings(
        queue + "routes: [{prefix: /, queue: a, wait_timeout: never, body_timeout: 5s}]\n");
    ASSERT_FALSE(slow.empty());
    EXPECT_NE(slow[0].find("for up to 74h, as long as max_body takes at the body_min_rate of "
                           "routes[0]"),
              std::string::npos)
        << slow[0] << ": 128 MiB at 500 B a second";
    for (const char* const quick : {"wait_timeout: 5s", "max_body: 1KiB, body_timeout: 1s"})
        EXPECT_EQ(warnings(queue + "routes: [{prefix: /, queue: a, " + quick + "}]\n"), Lines{});
}

TEST(Warnings, PageWithoutTags) {
    EXPECT_EQ(
        warnings("routes: [{prefix: /, on_full: {page: busy.html}}]\n"),
        Lines{"c.yaml:4:32: warning: routes[0].on_full.page: is sent as HTML and has no tags; "
              "to name a file, write page_file"});
    EXPECT_EQ(warnings("routes: [{prefix: /, on_full: {page: \"<h1>Busy\"},\n"
                       "  on_wait_timeout: {page: off}, on_backend_error: {page: on}}]\n"),
              Lines{});
}

TEST(Warnings, BodyWithoutItsType) {
    EXPECT_EQ(warnings("routes: [{prefix: /, on_full: {body: \"<h1>busy\"}}]\n"),
              Lines{"c.yaml:4:32: warning: routes[0].on_full.body: is sent as "
                    "application/problem+json; set "
                    "content_type beside it"});
    EXPECT_EQ(warnings("routes: [{prefix: /, on_full: {body: \"x\", content_type: text/plain}}]\n"),
              Lines{});
}

}  // namespace
}  // namespace ticketgate::config
