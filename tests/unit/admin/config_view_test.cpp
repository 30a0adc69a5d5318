// The config in force, for programs and for people.
#include "admin/config_view.hpp"

#include <gtest/gtest.h>

namespace ticketgate::admin {
namespace {

constexpr Time start{Duration(1000s)};
constexpr WallTime at{1'790'000'000'000'000};

ConfigView started() {
    ConfigView view{.file = "/etc/c.yaml", .in_force_since = at, .measured_since = start};
    view.last = {ReadBy::start, at, start};
    return view;
}

ConfigView refused(std::size_t problems) {
    auto view = started();
    view.watched = true;
    view.last = {ReadBy::watch, {at.unix_us + 5'000'000}, start + 5s};
    for (std::size_t i = 1; i <= problems; ++i)
        view.last.result.problems.push_back("c.yaml:" + std::to_string(i) + ": bad");
    return view;
}

TEST(ConfigView, TellsTheAgeOfTheConfigInForce) {
    EXPECT_EQ(config_lines(started(), start + 90500ms),
              "config /etc/c.yaml in force since 2026-09-21T14:13:20.000000Z, for 90 s\n");
}

TEST(ConfigView, TellsTheProblemsOfAFileThatIsNotInForce) {
    EXPECT_EQ(config_lines(refused(2), start + 7s),
              "config /etc/c.yaml in force since 2026-09-21T14:13:20.000000Z, for 7 s\n"
              "config not loaded at 2026-09-21T14:13:25.000000Z (watch), the old one stays:\n"
              "c.yaml:1: bad\nc.yaml:2: bad\n");
    const auto many = config_lines(refused(120), start + 7s);
    EXPECT_TRUE(many.ends_with("c.yaml:100: bad\nand 20 more\n")) << many;
}

TEST(ConfigView, IsJson) {
    EXPECT_EQ(config_json(refused(1), start + 7s),
              R"({"file":"/etc/c.yaml","watched":true,)"
              R"("in_force_since":"2026-09-21T14:13:20.000000Z","age_seconds":7.0,)"
              R"("last_read":{"by":"watch","at":"2026-09-21T14:13:25.000000Z","age_seconds":2.0,)"
              R"("in_force":false,"problems_not_shown":0,"problems":["c.yaml:1: bad"],)"
              R"("need_restart_not_shown":0,"need_restart":[],)"
              R"("warnings_not_shown":0,"warnings":[]}})"
              "\n");
    EXPECT_NE(config_json(refused(101), start).find(R"("problems_not_shown":1,)"),
              std::string::npos);
}

}  // namespace
}  // namespace ticketgate::admin
