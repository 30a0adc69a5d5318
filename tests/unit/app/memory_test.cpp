// Defaults that fit a container: files in memory count against its limit.
#include "app/memory.hpp"

#include <gtest/gtest.h>

#include "app/spool.hpp"
#include "config/environment.hpp"
#include "config/load.hpp"

namespace ticketgate {
namespace {

constexpr std::uint64_t mib = 1 << 20;

config::Config config_of(const std::string& spool) {
    auto loaded = config::load_text(
        "listen: [{address: \"127.0.0.1:8080\"}]\n"
        "upstreams: {app: {url: \"http://127.0.0.1:8000\"}}\n"
        "routes: [{prefix: /, upstream: app}]\n"
        "spool: {" +
            spool + "}\n",
        "m.yaml", config::environment_of({}));
    if (!loaded.config) throw std::runtime_error("the test's config is wrong");
    return *std::move(loaded.config);
}

std::vector<std::string> told(const std::string& spool, const Memory& memory) {
    config::Problems problems;
    memory_problems(config_of(spool), memory, problems);
    std::vector<std::string> lines;
    for (const auto& problem : problems.take()) lines.push_back(config::print(problem));
    return lines;
}

std::uint64_t disk(const std::string& spool, const Memory& memory) {
    return spool_limits(config_of(spool), memory).max_disk;
}

TEST(Memory, LimitsOfControlGroups) {
    EXPECT_EQ(cgroup_limit("268435456\n"), 256 * mib);
    EXPECT_EQ(cgroup_limit("max\n"), std::nullopt);
    EXPECT_EQ(cgroup_limit(""), std::nullopt);
    EXPECT_EQ(cgroup_limit("9223372036854771712\n"), std::nullopt) << "none, in version 1";
    EXPECT_EQ(cgroup_limit("12x"), std::nullopt);
}

TEST(Memory, FilesOnADiskHaveTheWholeDefault) {
    EXPECT_EQ(disk("", {256 * mib, false}), 4096 * mib);
    EXPECT_EQ(disk("", {}), 4096 * mib);
}

TEST(Memory, FilesInMemoryHaveAQuarterOfIt) {
    EXPECT_EQ(disk("", {256 * mib, true}), 64 * mib);
    EXPECT_EQ(disk("", {64'000 * mib, true}), 4096 * mib);
}

TEST(Memory, PrefersTheConfiguredValue) {
    EXPECT_EQ(disk("max_disk: 1GiB", {256 * mib, true}), 1024 * mib);
}

TEST(Memory, WarnsOfAReducedDefault) {
    const auto lines = told("", {512 * mib, true});
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(
        lines[0],
        "m.yaml: warning: spool.directory: /tmp is in memory (tmpfs), and this process may "
        "use 512MiB, so max_disk is 128MiB; bodies beyond it get 503: set it to a folder on a "
        "disk, or set max_disk");
    EXPECT_TRUE(told("", {512 * mib, false}).empty());
    EXPECT_TRUE(told("", {64'000 * mib, true}).empty());
}

TEST(Memory, WarnsOfFilesThatDoNotFit) {
    const auto lines = told("max_disk: 300MiB", {512 * mib, true});
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0],
              "m.yaml:4:9: warning: spool.max_disk: 300MiB of files: /tmp is in memory (tmpfs), "
              "and this process may use 512MiB; set spool.directory to a folder on a disk, or "
              "max_disk to 128MiB or less");
    EXPECT_TRUE(told("max_disk: 256MiB", {512 * mib, true}).empty());
}

TEST(Memory, WarnsOfBuffersThatDoNotFit) {
    const auto lines = told("", {200 * mib, false});
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines[0].find("64MiB and clients.max_input 64MiB are more than half of the 200MiB"),
              std::string::npos);
}

TEST(Memory, KnowsThisMachine) {
    const Memory memory = memory_for("/tmp");
    EXPECT_GT(memory.limit, mib);
    EXPECT_FALSE(memory_for("/no such folder").spool_in_memory);
}

}  // namespace
}  // namespace ticketgate
