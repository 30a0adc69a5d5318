#include "config/values_pattern.hpp"

#include <re2/re2.h>

#include <string>

#include "config/pattern.hpp"
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
    const auto& text = value.node.text;
    const auto warn = [&](const char* why) {
        value.reading.problems.warn(value.node.mark, value.path, why);
    };
    if (text.find(' ') != std::string::npos)
        warn(
            "has a blank, and no path has one (they have %20); a pattern is matched with the path "
            "alone, so leave method, modifiers and blanks out");
    if (text.find("\\?") != std::string::npos)
        warn("has a question mark, and no path has one: queries are not matched");
    return true;
}

}  // namespace ticketgate::config
