#include "upgrade/turns.hpp"

#include <algorithm>

namespace ticketgate::upgrade {
namespace {

// The time before which the other process grants to its tickets. The old one grants to those of the
// same time as well, or neither would.
Time limit_for_the_other(Side side, Time next) {
    return side == Side::old_process || next == Time::max() ? next : next + Duration(1);
}

}  // namespace

bool stays(Side side, Turn current) {
    return side == Side::new_process && current.ours && current.until == Time::max();
}

Step look(Side side, Turn current, const Line& line) {
    const Time limit = limit_for_the_other(side, line.next);
    if (!current.ours)
        return limit < current.until ? Step{{false, limit}, Say::ask} : Step{current};
    if (stays(side, current) || line.runs || line.next < current.until) return {current};
    return {{false, limit}, Say::give};
}

// An ask may cross a give on its way. Then it is for nothing: the asker has the right by now.
Turn hear(Turn current, Say say, Time until) {
    const Say expected = current.ours ? Say::ask : Say::give;
    return say == expected ? Turn{true, until} : current;
}

Time Turns::grants_until(const std::string& queue) const {
    const auto found = turns_.find(queue);
    if (found == turns_.end()) return Time::max();
    return found->second.ours ? found->second.until : Time::min();
}

bool Turns::ours(const std::string& queue) const {
    const auto found = turns_.find(queue);
    return found == turns_.end() || found->second.ours;
}

std::vector<std::string> Turns::theirs() const {
    std::vector<std::string> queues;
    for (const auto& [queue, current] : turns_)
        if (!current.ours) queues.push_back(queue);
    return queues;
}

bool Turns::stays(const std::string& queue) const {
    const auto found = turns_.find(queue);
    return found == turns_.end() || upgrade::stays(side_, found->second);
}

Step Turns::look(const std::string& queue, const Line& line, const Tell& tell) {
    const auto found = turns_.find(queue);
    if (found == turns_.end()) return {};
    const Step step = upgrade::look(side_, found->second, line);
    if (tell) tell(step);
    found->second = step.after;
    return step;
}

bool Turns::hear(const std::string& queue, Say say, Time until) {
    const auto found = turns_.find(queue);
    if (found == turns_.end()) return false;
    const Turn before = found->second;
    found->second = upgrade::hear(before, say, until);
    return found->second != before;
}

std::vector<std::string> Turns::alone() {
    auto taken = theirs();
    for (auto& [queue, current] : turns_) current = {true, Time::max()};
    return taken;
}

bool Turns::all_theirs() const {
    return std::ranges::none_of(turns_, [](const auto& one) { return one.second.ours; });
}

}  // namespace ticketgate::upgrade
