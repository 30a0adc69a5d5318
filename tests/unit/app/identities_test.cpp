// Ids that a config asks for and this machine cannot make, or would make twice.
#include "app/identities.hpp"

#include <gtest/gtest.h>

#include "config/load.hpp"

namespace ticketgate {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

const System pod{"web-3", {0x0a000005, 0x0a000006}, 4711};
const System laptop{"laptop", {}, 1};
const std::string flake = "ids: {request_id: {format: snowflake}}\n";

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

config::Config good_config(const std::string& text) {
    auto loaded = config::load_text(
        "listen: [{address: \"127.0.0.1:8080\"}]\n"
        "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n" +
            text + (holds(text, "routes:") ? "" : "routes: [{prefix: /, upstream: app}]\n"),
        "c.yaml", config::environment_of({}));
    for (const auto& problem : loaded.problems) EXPECT_TRUE(problem.warning) << print(problem);
    return loaded.config.value_or(config::Config{});
}

std::string service(const std::string& worker) {
    return "id_service: {address: \"127.0.0.1:4444\"" + worker + "}\n";
}

std::vector<std::string> printed(const std::vector<config::Problem>& problems) {
    std::vector<std::string> lines;
    for (const auto& problem : problems) lines.push_back(config::print(problem));
    return lines;
}

std::vector<std::string> problems(const std::string& text, const System& system,
                                  const Variables& variables = {}) {
    const auto config = good_config(text);
    std::vector<std::string> complaints;
    const auto identities =
        identities_of(config, config::environment_of(variables), system, complaints);
    return printed(identity_problems(config, identities, complaints));
}

Identities identities(const std::string& text) {
    std::vector<std::string> complaints;
    return identities_of(good_config(text), config::environment_of({}), laptop, complaints);
}

TEST(Identities, AFormatThatCannotBeMadeIsAnErrorInItsLine) {
    const std::string ids =
        "routes: [{prefix: /, upstream: app, ids: {request_id: {format: snowflake}}}]\n"
        "ids: {unique_id: {format: httpd_2_0}}\n";
    EXPECT_TRUE(problems(ids, pod).empty());
    const auto told = problems(ids, laptop);
    ASSERT_EQ(told.size(), 2u);
    EXPECT_TRUE(
        told[0].starts_with("c.yaml:3:56: routes[0].ids.request_id.format: snowflake contains "
                            "a worker number"))
        << told[0];
    EXPECT_TRUE(
        told[1].starts_with("c.yaml:4:19: ids.unique_id.format: httpd_2_0 contains the "
                            "machine's IPv4 address"))
        << told[1];
}

constexpr const char* twice = "the id service and ids.machine both have worker 3 of datacenter 0";

TEST(Identities, TwoMakersOfSnowflakesWithOneWorkerAreAnError) {
    const std::string machine = "ids: {machine: {worker: 3}, request_id: {format: snowflake}}\n";
    const std::string number = service(", worker: 3"), automatic = service("");
    const std::vector<std::pair<std::string, Variables>> cases{
        {machine + number, {}},
        {machine + automatic, {}},
        {flake + number, {}},
        {flake + automatic, {}},
        {flake + number, {{"TICKETGATE_WORKER", "3"}}},
        {number + "routes: [{prefix: /, upstream: app, ids: {request_id: {format: snowflake}}}]\n",
         {}}};
    for (const auto& [text, variables] : cases) {
        const auto told = problems(text, pod, variables);
        ASSERT_EQ(told.size(), 1u) << text;
        EXPECT_TRUE(told[0].starts_with("c.yaml:")) << told[0];
        EXPECT_TRUE(holds(told[0], ": id_service.worker: ")) << told[0];
        EXPECT_TRUE(holds(told[0], twice)) << told[0];
    }
}

TEST(Identities, OneWorkerIsEnoughWhereOnlyOneMakesSnowflakes) {
    EXPECT_TRUE(problems(service(", worker: 3"), pod).empty());
    EXPECT_TRUE(problems(flake, pod).empty());
}

TEST(Identities, TwoMakersWithOtherWorkersOrDatacentersAreGood) {
    EXPECT_TRUE(problems(flake + service(", worker: 4"), pod).empty());
    EXPECT_TRUE(problems(flake + service(", datacenter: 1"), pod).empty());
    EXPECT_TRUE(
        problems(flake + service(", worker: 3"), pod, {{"TICKETGATE_WORKER", "5"}}).empty());
}

TEST(Identities, AnIdServiceWithoutAWorkerIsAnErrorInItsLine) {
    EXPECT_EQ(
        problems(service(""), laptop),
        std::vector<std::string>{"c.yaml:3:1: id_service.worker: no number is known; set it, or "
                                 "TICKETGATE_WORKER, or end the host name in -0 to -31"});
}

TEST(Identities, ReportsABadVariableOnlyIfTheNumberIsNeeded) {
    const Variables nonsense{{"TICKETGATE_WORKER", "99"}, {"TICKETGATE_ADDRESS", "::1"}};
    const std::vector<std::string> warnings{
        "c.yaml: warning: environment: TICKETGATE_ADDRESS=::1 is not an IPv4 address",
        "c.yaml: warning: environment: TICKETGATE_WORKER=99 is not a number from 0 to 31"};
    EXPECT_EQ(problems("", pod, nonsense), warnings);
    EXPECT_EQ(problems(service(", worker: 3"), pod, nonsense), warnings);
    for (const auto& text :
         {flake, service(""), std::string("ids: {unique_id: {format: httpd_2_0}}\n")}) {
        const auto told = problems(text, pod, nonsense);
        ASSERT_EQ(told.size(), 3u) << text;
        EXPECT_TRUE(told[2].starts_with("c.yaml:3:")) << told[2];
    }
}

// The service keeps its worker number until a restart; a reload does not change it.
TEST(Identities, AReloadIsComparedWithWhatRuns) {
    const std::string machine = "ids: {machine: {worker: 7}}\n";
    const std::string flakes = "ids: {machine: {worker: 7}, request_id: {format: snowflake}}\n";
    const auto running = identities(machine + service(", worker: 7"));
    const auto text = flakes + service(", worker: 8");
    const auto told = printed(reload_problems(good_config(text), running, identities(text)));
    ASSERT_EQ(told.size(), 1u);
    EXPECT_TRUE(holds(told[0], "both have worker 7 of datacenter 0")) << told[0];
    EXPECT_TRUE(holds(told[0], "restart instead")) << told[0];
    const auto without = printed(reload_problems(good_config(flakes), running, identities(flakes)));
    ASSERT_EQ(without.size(), 1u) << "the service still runs";
    EXPECT_TRUE(without[0].starts_with("c.yaml: id_service.worker: ")) << without[0];
}

TEST(Identities, AReloadIsComparedWithTheNextStartToo) {
    const auto running = identities("ids: {machine: {worker: 7}}\n" + service(", worker: 8"));
    const std::string text =
        "ids: {machine: {worker: 8}, request_id: {format: snowflake}}\n" + service(", worker: 8");
    const auto told = printed(reload_problems(good_config(text), running, identities(text)));
    ASSERT_EQ(told.size(), 1u);
    EXPECT_TRUE(holds(told[0], "both have worker 8 of datacenter 0")) << told[0];
    const std::string fine =
        "ids: {machine: {worker: 9}, request_id: {format: snowflake}}\n" + service(", worker: 8");
    EXPECT_TRUE(reload_problems(good_config(fine), running, identities(fine)).empty());
}

}  // namespace
}  // namespace ticketgate
