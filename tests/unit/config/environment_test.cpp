#include "config/environment.hpp"

#include <ctime>

#include "loading.hpp"

namespace ticketgate::config {
namespace {

const std::map<std::string, std::string, std::less<>> variables{
    {"A", "alpha"}, {"EMPTY", ""}, {"TRICK", "${A}$$"}, {"request_id", "not this"}};

struct Case {
    std::string text, result;
};

TEST(Environment, FillsInScalars) {
    const std::vector<Case> cases{{"${A}", "alpha"},
                                  {"x${A}y${A}", "xalphayalpha"},
                                  {"${A:-no}", "alpha"},
                                  {"${B:-yes}", "yes"},
                                  {"${B:-}", ""},
                                  {"${EMPTY:-full}", "full"},
                                  {"${EMPTY}", ""},
                                  {"${A:?needed}", "alpha"},
                                  {"$$", "$"},
                                  {"$${A}", "${A}"},
                                  {"$$$$", "$$"},
                                  {"^/a$", "^/a$"},
                                  {"$A", "$A"},
                                  {"a$ b", "a$ b"},
                                  {"${TRICK}", "${A}$$"},
                                  {"${B:-a:b-c}", "a:b-c"},
                                  {"", ""},
                                  {"plain", "plain"}};
    for (const auto& [text, result] : cases) {
        std::vector<std::string> complaints;
        EXPECT_EQ(substitute(text, environment_of(variables), complaints), result) << text;
        EXPECT_TRUE(complaints.empty()) << text << ": " << complaints[0];
    }
}

TEST(Environment, LeavesPlaceholdersToTheAnswer) {
    std::vector<std::string> complaints;
    for (const auto name : placeholders) {
        const auto text = "${" + std::string(name) + "}";
        EXPECT_EQ(substitute(text, environment_of(variables), complaints), text);
    }
    EXPECT_TRUE(complaints.empty());
}

TEST(Environment, ComplainsOnceForEachMistake) {
    const std::vector<Case> cases{
        {"${B}", "environment variable B is not set; set it or write ${B:-default}"},
        {"${B:?give B a value}", "environment variable B is not set: give B a value"},
        {"${EMPTY:?not empty}", "environment variable EMPTY is not set: not empty"},
        {"${request_idd}",
         "environment variable request_idd is not set; did you mean the placeholder "
         "${request_id}?"},
        {"${", "${ without }; write $$ for a plain $"},
        {"${}",
         "${} is not a variable; write ${VAR}, ${VAR:-default} or ${VAR:?message}, and $$ for a "
         "plain $"},
        {"${A-b}",
         "${A-b} is not a variable; write ${VAR}, ${VAR:-default} or ${VAR:?message}, and $$ for a "
         "plain $"},
        {"${1}",
         "${1} is not a variable; write ${VAR}, ${VAR:-default} or ${VAR:?message}, and $$ for a "
         "plain $"}};
    for (const auto& [text, complaint] : cases) {
        std::vector<std::string> complaints;
        (void)substitute(text, environment_of(variables), complaints);
        EXPECT_EQ(complaints, std::vector{complaint}) << text;
    }
}

TEST(Environment, WorksInAnyScalarOfAFile) {
    const auto config = good(
        "listen: [{address: \"${HOST:-127.0.0.1}:${PORT}\"}]\n"
        "threads: ${THREADS:-3}\n"
        "upstreams: {app: {url: \"${APP_URL:?where is the app}\"}}\n"
        "routes: [{prefix: /, upstream: app, queue: \"${Q:-off}\", on_full: {body: '${PORT} "
        "${request_id}'}}]\n",
        {{"PORT", "8081"}, {"APP_URL", "http://app:9000/"}});
    EXPECT_EQ(config.listen.at(0).port, 8081);
    EXPECT_EQ(config.threads, 3u);
    EXPECT_EQ(config.upstreams.at("app").host, "app");
    ASSERT_TRUE(config.routes.at(0).overrides.queue.value.has_value());
    EXPECT_FALSE(config.routes.at(0).overrides.queue.value->has_value());
    EXPECT_EQ(config.routes.at(0).overrides.on_full.body.value, "8081 ${request_id}");
}

// config/body_text.hpp explains `$` in the body of an answer.
TEST(Environment, LeavesABodyTheDollarsBeforeItsPlaceholders) {
    const std::vector<std::pair<const char*, const char*>> bodies{
        {"$${queue} ${queue} $$$${queue}", "$${queue} ${queue} $$$${queue}"},
        {"$${x} $$5 $$", "${x} $5 $"},
        {"$$${PORT}$${PORT}", "$8081${PORT}"}};
    for (const auto& [text, expected] : bodies) {
        const auto config = good(base + "routes: [{prefix: '/$${queue}', on_full: {body: '" + text +
                                     "', content_type: a/b}}]\n",
                                 {{"PORT", "8081"}});
        EXPECT_EQ(config.routes.at(0).overrides.on_full.body.value, expected) << text;
        EXPECT_EQ(config.routes.at(0).prefix, "/${queue}") << "elsewhere $$ is one $";
    }
}

TEST(Environment, CannotChangeTheStructureOfTheFile) {
    const auto loaded =
        load(base + "routes: [{prefix: /, queue: \"${Q}\"}]\n", {{"Q", "a}, {prefix: /b"}});
    EXPECT_EQ(
        printed(loaded.problems),
        std::vector<std::string>{"c.yaml:4:29: routes[0].queue: \"a}, {prefix: /b\" is not a "
                                 "valid queue name: 1 to 64 of A-Z a-z 0-9 _ . -, not - first"});
}

TEST(Environment, ReportsAProblemAtThePlaceOfItsScalar) {
    const auto loaded = load(base + "routes:\n  - prefix: /\n    queue: ${QUEUE}\n");
    EXPECT_EQ(printed(loaded.problems),
              std::vector<std::string>{
                  "c.yaml:6:12: routes[0].queue: environment variable QUEUE is not set; set it or "
                  "write ${QUEUE:-default}"});
}

TEST(Environment, ReportsAnUnsetVariableOnce) {
    for (const std::string setting : {"wait_timeout", "max_body", "methods", "on_full", "queue"}) {
        const auto lines =
            printed(load(base + "routes: [{prefix: /, " + setting + ": \"${NONE}\"}]\n").problems);
        ASSERT_EQ(lines.size(), 1u) << setting << ": " << lines.back();
        EXPECT_NE(lines[0].find("NONE is not set"), std::string::npos) << lines[0];
    }
    const auto lines = printed(load("listen: [{address: \"${NONE}\"}]\n"
                                    "upstreams: {app: {url: \"${NONE}\"}}\n"
                                    "routes: [{prefix: /, upstream: app}]\n")
                                   .problems);
    EXPECT_EQ(lines.size(), 2u);
    const auto twice = load(base + "routes: [{prefix: /, on_full: {body: \"${A} ${A} ${B}\"}}]\n");
    EXPECT_EQ(twice.problems.size(), 2u);
}

Duration cpu_of_pieces(const std::string& page) {
    const auto now = [] {
        timespec at{};
        ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &at);
        return seconds(at.tv_sec) + std::chrono::nanoseconds(at.tv_nsec);
    };
    const auto begin = now();
    std::size_t size = 0;
    for_each_piece(
        page, [&](std::string_view text) { size += text.size(); }, [](std::string_view) {});
    EXPECT_EQ(size, page.size());
    return now() - begin;
}

// With a look for the brace that goes to the end of the page it is a thousand times as much.
TEST(BodyText, ManyDollarsCostNoMoreThanTheirBytes) {
    std::string dollars, braces;
    while (dollars.size() < 2'000'000) dollars += "$ ";
    while (braces.size() < dollars.size()) braces += "${price} ";
    EXPECT_LE(cpu_of_pieces(dollars), 50 * cpu_of_pieces(braces));
}

}  // namespace
}  // namespace ticketgate::config
