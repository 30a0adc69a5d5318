#include "http/malformed.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "http/framing.hpp"

namespace ticketgate::http {
namespace {

// True if any parser may read it as framing: some drop invalid characters before they compare.
bool may_frame(std::string_view line) {
    std::string name;
    for (const char c : line.substr(0, line.find(':')))
        if (is_token_char(c)) name += to_lower(c);
    constexpr std::array<std::string_view, 4> framing{"content-length", "transfer-encoding",
                                                      "connection", "upgrade"};
    return name.empty() || std::ranges::any_of(framing, [&](std::string_view word) {
               return name.find(word) != std::string::npos;
           });
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
