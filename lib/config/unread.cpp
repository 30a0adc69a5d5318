#include "config/unread.hpp"

namespace ticketgate::config {

bool Unread::touches(std::string_view path) const {
    if (paths_.empty()) return false;
    if (path.empty() || holds_one(path)) return true;
    for (auto end = path.size(); end != path.npos && end != 0;
         end = path.find_last_of(".[", end - 1))
        if (paths_.contains(path.substr(0, end))) return true;
    return paths_.contains("");
}

// Two look-ups, since `a-b` sorts between `a` and `a.b`.
bool Unread::holds_one(std::string_view path) const {
    const auto holds = [&](const std::string& below) {
        const auto found = paths_.lower_bound(below);
        return found != paths_.end() && found->starts_with(below);
    };
    return holds(std::string(path) + '.') || holds(std::string(path) + '[');
}

}  // namespace ticketgate::config
