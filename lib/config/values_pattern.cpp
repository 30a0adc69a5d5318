#include "config/values_pattern.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "base/bytes.hpp"
#include "config/pattern.hpp"
#include "config/syntax.hpp"
#include "config/words.hpp"

namespace ticketgate::config {
namespace {

// Of a pattern that begins with ^, by the text that each match begins with.
std::string why_no_path(const RE2& pattern) {
    std::string least, most;
    if (!pattern.pattern().starts_with('^') || !pattern.PossibleMatchRange(&least, &most, 8) ||
        least.empty())
        return {};
    if (most < "/" || least >= "0") return "a path begins with /";
    if (least.starts_with("//") && most.starts_with("//"))
        return "// becomes / in every path; write one / there";
    return {};
}

// Without its classes, such as [^ ?]: they may name what no path has.
std::string without_classes(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\') {
            out += text.substr(at++, 2);
        } else if (text[at] != '[') {
            out += text[at];
        } else {
            at =
                std::min(text.find(']', at + (text.substr(at + 1, 1) == "^" ? 3 : 2)), text.size());
        }
    }
    return out;
}

// The character that a percent code stands for, or for a byte outside ASCII its code.
std::string other_spelling(std::string_view code) {
    if (code.size() == 3) return {static_cast<char>(hex_value(code[1]) * 16 + hex_value(code[2]))};
    const auto pair = hex_pair(static_cast<std::uint8_t>(code[0]), upper_hex_digits);
    return "%" + std::string(pair.data(), pair.size());
}

// Returns the warning for a spelling that no path has; empty: the pattern has none, or it also has
// the spelling of paths. This is no error, since the rest of the pattern may match.
std::string never_in_paths(std::string_view text) {
    const bool any_case = text.find("(?i") != text.npos;
    const auto has = [&](const std::string& part) { return text.find(part) != text.npos; };
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (static_cast<unsigned char>(text[at]) > 0x7f && !has(other_spelling(text.substr(at, 1))))
            return "has a letter outside ASCII, and no path has one: each of its bytes is a "
                   "percent code in upper case there, such as %C3%BC";
        const auto given = text.substr(at, 3);
        const std::string code = any_case ? upper(given) : std::string(given);
        if (code[0] != '%' || code.size() < 3 || hex_value(code[1]) < 0 || hex_value(code[2]) < 0)
            continue;
        if (has(upper(code) == code ? other_spelling(code) : upper(code))) continue;
        if (auto why = why_not_code(code); !why.empty()) return "misses paths: " + why;
    }
    return {};
}

}  // namespace

bool check_regex(const Value& value) {
    const RE2 pattern(value.node.text, pattern_options());
    if (value.node.text.empty())
        return value.fail("an empty pattern matches everything; write prefix: /");
    if (!pattern.ok())
        return value.fail(shown(value.node.text) +
                          " is not a regular expression: " + pattern.error());
    if (const auto why = why_no_path(pattern); !why.empty())
        return value.fail(shown(value.node.text) + " never matches: " + why);
    const std::string text = without_classes(value.node.text);
    const auto warn = [&](const char* why) {
        value.reading.problems.warn(value.node.mark, value.path, why);
    };
    if (text.find(' ') != std::string::npos)
        warn(
            "has a blank, and no path has one (they have %20); a pattern is matched with the path "
            "alone, so leave method, modifiers and blanks out");
    if (text.find("\\?") != std::string::npos)
        warn("has a question mark, and no path has one: queries are not matched");
    if (const auto why = never_in_paths(text); !why.empty()) warn(why.c_str());
    return true;
}

}  // namespace ticketgate::config
