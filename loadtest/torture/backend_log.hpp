#pragma once
// The backend's /__log, line by line.

#include <cstdint>
#include <string_view>

#include "../http_lite.hpp"
#include "../net_lite.hpp"

namespace loadtest {

struct LogLine {
    char kind = 0;  // S started, R work done, E ended
    Micros us = 0;
    std::uint64_t run = 0;
    std::uint64_t seq = 0;
    Micros mark_us = 0;  // S: first bytes came; E: the last write began
};

// "S 12 run=1 seq=1 in_flight=1 mark=11"
inline LogLine parse_line(std::string_view text) {
    LogLine line;
    line.kind = text.front();
    line.us = to_number(text.substr(2));
    const auto number = [text](std::string_view name) {
        const auto at = text.find(name);
        return at == std::string_view::npos ? 0 : to_number(text.substr(at + name.size()));
    };
    line.run = number(" run=");
    line.seq = number(" seq=");
    line.mark_us = number(" mark=");
    return line;
}

template <class Visit>
void for_each_line(std::string_view log, Visit visit) {
    while (!log.empty()) {
        const auto end = log.find('\n');
        if (end == std::string_view::npos) return;
        if (end > 2) visit(parse_line(log.substr(0, end)));
        log.remove_prefix(end + 1);
    }
}

}  // namespace loadtest
