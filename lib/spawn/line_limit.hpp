// How many lines of what the workers of one pool write go to the log: many at one time, then a
// steady rate. Pure; control thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace ticketgate::spawn {

/// What one worker has written.
struct Speech {
    std::uint32_t first_lines = 0;  ///< taken as such
    std::uint64_t dropped = 0;      ///< lines, since the last report
    std::string last = {};          ///< of these
    Time reported = Time::min();
};

class LineLimit {
 public:
    /// Lines that may come at one time, and those of each second after them. A line counts once for
    /// each `line_bytes` that it has begun.
    static constexpr std::uint32_t burst = 500, per_second = 50;
    static constexpr std::size_t line_bytes = 512;
    /// The first lines of each worker are always taken: they say why it died.
    static constexpr std::uint32_t first_lines = 20;

    /// False: the line is dropped, and counted.
    bool takes(std::string_view line, Speech& of, Time now);

 private:
    Time paid_at_ = Time::min();  // when the whole burst may come again
};

/// What was dropped is to be told now: first at once, then at intervals, and when the worker ends.
bool is_to_report(const Speech& speech, Time now, bool ended);

}  // namespace ticketgate::spawn
