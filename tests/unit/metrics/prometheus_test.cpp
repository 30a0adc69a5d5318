#include "metrics/prometheus.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "metrics/process.hpp"
#include "metrics/registry.hpp"

namespace ticketgate::metrics {
namespace {

std::string text_of(const Family& family) {
    return to_text(std::span(&family, 1));
}

std::string number_text(double value) {
    const auto text = text_of({"x", "h", Type::gauge, {}, {{{}, value, {}}}});
    const auto start = text.rfind("\nx ") + 3;
    return text.substr(start, text.size() - start - 1);
}

TEST(Prometheus, ACounterWithLabels) {
    EXPECT_EQ(text_of({"requests_total",
                       "Requests.",
                       Type::counter,
                       {},
                       {{{{"queue", "cart"}, {"reason", "full"}}, 3, {}}, {{}, 5, {}}}}),
              "# HELP requests_total Requests.\n"
              "# TYPE requests_total counter\n"
              "requests_total{queue=\"cart\",reason=\"full\"} 3\n"
              "requests_total 5\n");
}

TEST(Prometheus, AHistogramIsCumulative) {
    EXPECT_EQ(text_of({"wait_seconds",
                       "Wait.",
                       Type::histogram,
                       {0.005, 1},
                       {{{{"queue", "cart"}}, 7.25, {2, 1, 4}}}}),
              "# HELP wait_seconds Wait.\n"
              "# TYPE wait_seconds histogram\n"
              "wait_seconds_bucket{queue=\"cart\",le=\"0.005\"} 2\n"
              "wait_seconds_bucket{queue=\"cart\",le=\"1\"} 3\n"
              "wait_seconds_bucket{queue=\"cart\",le=\"+Inf\"} 7\n"
              "wait_seconds_sum{queue=\"cart\"} 7.25\n"
              "wait_seconds_count{queue=\"cart\"} 7\n");
}

TEST(Prometheus, EscapesLabelsAndHelp) {
    EXPECT_EQ(text_of({"x", "a\\b\nc \"d\"", Type::gauge, {}, {{{{"l", "a\\b\nc \"d\""}}, 1, {}}}}),
              "# HELP x a\\\\b\\nc \"d\"\n"
              "# TYPE x gauge\n"
              "x{l=\"a\\\\b\\nc \\\"d\\\"\"} 1\n");
}

TEST(Prometheus, Numbers) {
    EXPECT_EQ(number_text(0), "0");
    EXPECT_EQ(number_text(-1), "-1");
    EXPECT_EQ(number_text(0.1), "0.1");
    EXPECT_EQ(number_text(1795187022.624), "1795187022.624");
    EXPECT_EQ(number_text(9007199254740993.0), "9007199254740992");
    EXPECT_EQ(number_text(1e300), "1e+300");
    EXPECT_EQ(number_text(2.5e-9), "2.5e-09");
    EXPECT_EQ(number_text(HUGE_VAL), "+Inf");
    EXPECT_EQ(number_text(-HUGE_VAL), "-Inf");
    EXPECT_EQ(number_text(std::nan("")), "NaN");
}

TEST(Prometheus, Names) {
    for (const auto* good : {"a", "_a", ":a", "ticketgate_queue_waiting", "A9"})
        EXPECT_TRUE(valid_name(good)) << good;
    for (const auto* bad : {"", "9a", "a-b", "a b", "ä", "a{"})
        EXPECT_FALSE(valid_name(bad)) << bad;
}

// Every kind of metric, the awkward values, and process_*.
std::string sample() {
    Registry registry;
    registry.counter("sample_requests_total", "Requests.", {{"reason", "a\"b\\c\nd"}}).add(3);
    registry.gauge("sample_waiting", "Waiting \\ now.").set(2);
    registry.gauge_fn("sample_ratio", "A ratio.", {}, [] { return 0.25; });
    registry.counter_fn("sample_lost_total", "Lost lines.", {}, [] { return 1e18; });
    auto& wait =
        registry.histogram("sample_wait_seconds", "Wait.", {{"queue", "cart"}}, seconds_buckets);
    for (const double value : {0.0, 0.003, 1.0, 400.0}) wait.observe(value);
    registry.histogram("sample_hold_seconds", "Hold.", {}, seconds_buckets);
    register_process(registry);
    return registry.render();
}

TEST(Prometheus, PromtoolAcceptsIt) {
    if (std::system("promtool --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no promtool here";
    FILE* promtool = popen("promtool check metrics 2>&1", "w");
    ASSERT_NE(promtool, nullptr);
    const auto text = sample();
    std::fwrite(text.data(), 1, text.size(), promtool);
    EXPECT_EQ(pclose(promtool), 0) << text;
}

TEST(Prometheus, PromtoolRefusesABrokenOne) {
    if (std::system("promtool --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "no promtool here";
    FILE* promtool = popen("promtool check metrics >/dev/null 2>&1", "w");
    ASSERT_NE(promtool, nullptr);
    const auto text = sample() + "broken{ 1\n";
    std::fwrite(text.data(), 1, text.size(), promtool);
    EXPECT_NE(pclose(promtool), 0);
}

}  // namespace
}  // namespace ticketgate::metrics
