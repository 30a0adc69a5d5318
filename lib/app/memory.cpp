#include "app/memory.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "base/file.hpp"

namespace ticketgate {
namespace {

// Returns the least limit of the group and its ancestors. Inside a container the root is the
// container's own group; outside, /proc/self/cgroup names the group.
std::uint64_t limit_of_groups(const std::string& root, std::string group, const char* name) {
    std::uint64_t least = ~std::uint64_t{0};
    for (;;) {
        // A file that cannot be read sets no limit.
        const auto text = read_file(root + group + "/" + name, 4096).text;
        if (const auto limit = cgroup_limit(text)) least = std::min(least, *limit);
        if (group.empty() || group == "/") return least;
        group.erase(group.rfind('/'));
    }
}

// Returns the group's path. `0::/a/b` is cgroup version 2, `9:memory:/a/b` version 1.
std::string group_of(const std::string& line, std::string_view controller) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) return {};
    const auto kind = std::string_view(line).substr(first + 1, second - first - 1);
    const auto group = line.substr(second + 1);
    return kind == controller && group.starts_with('/') ? group : std::string();
}

std::uint64_t cgroup_memory() {
    const std::string root = "/sys/fs/cgroup";
    std::uint64_t least = std::min(limit_of_groups(root, "", "memory.max"),
                                   limit_of_groups(root + "/memory", "", "memory.limit_in_bytes"));
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        if (const auto group = group_of(line, ""); !group.empty())
            least = std::min(least, limit_of_groups(root, group, "memory.max"));
        if (const auto group = group_of(line, "memory"); !group.empty())
            least =
                std::min(least, limit_of_groups(root + "/memory", group, "memory.limit_in_bytes"));
    }
    return least;
}

std::uint64_t machine_memory() {
    const auto pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0) return ~std::uint64_t{0};
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

bool is_memory(const std::string& directory) {
    struct statfs about {};
    if (::statfs(directory.c_str(), &about) != 0) return false;
    const auto type = static_cast<std::uint32_t>(about.f_type);
    return type == TMPFS_MAGIC || type == RAMFS_MAGIC;
}

}  // namespace

std::optional<std::uint64_t> cgroup_limit(std::string_view text) {
    // Version 1 writes a very large number for no limit.
    constexpr std::uint64_t none = std::uint64_t{1} << 60;
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    const bool whole = end == text.data() + text.size() || *end == '\n';
    return error == std::errc{} && whole && bytes < none ? std::optional(bytes) : std::nullopt;
}

Memory memory_for(const std::string& spool_directory) {
    return {std::min(cgroup_memory(), machine_memory()), is_memory(spool_directory)};
}

}  // namespace ticketgate
