#include "config/cache_control.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/syntax.hpp"
#include "config/words.hpp"

namespace ticketgate::config {
namespace {

// With a number of seconds.
constexpr std::array<std::string_view, 4> timed{"max-age", "s-maxage", "stale-while-revalidate",
                                                "stale-if-error"};
constexpr std::array<std::string_view, 9> plain{
    "public",          "private",          "no-cache",        "no-store", "no-transform",
    "must-revalidate", "proxy-revalidate", "must-understand", "immutable"};

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_quoted(std::string_view text) {
    if (text.size() < 2 || !text.starts_with('"') || !text.ends_with('"')) return false;
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        if (text[i] == '"') return false;
        if (text[i] != '\\') continue;
        ++i;  // the character that it quotes
        if (i + 1 == text.size()) return false;
    }
    return true;
}

// Where the first directive ends: commas in quotes do not count.
std::size_t end_of_first(std::string_view text) {
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quoted && text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (text[i] == ',' && !quoted)
            return i;
    }
    return text.size();
}

std::string why_not_directive(std::string_view one) {
    const auto equals = one.find('=');
    const std::string name = lower(one.substr(0, equals));
    const std::string_view value = equals == one.npos ? "" : one.substr(equals + 1);
    if (is_one_of(name, timed))
        return is_number(value) ? "" : "has a number of seconds; write \"" + name + "=3600\"";
    if (one.find_first_of(" \t:;") < one.find('"'))
        return "is no directive; write them as in \"public, max-age=3600\"";
    if (equals != one.npos && is_token(name) && (is_token(value) || is_quoted(value))) return {};
    if (is_one_of(name, plain) && equals == one.npos) return {};
    return "is no directive that caches know, and no time; write \"max-age=3600\", no-cache or "
           "no-store, or off for no Cache-Control";
}

}  // namespace

std::string why_not_cache_control(std::string_view text) {
    if (trim(text).empty()) return "is empty; write off for no Cache-Control";
    while (true) {
        const auto end = end_of_first(text);
        const auto one = trim(text.substr(0, end));
        const auto why = one.empty() ? "is no directive" : why_not_directive(one);
        if (!why.empty()) return shown(one) + " " + why;
        if (end == text.size()) return {};
        text.remove_prefix(end + 1);
    }
}

}  // namespace ticketgate::config
