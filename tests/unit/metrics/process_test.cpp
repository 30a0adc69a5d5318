#include "metrics/process.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <map>

#include "metrics/registry.hpp"

namespace ticketgate::metrics {
namespace {

TEST(Process, ReadsAStatLineWhateverTheNameIs) {
    const auto stat = parse_stat(
        "4711 (a) b (c)) S 1 4711 4711 0 -1 4194560 100 0 0 0 250 50 0 0 20 0 3 0 103051 8192000 "
        "1234 18446744073709551615 1 1 0 0 0\n");
    EXPECT_EQ(stat.cpu_ticks, 300);
    EXPECT_EQ(stat.start_ticks, 103051);
    EXPECT_EQ(stat.virtual_bytes, 8192000);
    EXPECT_EQ(stat.resident_pages, 1234);
}

TEST(Process, ABadStatLineGivesNaN) {
    for (const auto* text : {"", "1 (x", "1 (x) S 1 2 3"})
        EXPECT_TRUE(std::isnan(parse_stat(text).virtual_bytes)) << text;
}

std::map<std::string, double> values() {
    Registry registry;
    register_process(registry);
    std::map<std::string, double> found;
    for (const auto& family : registry.collect()) found[family.name] = family.series.at(0).value;
    return found;
}

TEST(Process, ValuesOfThisProcess) {
    const auto now = values();
    ASSERT_EQ(now.size(), 6u);
    EXPECT_GT(now.at("process_resident_memory_bytes"), 1e5);
    EXPECT_GT(now.at("process_virtual_memory_bytes"), now.at("process_resident_memory_bytes"));
    EXPECT_GE(now.at("process_cpu_seconds_total"), 0);
    EXPECT_GE(now.at("process_open_fds"), 3);
    EXPECT_GT(now.at("process_max_fds"), now.at("process_open_fds"));
    const std::chrono::duration<double> unix_now =
        std::chrono::system_clock::now().time_since_epoch();
    EXPECT_NEAR(now.at("process_start_time_seconds"), unix_now.count(), 600);
}

TEST(Process, SeesADescriptorOpen) {
    const auto before = values().at("process_open_fds");
    const int fd = open("/dev/null", O_RDONLY);
    EXPECT_EQ(values().at("process_open_fds"), before + 1);
    close(fd);
    EXPECT_EQ(values().at("process_open_fds"), before);
}

}  // namespace
}  // namespace ticketgate::metrics
