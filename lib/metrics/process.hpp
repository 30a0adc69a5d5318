// The process_* metrics every Prometheus client has, read from /proc at each scrape. Any thread.
// A value that cannot be read is NaN.
#pragma once

#include <string_view>

namespace ticketgate::metrics {

class Registry;

void register_process(Registry& registry);

/// Values of /proc/PID/stat; times in clock ticks.
struct ProcessStat {
    double cpu_ticks = 0;    ///< user and system
    double start_ticks = 0;  ///< since boot
    double virtual_bytes = 0;
    double resident_pages = 0;
    bool operator==(const ProcessStat&) const = default;
};

/// All NaN when the text is not such a line. The process name inside may hold spaces and brackets.
ProcessStat parse_stat(std::string_view text);

}  // namespace ticketgate::metrics
