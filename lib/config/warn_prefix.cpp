// Warns about prefixes written as patterns: in a prefix each character matches only itself.
#include <algorithm>

#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

// Returns the part of the prefix that looks like a pattern: `*` (nginx, Apache, Caddy), `{id}`, `^`
// and `$` (regular expressions), `/:id` (routers of many frameworks). Empty: nothing.
std::string_view pattern_in(std::string_view prefix) {
    for (const std::string_view sign : {"*", "^", "{", "/:"})
        if (prefix.find(sign) != prefix.npos) return sign;
    return prefix.ends_with('$') ? "$" : "";
}

// `/shop` of `/shop/*`, `/shop/.*` or `^/shop/$`; empty: there is more of a pattern inside.
std::string without_pattern(std::string_view prefix) {
    const auto end = prefix.find_last_not_of("*.^$/");
    const std::string rest(prefix.substr(0, end == prefix.npos ? 0 : end + 1));
    if (rest.empty()) return "/";
    return pattern_in(rest).empty() ? rest : "";
}

std::string remedy(std::string_view prefix) {
    const auto meant = without_pattern(prefix);
    if (meant.empty()) return "for a pattern write regex:";
    if (meant == "/") return "write prefix: /, which matches everything";
    return "write prefix: " + meant + ", which also matches all below " + meant + "/";
}

}  // namespace

void warn_patterns(const Config& config, Problems& problems) {
    for (const RouteNode& route : config.routes) {
        const auto sign = pattern_in(route.prefix);
        if (sign.empty()) continue;
        problems.warn(route.mark, route.path + ".prefix",
                      "a prefix is not a pattern: only paths with a literal " + std::string(sign) +
                          " in this place match; " + remedy(route.prefix));
    }
}

}  // namespace ticketgate::config
