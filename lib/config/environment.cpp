#include "config/environment.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "config/problem.hpp"

namespace ticketgate::config {
namespace {

bool is_name(std::string_view text) {
    const auto letter = [](char c) {
        return c == '_' || (to_lower(c) >= 'a' && to_lower(c) <= 'z');
    };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return !text.empty() && letter(text[0]) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || digit(c); });
}

std::string not_set(std::string_view name) {
    const bool lower =
        std::none_of(name.begin(), name.end(), [](char c) { return c != to_lower(c); });
    const auto near = lower ? nearest(name, placeholders) : std::string_view{};
    return "environment variable " + std::string(name) + " is not set" +
           (near.empty() ? "; set it or write ${" + std::string(name) + ":-default}"
                         : "; did you mean the placeholder ${" + std::string(near) + "}?");
}

// Returns the value of the text between the braces.
std::string expand(std::string_view inside, const Environment& environment,
                   std::vector<std::string>& complaints) {
    const auto colon = inside.find(':');
    const auto name = inside.substr(0, colon);
    const auto rest = colon == std::string_view::npos ? std::string_view{} : inside.substr(colon);
    if (is_placeholder(inside)) return "${" + std::string(inside) + "}";
    if (!is_name(name) || (!rest.empty() && !rest.starts_with(":-") && !rest.starts_with(":?"))) {
        complaints.push_back(
            "${" + std::string(inside) +
            "} is not a variable; write ${VAR}, ${VAR:-default} or ${VAR:?message}, "
            "and $$ for a plain $");
        return {};
    }
    auto value = environment(name);
    if (rest.empty()) {
        if (!value) complaints.push_back(not_set(name));
    } else if (!value || value->empty()) {
        if (rest[1] == '-') return std::string(rest.substr(2));
        complaints.push_back("environment variable " + std::string(name) +
                             " is not set: " + std::string(rest.substr(2)));
    }
    return value.value_or("");
}

// Returns the length of the dollars and the placeholder at the front; 0: there is none.
std::size_t dollars_before_placeholder(std::string_view text) {
    const auto dollars = std::min(text.find_first_not_of('$'), text.size());
    const auto braced = braced_placeholder(text.substr(dollars));
    return braced == 0 ? 0 : dollars + braced;
}

std::string fill_in(std::string_view text, bool is_body, const Environment& environment,
                    std::vector<std::string>& complaints) {
    std::string out;
    while (!text.empty()) {
        const auto dollar = std::min(text.find('$'), text.size());
        out += text.substr(0, dollar);
        text.remove_prefix(dollar);
        if (const auto kept = is_body ? dollars_before_placeholder(text) : 0; kept != 0) {
            out += text.substr(0, kept);
            text.remove_prefix(kept);
        } else if (text.starts_with("$$")) {
            out += '$';
            text.remove_prefix(2);
        } else if (text.starts_with("${")) {
            const auto end = text.find('}');
            if (end == std::string_view::npos) {
                complaints.push_back("${ without }; write $$ for a plain $");
                return out;
            }
            out += expand(text.substr(2, end - 2), environment, complaints);
            text.remove_prefix(end + 1);
        } else if (!text.empty()) {
            out += '$';
            text.remove_prefix(1);
        }
    }
    return out;
}

}  // namespace

Environment environment_of(std::map<std::string, std::string, std::less<>> variables) {
    return [known = std::move(variables)](std::string_view name) -> std::optional<std::string> {
        const auto found = known.find(name);
        if (found == known.end()) return std::nullopt;
        return found->second;
    };
}

std::string substitute(std::string_view text, const Environment& environment,
                       std::vector<std::string>& complaints) {
    return fill_in(text, false, environment, complaints);
}

std::string substitute_body(std::string_view text, const Environment& environment,
                            std::vector<std::string>& complaints) {
    return fill_in(text, true, environment, complaints);
}

std::vector<std::string_view> names_in(std::string_view text) {
    std::vector<std::string_view> names;
    for (auto at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2)) {
        const auto end = text.find('}', at);
        if (end == std::string_view::npos) break;
        names.push_back(text.substr(at + 2, end - at - 2));
    }
    return names;
}

}  // namespace ticketgate::config
