#include "metrics/process.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <vector>

#include "base/folder_names.hpp"
#include "metrics/registry.hpp"

namespace ticketgate::metrics {
namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// Files under /proc have no size.
std::string read_start(const char* path, std::size_t most) {
    std::string text(most, '\0');
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    std::size_t size = 0;
    while (fd >= 0 && size < text.size()) {
        const auto got = read(fd, text.data() + size, text.size() - size);
        if (got <= 0) break;
        size += static_cast<std::size_t>(got);
    }
    if (fd >= 0) close(fd);
    text.resize(size);
    return text;
}

// At each scrape, thrice: 52 numbers and a name.
ProcessStat stat_now() {
    return parse_stat(read_start("/proc/self/stat", 4 << 10));
}

double ticks_per_second() {
    return static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> found;
    for (;;) {
        const auto start = text.find_first_not_of(" \n");
        if (start == std::string_view::npos) return found;
        const auto end = std::min(text.find_first_of(" \n", start), text.size());
        found.push_back(text.substr(start, end - start));
        text.remove_prefix(end);
    }
}

double number(std::string_view text) {
    double value = unknown;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

double open_fds() {
    double count = -3;  // `.`, `..`, and the folder itself, open while it is counted
    FolderNames names("/proc/self/fd");
    while (names.next() != nullptr) ++count;
    return names.error() != 0 ? unknown : count;
}

double max_fds() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return unknown;
    return limit.rlim_cur == RLIM_INFINITY ? -1 : static_cast<double>(limit.rlim_cur);
}

// /proc/PID/stat counts from boot, and /proc/stat has the second of the boot, up to tens of
// kilobytes of interrupt counters before it.
double start_time() {
    const auto text = read_start("/proc/stat", 256 << 10);
    const auto line = text.find("\nbtime ");
    if (line == std::string::npos) return unknown;
    const auto boot = text.substr(line + 7, text.find('\n', line + 1) - line - 7);
    return number(boot) + stat_now().start_ticks / ticks_per_second();
}

}  // namespace

ProcessStat parse_stat(std::string_view text) {
    constexpr ProcessStat nothing{unknown, unknown, unknown, unknown};
    const auto bracket = text.rfind(')');
    if (bracket == std::string_view::npos) return nothing;
    const auto field = words(text.substr(bracket + 1));  // [0] is field 3 of proc(5)
    if (field.size() < 22) return nothing;
    return {number(field[11]) + number(field[12]), number(field[19]), number(field[20]),
            number(field[21])};
}

void register_process(Registry& registry) {
    registry.counter_fn("process_cpu_seconds_total", "User and system CPU time, in seconds.", {},
                        [] { return stat_now().cpu_ticks / ticks_per_second(); });
    registry.gauge_fn("process_resident_memory_bytes", "Resident memory, in bytes.", {}, [] {
        return stat_now().resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE));
    });
    registry.gauge_fn("process_virtual_memory_bytes", "Virtual memory, in bytes.", {},
                      [] { return stat_now().virtual_bytes; });
    registry.gauge_fn("process_start_time_seconds", "Start of the process, unix seconds.", {},
                      [start = start_time()] { return start; });
    registry.gauge_fn("process_open_fds", "Open file descriptors.", {}, open_fds);
    registry.gauge_fn("process_max_fds", "Limit of open file descriptors.", {}, max_fds);
}

}  // namespace ticketgate::metrics
