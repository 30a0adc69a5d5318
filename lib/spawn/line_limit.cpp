#include "spawn/line_limit.hpp"

#include <algorithm>

namespace ticketgate::spawn {
namespace {

constexpr Duration report_after = 5s;

constexpr Duration price = Duration(1s) / LineLimit::per_second;
constexpr Duration most_debt = price * LineLimit::burst;

Duration price_of(std::string_view line) {
    const std::size_t begun = (line.size() + LineLimit::line_bytes - 1) / LineLimit::line_bytes;
    return price * std::max<std::size_t>(begun, 1);
}

}  // namespace

bool LineLimit::takes(std::string_view line, Speech& of, Time now) {
    const bool first = of.first_lines < first_lines;
    const Time paid = std::max(paid_at_, now) + price_of(line);
    if (!first && paid > now + most_debt) {
        ++of.dropped;
        of.last = line;
        return false;
    }
    if (first) ++of.first_lines;
    paid_at_ = std::min(paid, now + most_debt);
    return true;
}

bool is_to_report(const Speech& speech, Time now, bool ended) {
    return speech.dropped != 0 && (ended || now >= speech.reported + report_after);
}

}  // namespace ticketgate::spawn
