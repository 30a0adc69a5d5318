#include "metrics/registry.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

namespace ticketgate::metrics {
namespace {

bool has(const std::string& text, std::string_view line) {
    return text.find("\n" + std::string(line) + "\n") != std::string::npos;
}

TEST(Registry, SumsTheInstancesOfTheThreads) {
    Registry registry;
    auto& first = registry.counter("requests_total", "Requests.", {{"queue", "cart"}});
    auto& second = registry.counter("requests_total", "Requests.", {{"queue", "cart"}});
    registry.counter("requests_total", "Requests.", {{"queue", "login"}}).add(5);
    EXPECT_NE(&first, &second);
    first.add(2);
    second.add(40);
    const auto text = registry.render();
    EXPECT_TRUE(has(text, "requests_total{queue=\"cart\"} 42"));
    EXPECT_TRUE(has(text, "requests_total{queue=\"login\"} 5"));
}

TEST(Registry, SumsHistogramsBucketByBucket) {
    Registry registry;
    constexpr std::array bounds{1.0, 2.0};
    registry.histogram("wait_seconds", "Wait.", {}, bounds).observe(0.5);
    registry.histogram("wait_seconds", "Wait.", {}, bounds).observe(1.5);
    const auto families = registry.collect();
    ASSERT_EQ(families.size(), 1u);
    ASSERT_EQ(families[0].series.size(), 1u);
    EXPECT_EQ(families[0].series[0].buckets, (std::vector<std::uint64_t>{1, 1, 0}));
    EXPECT_EQ(families[0].series[0].value, 2);
}

TEST(Registry, LabelsAreEqualInAnyOrder) {
    Registry registry;
    registry.counter("x_total", "X.", {{"a", "1"}, {"b", "2"}}).add(1);
    registry.counter("x_total", "X.", {{"b", "2"}, {"a", "1"}}).add(1);
    EXPECT_TRUE(has(registry.render(), "x_total{a=\"1\",b=\"2\"} 2"));
}

TEST(Registry, AsksCallbacksAtEachScrape) {
    Registry registry;
    double value = 1;
    registry.gauge_fn("depth", "Depth.", {}, [&] { return value; });
    EXPECT_TRUE(has(registry.render(), "depth 1"));
    value = 2;
    EXPECT_TRUE(has(registry.render(), "depth 2"));
}

TEST(Registry, FamiliesStandByName) {
    Registry registry;
    registry.gauge("b", "B.");
    registry.gauge("a", "A.");
    const auto families = registry.collect();
    EXPECT_EQ(families[0].name, "a");
    EXPECT_EQ(families[1].name, "b");
}

TEST(Registry, ForgetsWhatIsRemoved) {
    Registry registry;
    auto& counter = registry.counter("x_total", "X.", {{"queue", "a"}});
    const auto& callback = registry.gauge_fn("y", "Y.", {}, [] { return 1.0; });
    registry.counter("x_total", "X.", {{"queue", "b"}});
    registry.remove(counter);
    registry.remove(callback);
    EXPECT_EQ(registry.render(),
              "# HELP x_total X.\n# TYPE x_total counter\nx_total{queue=\"b\"} 0\n");
}

TEST(Registry, KeepsWhatARetiredCounterCounted) {
    Registry registry;
    for (int times = 0; times < 3; ++times) {
        auto& counter = registry.counter("x_total", "X.", {{"queue", "a"}});
        counter.add(2);
        registry.retire(counter);
    }
    registry.retire(registry.counter("x_total", "X.", {{"queue", "b"}}));  // it counted nothing
    EXPECT_EQ(registry.render(),
              "# HELP x_total X.\n# TYPE x_total counter\nx_total{queue=\"a\"} 6\n");
    registry.counter("x_total", "X.", {{"queue", "a"}}).add();
    EXPECT_TRUE(has(registry.render(), "x_total{queue=\"a\"} 7"));
}

TEST(Registry, KeepsWhatARetiredHistogramCounted) {
    constexpr std::array<double, 1> bounds{1};
    Registry registry;
    for (int times = 0; times < 3; ++times) {
        auto& histogram = registry.histogram("x", "X.", {{"queue", "a"}}, bounds);
        histogram.observe(0.5);
        histogram.observe(2);
        registry.retire(histogram);
    }
    registry.retire(registry.histogram("x", "X.", {{"queue", "b"}}, bounds));  // it saw nothing
    registry.histogram("x", "X.", {{"queue", "a"}}, bounds).observe(0.5);
    EXPECT_EQ(registry.render(),
              "# HELP x X.\n# TYPE x histogram\n"
              "x_bucket{queue=\"a\",le=\"1\"} 4\n"
              "x_bucket{queue=\"a\",le=\"+Inf\"} 7\n"
              "x_sum{queue=\"a\"} 8\nx_count{queue=\"a\"} 7\n");
}

// Each reload of a config may bring another name.
TEST(Registry, ForgetsTheOldestRetiredSeriesThatNobodyCountsAnyMore) {
    Registry registry;
    const auto count_once = [&](const std::string& queue) {
        auto& counter = registry.counter("x_total", "X.", {{"queue", queue}});
        counter.add();
        registry.retire(counter);
    };
    count_once("used");
    registry.counter("x_total", "X.", {{"queue", "used"}});
    for (std::size_t i = 0; i <= Registry::most_retired; ++i) count_once(std::to_string(i));
    const auto text = registry.render();
    EXPECT_TRUE(has(text, "x_total{queue=\"used\"} 1"));
    EXPECT_FALSE(has(text, "x_total{queue=\"0\"} 1"));
    EXPECT_TRUE(has(text, "x_total{queue=\"1\"} 1"));
    EXPECT_EQ(registry.collect()[0].series.size(), Registry::most_retired + 1);
}

TEST(Registry, ANameMayComeBackAsSomethingElse) {
    Registry registry;
    registry.remove(registry.counter("x", "X."));
    EXPECT_EQ(registry.render(), "");
    registry.gauge("x", "X.").set(3);
    EXPECT_TRUE(has(registry.render(), "x 3"));
}

TEST(Registry, AddressesStayWhileOthersComeAndGo) {
    Registry registry;
    auto& kept = registry.counter("x_total", "X.");
    for (int i = 0; i < 1000; ++i) registry.counter("x_total", "X.");
    kept.add(7);
    EXPECT_TRUE(has(registry.render(), "x_total 7"));
}

TEST(RegistryDeath, OurOwnMistakesEndTheProcess) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Registry registry;
    registry.gauge("x", "X.");
    EXPECT_DEATH(registry.counter("x", "X."), "broken invariant");
    EXPECT_DEATH(registry.gauge("bad-name", "X."), "broken invariant");
    EXPECT_DEATH(registry.gauge("y", "Y.", {{"le", "1"}}), "broken invariant");
    constexpr std::array falling{2.0, 1.0};
    EXPECT_DEATH(registry.histogram("z", "Z.", {}, falling), "broken invariant");
}

// Registering, removing, counting and scraping at once; for the thread sanitizer.
TEST(Registry, ScrapesWhileThreadsRegister) {
    Registry registry;
    std::atomic<bool> stop{false};
    std::jthread scraper([&] {
        while (!stop) (void)registry.render();
    });
    {
        std::vector<std::jthread> loops;
        for (int loop = 0; loop < 3; ++loop)
            loops.emplace_back([&] {
                auto& mine = registry.counter("x_total", "X.");
                for (int i = 0; i < 300; ++i) {
                    mine.add();
                    registry.remove(registry.gauge_fn("y", "Y.", {}, [&] { return 1.0; }));
                }
            });
    }
    stop = true;
    scraper.join();
    EXPECT_TRUE(has(registry.render(), "x_total 900"));
}

TEST(Registry, LeavesAllToItsDestructorOnceItIsClosed) {
    Registry registry;
    Counter& counter = registry.counter("a_total", "A.");
    const Callback& callback = registry.gauge_fn("b", "B.", {}, [] { return 1.0; });
    registry.close();
    registry.remove(callback);
    registry.retire(counter);
    counter.add(1);  // it is still there
    EXPECT_EQ(registry.render(), "");
}

}  // namespace
}  // namespace ticketgate::metrics
