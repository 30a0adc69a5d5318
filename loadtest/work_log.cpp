#include "work_log.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace loadtest {

WorkLog::WorkLog(const std::string& text, std::uint64_t limit) {
    std::uint64_t at_work = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size());
        char kind = 0;
        Micros us = 0;
        std::uint64_t run = 0;
        std::uint64_t seq = 0;
        const auto read =
            std::sscanf(text.substr(begin, end - begin).c_str(),
                        "%c %" SCNu64 " run=%" SCNu64 " seq=%" SCNu64, &kind, &us, &run, &seq);
        begin = end + 1;
        if (read != 4) continue;
        if (kind == 'S') {
            ++at_work;
            if (seq != 0) starts_.emplace(seq, us);
        } else if (kind == 'R' && at_work > 0) {
            --at_work;
        }
        turn(us, at_work >= limit);
    }
}

void WorkLog::turn(Micros us, bool working) {
    Micros work_us = 0;
    if (!turns_.empty()) {
        const auto& last = turns_.back();
        if (last.working == working) return;
        work_us = last.work_us + (last.working ? us - last.us : 0);
    }
    turns_.push_back({us, work_us, working});
}

Micros WorkLog::started_us(std::uint64_t seq) const {
    const auto found = starts_.find(seq);
    return found == starts_.end() ? 0 : found->second;
}

Micros WorkLog::work_until(Micros when) const {
    const auto after = std::upper_bound(turns_.begin(), turns_.end(), when,
                                        [](Micros us, const Turn& turn) { return us < turn.us; });
    if (after == turns_.begin()) return 0;
    const auto& last = *std::prev(after);
    return last.work_us + (last.working ? when - last.us : 0);
}

}  // namespace loadtest
