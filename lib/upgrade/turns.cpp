#include "upgrade/turns.hpp"

#include <algorithm>

namespace ticketgate::upgrade {

Step step(Turn current, Event event) {
    if (event == Event::alone) return {Turn::ours};
    switch (current) {
        case Turn::ours:
            if (event == Event::idle) return {Turn::theirs, Say::give};
            if (event == Event::asked) return {Turn::returning};
            break;
        case Turn::theirs:
            if (event == Event::given) return {Turn::ours};
            if (event == Event::wanted) return {Turn::asked, Say::ask};
            break;
        case Turn::asked:
            if (event == Event::given) return {Turn::ours};
            break;
        case Turn::returning:
            if (event == Event::idle) return {Turn::theirs, Say::give};
            break;
    }
    return {current};
}

bool Turns::ours(const std::string& queue) const {
    const auto found = turns_.find(queue);
    return found == turns_.end() || found->second == Turn::ours;
}

std::optional<Event> seen(Side side, Turn current, const Line& line) {
    const bool old = side == Side::old_process;
    if (current == Turn::ours && old && !line.waits && !line.runs) return Event::idle;
    if (current == Turn::returning && !line.runs) return Event::idle;
    if (current == Turn::theirs && old && line.waits) return Event::wanted;
    return std::nullopt;
}

Say Turns::look(const std::string& queue, const Line& line) {
    const auto found = turns_.find(queue);
    if (found == turns_.end()) return Say::nothing;
    const auto event = seen(side_, found->second, line);
    if (!event) return Say::nothing;
    const Step next = step(found->second, *event);
    found->second = next.next;
    return next.say;
}

bool Turns::heard(const std::string& queue, Event event) {
    const auto found = turns_.find(queue);
    if (found == turns_.end()) return false;
    const Turn before = found->second;
    found->second = step(before, event).next;
    return found->second != before;
}

std::vector<std::string> Turns::alone() {
    std::vector<std::string> taken;
    for (auto& [queue, current] : turns_) {
        if (current == Turn::theirs || current == Turn::asked) taken.push_back(queue);
        current = step(current, Event::alone).next;
    }
    return taken;
}

bool Turns::all_theirs() const {
    return std::ranges::all_of(turns_, [](const auto& one) { return one.second == Turn::theirs; });
}

}  // namespace ticketgate::upgrade
