#include "http/malformed.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "http/framing.hpp"

namespace ticketgate::http {
namespace {

constexpr std::array<std::string_view, 4> framing_names{"content-length", "transfer-encoding",
                                                        "connection", "upgrade"};

// True if `name` begins with `word`, in any case and with any characters that are none of a token's
// in between.
bool begins_loosely(std::string_view name, std::string_view word) {
    for (const char c : name) {
        if (word.empty()) break;
        if (!is_token_char(c)) continue;
        if (to_lower(c) != word.front()) return false;
        word.remove_prefix(1);
    }
    return word.empty();
}

bool contains_loosely(std::string_view name, std::string_view word) {
    for (std::size_t at = 0; at < name.size(); ++at)
        if (is_token_char(name[at]) && begins_loosely(name.substr(at), word)) return true;
    return false;
}

// Checks RFC 9110 5.1 and 5.5.
bool well_formed(std::string_view line) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return false;
    return std::ranges::all_of(line.substr(0, colon), is_token_char) &&
           std::ranges::all_of(line.substr(colon + 1), is_text_char);
}

// A reason phrase says nothing about framing: PHP writes what a script puts there.
std::string_view without_bad_reason(std::string_view status_line) {
    constexpr std::size_t code_ends = 12;  // `HTTP/1.1 200`
    return std::ranges::all_of(status_line, is_text_char) ? status_line
                                                          : status_line.substr(0, code_ends);
}

}  // namespace

bool may_frame(std::string_view line) {
    const auto name = line.substr(0, line.find(':'));
    return std::ranges::none_of(name, is_token_char) ||
           std::ranges::any_of(framing_names,
                               [&](std::string_view word) { return contains_loosely(name, word); });
}

std::string without_malformed_fields(std::string_view head) {
    const auto first = head.find("\r\n");
    if (first == std::string_view::npos) return {};
    std::string rest(without_bad_reason(head.substr(0, first)));
    rest.append("\r\n");
    for (auto lines = head.substr(first + 2); !lines.empty();) {
        const auto end = lines.find("\r\n");
        if (end == std::string_view::npos) return {};
        const auto line = lines.substr(0, end);
        const bool good = line.empty() || well_formed(line);
        if (!good && may_frame(line)) return {};
        if (good) rest.append(line).append("\r\n");
        lines.remove_prefix(end + 2);
    }
    return rest;
}

}  // namespace ticketgate::http
