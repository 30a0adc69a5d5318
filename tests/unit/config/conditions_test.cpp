// Conditions of routes beside their paths: host, listener, methods, from, header.
#include "config/conditions.hpp"

#include <random>
#include <tuple>

#include "config/dump.hpp"
#include "config/networks.hpp"
#include "config/route_index.hpp"
#include "loading.hpp"

namespace ticketgate::config {
namespace {

class Facts final : public Circumstances {
 public:
    std::string client() const override { return ip; }
    const HeaderReadings& header(std::string_view name) const override {
        readings = {};
        for (const auto& [one, value] : fields)
            if (one == name) readings.values.push_back(value);
        readings.may_be_absent = folded && !readings.values.empty();
        return readings;
    }
    std::string ip = "192.0.2.1";
    std::vector<std::pair<std::string, std::string>> fields;
    bool folded = false;  // some field has another spelling
    mutable HeaderReadings readings;
};

const std::string two_listeners =
    "listen: [{address: \"127.0.0.1:80\", name: web}, {address: \"127.0.0.1:81\", name: inner}]\n"
    "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n"
    "defaults: {upstream: app}\n";

struct Site {
    explicit Site(const std::string& routes) : index(good(two_listeners + "routes:\n" + routes)) {}

    std::string routes(Asked asked) const {
        asked.circumstances = &facts;
        const auto match = index.match(asked);
        std::string out = match.unclear ? "unclear " : "";
        for (const RouteNode* route : index.routes(match))
            out += std::to_string(route->mark.line - 4);
        return out;
    }
    std::string at(std::string_view host, std::string_view path = "/") const {
        return routes({.path = path, .host = host, .method = "GET", .listener = "web"});
    }
    RouteIndex index;
    Facts facts;
};

TEST(Conditions, HostsAreComparedWithoutCasePortAndLastDot) {
    const Site site("- {prefix: /, host: a.example.org}\n- {prefix: /, host: \"[::1]\"}\n");
    for (const char* host : {"a.example.org", "A.Example.ORG", "a.example.org.", "a.example.org:80",
                             "a.example.org.:80"})
        EXPECT_EQ(site.at(host), "1") << host;
    for (const char* host : {"[::1]", "[::1]:80", "[0:0:0:0:0:0:0:1]", "[0::1]:8080"})
        EXPECT_EQ(site.at(host), "2") << host;
    for (const char* host : {"", "b.example.org", "example.org", "x.a.example.org",
                             "a.example.org.evil", "[::2]", "xa.example.org"})
        EXPECT_EQ(site.at(host), "") << host;
}

TEST(Conditions, WiderHostsApplyBeforeNarrowerOnes) {
    const Site site(
        "- {prefix: /, host: a.b.example.org}\n- {prefix: /, host: \"*.b.example.org\"}\n"
        "- {prefix: /, host: \"*.example.org\"}\n- prefix: /\n- {prefix: /x, host: "
        "a.b.example.org}\n"
        "- prefix: /x/y\n");
    EXPECT_EQ(site.at("a.b.example.org"), "4321");
    EXPECT_EQ(site.at("a.b.example.org", "/x/y"), "432156");
    EXPECT_EQ(site.at("a.b.example.org", "/x"), "43215");
    EXPECT_EQ(site.at("c.b.example.org", "/x/y"), "4326");
    EXPECT_EQ(site.at("c.d.b.example.org"), "432");
    EXPECT_EQ(site.at("b.example.org"), "43");
    EXPECT_EQ(site.at("example.org"), "4");
    EXPECT_EQ(site.at(std::string(5000, 'x') + ".example.org"), "43");
    EXPECT_EQ(site.at("*", "*"), "4");
}

TEST(Conditions, ANestedRouteNeedsThoseOfItsParents) {
    const Site site(
        "- host: [a.example.org, \"*.b.example.org\"]\n  methods: [GET, POST]\n  routes:\n"
        "  - {methods: [POST, PUT]}\n  - {prefix: /x, host: c.b.example.org}\n"
        "  - {regex: '[.]php$', listener: inner}\n");
    const auto ask = [&](const char* host, const char* method, const char* path,
                         const char* listener = "web") {
        return site.routes({.path = path, .host = host, .method = method, .listener = listener});
    };
    EXPECT_EQ(ask("a.example.org", "GET", "/"), "1");
    EXPECT_EQ(ask("a.example.org", "HEAD", "/"), "1") << "GET stands for HEAD";
    EXPECT_EQ(ask("a.example.org", "POST", "/"), "14");
    EXPECT_EQ(ask("a.example.org", "PUT", "/"), "");
    EXPECT_EQ(ask("a.example.org", "POST", "/x"), "14");
    EXPECT_EQ(ask("c.b.example.org", "GET", "/x/y"), "15");
    EXPECT_EQ(ask("d.b.example.org", "GET", "/x/y"), "1");
    EXPECT_EQ(ask("a.example.org", "GET", "/a.php"), "1");
    EXPECT_EQ(ask("a.example.org", "GET", "/a.php", "inner"), "16");
    EXPECT_EQ(ask("z.example.org", "GET", "/a.php", "inner"), "");
}

TEST(Conditions, FewerConditionsApplyFirstThenTheOrderOfTheFile) {
    const Site site(
        "- {prefix: /, methods: [POST], listener: web}\n- {prefix: /, methods: [POST]}\n"
        "- {prefix: /, methods: [POST, PUT]}\n- prefix: /\n");
    EXPECT_EQ(site.routes({.path = "/", .method = "POST", .listener = "web"}), "4231");
    EXPECT_EQ(site.routes({.path = "/", .method = "PUT", .listener = "web"}), "43");
}

TEST(Conditions, ClientsAreComparedByNetwork) {
    Site site("- {from: [10.0.0.0/8, \"2001:db8::/33\", 192.0.2.7, unix]}\n");
    const auto from = [&](const char* ip) {
        site.facts.ip = ip;
        return !site.at("a").empty();
    };
    for (const char* ip :
         {"10.1.2.3", "10.255.255.255", "192.0.2.7", "2001:db8:7fff::1", "unix", "::ffff:10.0.0.1"})
        EXPECT_TRUE(from(ip)) << ip;
    for (const char* ip : {"11.0.0.0", "192.0.2.6", "2001:db8:8000::1", "::a00:1", "", "bad"})
        EXPECT_FALSE(from(ip)) << ip;
}

TEST(Conditions, HeadersWithSeveralReadingsAreUnclear) {
    Site site(
        "- prefix: /\n- {header: {X-Kind: api}}\n- {header: {X-Kind: {regex: '^a'}}}\n"
        "- {header: {X-Kind: {present: true}}}\n- {header: {X-Kind: {present: false}}}\n");
    const auto with = [&](std::vector<std::string> values, bool folded = false) {
        site.facts.fields.clear();
        for (auto& value : values) site.facts.fields.emplace_back("X-Kind", std::move(value));
        site.facts.folded = folded;
        return site.at("a");
    };
    EXPECT_EQ(with({}), "15");
    EXPECT_EQ(with({"api"}), "1234");
    EXPECT_EQ(with({"abc"}), "134");
    EXPECT_EQ(with({"web"}), "14");
    EXPECT_EQ(with({"web", "other"}), "14");
    EXPECT_TRUE(with({"api", "api"}).starts_with("unclear")) << "joined, they are \"api, api\"";
    EXPECT_TRUE(with({"api", "web"}).starts_with("unclear"));
    EXPECT_TRUE(with({"api"}, true).starts_with("unclear")) << "some servers see none";
    EXPECT_TRUE(with({"web"}, true).starts_with("unclear")) << "present or not";
}

TEST(Conditions, AreSpelledAsTheyAreWritten) {
    const auto config = good(two_listeners +
                             "routes: [{host: A.Example.org., methods: [GET, POST], from: "
                             "[10.0.0.0/8], listener: web, header: {X-Kind: api}}]\n");
    EXPECT_EQ(text_of(config.routes[0].when),
              "host a.example.org, listener web, methods [GET, POST], from 10.0.0.0/8, header "
              "X-Kind: \"api\"");
    EXPECT_EQ(config.routes[0].prefix, "/");
}

std::string told(const std::string& routes) {
    std::string out, yaml = two_listeners + "routes:\n";
    yaml += routes;
    for (const auto& line : printed(load(yaml).problems)) out.append(line).append("\n");
    return out;
}

TEST(Conditions, ErrorsSayWhatToWrite) {
    const std::pair<const char*, const char*> table[]{
        {"host: http://a.example.org/x", "a host has no scheme; write a.example.org"},
        {"host: \"a.example.org:8080\"", "ports are not compared; write a.example.org"},
        {"host: a.example.org/x", "write a.example.org and prefix: /x"},
        {"host: \"*\"", "leave host out"},
        {"host: \"a.*.org\"", "at the front only"},
        {"host: ä.example.org", "xn--"},
        {"host: []", "is empty"},
        {"host: a b", "not a host name"},
        {"listener: wep", "unknown listener wep; did you mean web?"},
        {"methods: [post]", "upper case"},
        {"methods: []", "is empty"},
        {"methods: [\"*\"]", "for every method leave methods out"},
        {"skip_methods: [ALL]", "write queue: off in place of skip_methods"},
        {"from: [10.0.0.0/33]", "not an address or network"},
        {"header: {Host: a}", "write host: instead"},
        {"header: {X_Forwarded_For: a}", "write from: or listener:"},
        {"header: {X_Real_IP: a}", "clients.address_headers); write from: or listener:"},
        {"header: {X-Original-URL: /a}", "clients.path_headers); write prefix: or regex:"},
        {"header: {X-Request-Id: {present: true}}", "the backend gets ticketgate's own (ids)"},
        {"header: {Connection: close}", "describes the message"},
        {"header: {X-Kind: {regex: '('}}", "is not a regular expression"},
        {"header: {X-Kind: {like: a}}", "{regex: PATTERN}"},
        {"header: {}", "is empty"},
    };
    for (const auto& [key, why] : table) {
        const auto out = told(std::string("- {prefix: /, ") + key + "}\n");
        EXPECT_NE(out.find(why), std::string::npos) << key << "\n" << out;
    }
}

// Habits of servers whose patterns match other things than the path.
TEST(Conditions, TellsOfPatternsThatMatchNoPath) {
    const std::pair<const char*, const char*> table[]{
        {"'^a\\.php'", "never matches: a path begins with /"},
        {"'^https?://'", "never matches: a path begins with /"},
        {"'^//a'", "never matches: // becomes / in every path"},
        {"'~ ^/a'", "has a blank"},
        {"'POST /a'", "has a blank"},
        {"'^/a\\?b'", "queries are not matched"},
    };
    for (const auto& [pattern, why] : table) {
        const auto out = told(std::string("- {regex: ") + pattern + "}\n");
        EXPECT_NE(out.find(why), std::string::npos) << pattern << "\n" << out;
    }
    for (const char* pattern :
         {"'^/a$'", "'^(/[^./]+)*/b'", "'^.*a'", "'^/?a'", "'a'", "'(?i)^/a'"})
        EXPECT_EQ(told(std::string("- {regex: ") + pattern + "}\n"), "") << pattern;
    EXPECT_EQ(told("- {prefix: /, header: {X-Kind: {regex: 'a b\\?'}}}\n"), "");
}

TEST(Conditions, WarnsOfRoutesThatNeverApplyOrChangeNothing) {
    EXPECT_NE(told("- {host: a.org, routes: [{host: b.org}]}\n").find("never applies"),
              std::string::npos);
    EXPECT_NE(told("- {methods: [POST], routes: [{methods: [GET]}]}\n").find("never applies"),
              std::string::npos);
    EXPECT_NE(told("- {methods: [TRACE]}\n").find("never applies"), std::string::npos);
    EXPECT_NE(told("- {methods: [PSOT]}\n").find("did you mean POST?"), std::string::npos);
    EXPECT_NE(told("- {methods: [POST], queue: a}\n- {methods: [POST, PUT], queue: b}\n")
                  .find("has no effect: the route in line 6"),
              std::string::npos);
    EXPECT_EQ(
        told("- {methods: [POST], queue: a}\n- {methods: [GET], queue: b}\n").find("no effect"),
        std::string::npos);
    EXPECT_NE(told("- {host: a.org}\n- {host: A.org}\n").find("stands twice"), std::string::npos);
    EXPECT_NE(told("- prefix: /\n- {host: a.org, queue: a}\n")
                  .find("a request with another Host than a.org"),
              std::string::npos);
    EXPECT_EQ(told("- {host: a.org, queue: a}\n- {host: b.org, queue: b}\n"), "");
}

TEST(Conditions, ThatCannotBeReadMakeNoTwinsOfRoutes) {
    for (const char* const routes : {"- prefix: /a\n- {prefix: /a, host: \"a b\"}\n",
                                     "- prefix: /a\n- {prefix: /a, hosts: a.org}\n",
                                     "- {prefix: /, routes: [{prefix: /a}]}\n"
                                     "- {prefix: /, hosts: a.org, routes: [{prefix: /a}]}\n"}) {
        const auto lines = told(routes);
        EXPECT_EQ(std::ranges::count(lines, '\n'), 1) << lines;
        EXPECT_EQ(lines.find("stands twice"), std::string::npos) << lines;
    }
}

TEST(Conditions, ARouteWithoutAHostPastTheQueueOfASiteIsWarnedAbout) {
    const std::string site = "- {host: a.org, queue: a}\n";
    for (const char* route : {"- {prefix: /api}\n", "- {methods: [POST]}\n",
                              "- {prefix: /api, queue: b}\n", "- {regex: ^/x}\n"})
        for (const std::string& text : {site + route, route + site})
            EXPECT_NE(
                told(text).find("goes to the same upstream app by this route, and not through "
                                "queue a"),
                std::string::npos)
                << text;
    EXPECT_EQ(told(site + "- {prefix: /api, queue: a}\n"), "");
    EXPECT_EQ(told(site + "- {host: b.org, prefix: /api, queue: b}\n"), "");
}

TEST(Conditions, AnUpstreamIsInheritedOnlyWhereItSurelyApplies) {
    const auto told_of = [](const std::string& routes) {
        std::string out;
        for (const auto& line :
             printed(load("listen: [{address: \"127.0.0.1:80\"}]\n"
                          "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\nroutes:\n" +
                          routes)
                         .problems))
            out += line + "\n";
        return out;
    };
    EXPECT_EQ(told_of("- {prefix: /, upstream: app}\n- {methods: [POST], queue: q}\n"), "");
    EXPECT_EQ(told_of("- {host: \"*.a.org\", upstream: app}\n- {host: b.a.org, prefix: /x}\n"), "");
    EXPECT_NE(told_of("- {host: a.org, upstream: app}\n- {prefix: /x}\n").find("no upstream"),
              std::string::npos);
    EXPECT_NE(told_of("- {methods: [POST], upstream: app}\n- {prefix: /x}\n").find("no upstream"),
              std::string::npos);
}

// ── the fast search against the obvious one ──

const char* const names[]{"a.org",   "b.org",     "c.a.org", "d.c.a.org", "*.org",
                          "*.a.org", "*.c.a.org", "*.x.org", "[::1]"};
const char* const methods[]{"GET", "POST", "PUT"};

struct Draw {
    std::mt19937 random;
    std::size_t below(std::size_t n) { return random() % n; }
    template <class Items>
    std::vector<std::string> some(const Items& items) {
        std::vector<std::string> out;
        for (const auto& item : items)
            if (below(3) == 0) out.emplace_back(item);
        return out;
    }
    std::string path(std::size_t longest) {
        std::string out = "/";
        for (std::size_t i = below(longest); i > 0; --i)
            out += "/ab-"[out.back() == '/' ? 1 + below(3) : below(4)];
        return out;
    }
};

Config drawn(Draw& draw) {
    Config config;
    for (std::size_t i = 0; i < 14; ++i) {
        RouteNode route;
        if (i > 0 && draw.below(3) == 0) {
            const auto outer = draw.below(i);
            if (!config.routes[outer].is_regex()) route.parent = static_cast<int>(outer);
        }
        const std::string around =
            route.parent < 0 ? "/" : config.routes[static_cast<std::size_t>(route.parent)].prefix;
        if (draw.below(6) == 0)
            route.regex = "b$";
        else
            route.prefix = draw.below(2) == 0 ? around
                                              : (around.ends_with('/') ? around : around + "/") +
                                                    draw.path(4).substr(1);
        if (draw.below(2) == 0) route.when.hosts = draw.some(names);
        if (draw.below(3) == 0) route.when.methods = draw.some(methods);
        if (draw.below(5) == 0) route.when.listeners = {draw.below(2) == 0 ? "web" : "inner"};
        if (draw.below(6) == 0) route.when.from = {"10.0.0.0/8"};
        if (draw.below(6) == 0) route.when.headers = {{.name = "X-Kind", .text = "api"}};
        route.path = std::to_string(i);
        config.routes.push_back(std::move(route));
    }
    return config;
}

// Each route with those around it, one condition after the other.
bool obvious(const Config& config, std::size_t i, const Asked& asked, const Facts& facts) {
    const RouteNode& route = config.routes[i];
    const Conditions& when = route.when;
    const auto any = [](const auto& list, auto fits) {
        return list.empty() || std::ranges::any_of(list, fits);
    };
    const bool path =
        route.is_regex() ? asked.path.ends_with('b') : encloses(route.prefix, asked.path);
    return path && any(when.hosts, [&](auto& host) { return covers_host(host, asked.host); }) &&
           any(when.methods, [&](auto& one) { return covers_method(one, asked.method); }) &&
           any(when.listeners, [&](auto& one) { return one == asked.listener; }) &&
           (when.from.empty() || facts.ip.starts_with("10.")) &&
           (when.headers.empty() || !facts.fields.empty()) &&
           (route.parent < 0 ||
            obvious(config, static_cast<std::size_t>(route.parent), asked, facts));
}

// Where a route stands in the order.
auto place(const RouteIndex& index, const Config& config, std::size_t i, std::string_view host) {
    std::size_t narrow = 0;
    const Conditions& when = *index.conditions(i);
    for (const auto& pattern : when.hosts)
        if (covers_host(pattern, host))
            narrow = std::max(narrow, pattern.starts_with('*') ? pattern.size() : 1000);
    const RouteNode& route = config.routes[i];
    return route.is_regex() ? std::tuple(true, 0ul, 0ul, 0ul, i)
                            : std::tuple(false, route.prefix.size(), narrow, when.others(), i);
}

TEST(Conditions, AgreeWithTheObviousSearch) {
    Draw draw{std::mt19937(7)};
    const char* const hosts[]{"a.org", "b.org",   "c.a.org", "d.c.a.org", "e.d.c.a.org",
                              "x.org", "y.x.org", "[::1]",   "",          "net"};
    std::size_t matched = 0;
    for (int round = 0; round < 300; ++round) {
        const Config config = drawn(draw);
        const RouteIndex index(config);
        for (int i = 0; i < 60; ++i) {
            Facts facts;
            facts.ip = draw.below(2) == 0 ? "10.0.0.1" : "192.0.2.1";
            if (draw.below(2) == 0) facts.fields = {{"X-Kind", "api"}};
            const std::string path = draw.path(8);
            const Asked asked{.path = path,
                              .host = hosts[draw.below(std::size(hosts))],
                              .method = methods[draw.below(3)],
                              .listener = draw.below(2) == 0 ? "web" : "inner",
                              .circumstances = &facts};
            std::vector<std::size_t> found, expected;
            for (const RouteNode* route : index.routes(index.match(asked)))
                found.push_back(std::stoul(route->path));
            for (std::size_t at = 0; at < config.routes.size(); ++at)
                if (obvious(config, at, asked, facts)) expected.push_back(at);
            std::ranges::sort(expected, {},
                              [&](std::size_t at) { return place(index, config, at, asked.host); });
            matched += expected.size();
            ASSERT_EQ(found, expected) << asked.host << " " << path << " round " << round;
        }
    }
    EXPECT_GT(matched, 10000u) << "or the draw is too narrow to show anything";
}

}  // namespace
}  // namespace ticketgate::config
