#include "config/route_index.hpp"

#include <random>

#include "loading.hpp"

namespace ticketgate::config {
namespace {

// A config of these routes. Route N sets wait_timeout to N ms, so the result shows which one won.
Config config_of(const std::string& routes) {
    return good(base + "routes:\n" + routes);
}

std::vector<std::string> names(const RouteIndex& index, std::string_view path) {
    std::vector<std::string> out;
    for (const RouteNode* route : index.routes(index.match(path)))
        out.push_back(route->is_regex() ? "~" + route->regex : route->prefix);
    return out;
}

using Names = std::vector<std::string>;

TEST(RouteIndex, MatchesWholeSegments) {
    const RouteIndex index(
        config_of("- prefix: /a\n- prefix: /a/b/\n- prefix: /a-b\n- prefix: /x.y\n"));
    EXPECT_EQ(names(index, "/a"), Names{"/a"});
    EXPECT_EQ(names(index, "/a/"), Names{"/a"});
    EXPECT_EQ(names(index, "/a/z"), Names{"/a"});
    EXPECT_EQ(names(index, "/a/b"), Names{"/a"});
    EXPECT_EQ(names(index, "/a/b/"), (Names{"/a", "/a/b/"}));
    EXPECT_EQ(names(index, "/a/b/c"), (Names{"/a", "/a/b/"}));
    EXPECT_EQ(names(index, "/ab"), Names{});
    EXPECT_EQ(names(index, "/a-b/c"), Names{"/a-b"});
    EXPECT_EQ(names(index, "/a-"), Names{});
    EXPECT_EQ(names(index, "/x.y"), Names{"/x.y"});
    EXPECT_EQ(names(index, "/"), Names{});
    EXPECT_EQ(names(index, "*"), Names{});
    EXPECT_EQ(names(index, ""), Names{});
}

TEST(RouteIndex, EnclosesByWholeSegments) {
    struct Row {
        std::string_view path, prefix;
        bool matches;
    };
    const Row table[] = {
        {"/a", "/a", true},       {"/a/", "/a", true},      {"/a/b", "/a", true},
        {"/ab", "/a", false},     {"/", "/a", false},       {"/A", "/a", false},
        {"/a", "/a/", false},     {"/a/", "/a/", true},     {"/a/b", "/a/", true},
        {"/a", "/", true},        {"/", "/", true},         {"*", "/", true},
        {"/a/bc", "/a/b", false}, {"/a/b/c", "/a/b", true}, {"/a;x/b", "/a", false},
    };
    for (const Row& row : table)
        EXPECT_EQ(encloses(row.prefix, row.path), row.matches) << row.path << " " << row.prefix;
}

TEST(RouteIndex, RootMatchesEverything) {
    const RouteIndex index(config_of("- prefix: /a\n- prefix: /\n"));
    EXPECT_EQ(names(index, "/a/b"), (Names{"/", "/a"}));
    EXPECT_EQ(names(index, "/b"), Names{"/"});
    EXPECT_EQ(names(index, "/"), Names{"/"});
    EXPECT_EQ(names(index, "*"), Names{"/"});
}

TEST(RouteIndex, OutermostAppliesFirstWhateverTheOrderOfTheFile) {
    const RouteIndex index(config_of(
        "- {prefix: /a/b/c, wait_timeout: 3s}\n- {prefix: /a, wait_timeout: 1s, max_waiting: 7}\n"
        "- {prefix: /, wait_timeout: 9s, max_waiting: 9, queue: q}\n- {prefix: /a/b, wait_timeout: "
        "2s}\n"));
    EXPECT_EQ(names(index, "/a/b/c/d"), (Names{"/", "/a", "/a/b", "/a/b/c"}));
    const auto settings = index.resolve(index.match("/a/b/c/d"));
    EXPECT_EQ(settings.wait_timeout, 3s);
    EXPECT_EQ(settings.max_waiting, 7u);
    EXPECT_EQ(settings.queue, "q");
    EXPECT_EQ(index.resolve(index.match("/a/b")).wait_timeout, 2s);
    EXPECT_EQ(index.prefix_count(), 4u);
}

TEST(RouteIndex, RegexesApplyAfterPrefixesInTheOrderOfTheFile) {
    const RouteIndex index(
        config_of("- {regex: 'b$', wait_timeout: 4s, max_waiting: 4}\n- {prefix: /a, wait_timeout: "
                  "1s, queue: q}\n"
                  "- {regex: '^/a', wait_timeout: 5s}\n"));
    EXPECT_EQ(names(index, "/a/b"), (Names{"/a", "~b$", "~^/a"}));
    const auto settings = index.resolve(index.match("/a/b"));
    EXPECT_EQ(settings.wait_timeout, 5s);
    EXPECT_EQ(settings.max_waiting, 4u);
    EXPECT_EQ(settings.queue, "q");
    const auto alone = index.match("/zb");
    EXPECT_EQ(alone.prefix, -1);
    EXPECT_TRUE(alone.matched());
    EXPECT_FALSE(index.match("/c").matched());
}

TEST(RouteIndex, NestedRegexMatchesOnlyUnderItsPrefix) {
    const RouteIndex index(config_of(
        "- prefix: /\n- prefix: /a\n  routes: [{regex: '[.]php$'}]\n- regex: 'x[.]php'\n"));
    EXPECT_EQ(names(index, "/a/x.php"), (Names{"/", "/a", "~[.]php$", "~x[.]php"}));
    EXPECT_EQ(names(index, "/ab/x.php"), (Names{"/", "~x[.]php"}));
    EXPECT_EQ(names(index, "/y.php"), Names{"/"});
}

TEST(RouteIndex, ADotMatchesEveryByte) {
    const RouteIndex index(config_of("- {regex: '^/a.b$'}\n"));
    for (int byte = 0; byte < 256; ++byte) {
        const std::string path{'/', 'a', static_cast<char>(byte), 'b'};
        EXPECT_TRUE(index.match(path).matched()) << byte;
    }
}

TEST(RouteIndex, SettingsWithoutRegexDependOnThePrefixAlone) {
    const RouteIndex index(
        config_of("- {prefix: /a, wait_timeout: 1s}\n- {prefix: /a/b, max_waiting: 3}\n"));
    for (int i = 0; i < static_cast<int>(index.prefix_count()); ++i) {
        const auto found = index.match(index.prefix(i));
        EXPECT_EQ(found, (RouteIndex::Match{i, {}}));
        EXPECT_EQ(index.resolve({i, {}}), index.resolve(found));
    }
    EXPECT_EQ(index.resolve({}).upstream, "app");
}

TEST(RouteIndex, OriginsNameTheLineThatWon) {
    const RouteIndex index(
        config_of("- {prefix: /, wait_timeout: 1s}\n- {prefix: /a, wait_timeout: 2s}\n"));
    for (const Origin& origin : index.origins(index.match("/a"))) {
        const std::uint32_t line = origin.name == "wait_timeout" ? 6
                                   : origin.name == "upstream"   ? 3
                                                                 : 0;
        EXPECT_EQ(origin.mark.line, line) << origin.name;
    }
}

TEST(RouteIndex, OutlivesItsConfigAndMoves) {
    RouteIndex moved = [] {
        RouteIndex index(config_of("- prefix: /a\n- regex: b\n"));
        return index;
    }();
    EXPECT_EQ(names(moved, "/a/b"), (Names{"/a", "~b"}));
}

// Compares the index with a slow and obvious search, over random paths of a small alphabet.
TEST(RouteIndex, AgreesWithTheObviousSearch) {
    std::mt19937 random(42);
    const auto path = [&](std::size_t longest) {
        std::string out = "/";
        const auto length = random() % longest;
        for (std::size_t i = 0; i < length; ++i)
            out += "/ab-"[out.back() == '/' ? 1 + random() % 3 : random() % 4];
        return out;
    };
    for (int round = 0; round < 200; ++round) {
        Config config;
        std::map<std::string, int> unique;
        for (int i = 0; i < 12; ++i) unique[path(7)] = 0;
        for (const auto& [prefix, unused] : unique) config.routes.emplace_back().prefix = prefix;
        std::shuffle(config.routes.begin(), config.routes.end(), random);
        const RouteIndex index(config);
        for (int i = 0; i < 50; ++i) {
            const auto asked = path(12);
            Names expected;
            for (const auto& [prefix, unused] : unique)
                if (encloses(prefix, asked)) expected.push_back(prefix);
            ASSERT_EQ(names(index, asked), expected) << asked;
        }
    }
}

TEST(RouteIndex, ManyRegexesInOnePass) {
    std::string routes;
    for (int i = 0; i < 500; ++i)
        routes += "- {regex: '^/r" + std::to_string(i) + "/.*[0-9]+x?$'}\n";
    const RouteIndex index(config_of(routes));
    EXPECT_EQ(index.match("/r321/7x").regexes, std::vector<std::uint16_t>{321});
    EXPECT_FALSE(index.match("/r500/7x").matched());
}

}  // namespace
}  // namespace ticketgate::config
