#include "proxy/method_override.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "base/text.hpp"

namespace ticketgate {
namespace {

constexpr std::string_view parameter = "_method";

// Takes the next character of a form's name, decoded.
char take_decoded(std::string_view& text) {
    const char c = text.front();
    if (c == '%' && text.size() > 2 && hex_value(text[1]) >= 0 && hex_value(text[2]) >= 0) {
        const int value = hex_value(text[1]) * 16 + hex_value(text[2]);
        text.remove_prefix(3);
        return static_cast<char>(value);
    }
    text.remove_prefix(1);
    return c == '+' ? ' ' : c;
}

// As php_register_variable_ex: blanks before the name do not count, blanks and dots in it become
// `_`, and it ends at a zero byte or at the bracket of an array's index.
bool is_parameter(std::string_view name) {
    std::size_t matched = 0;
    bool begun = false;
    while (!name.empty()) {
        char c = take_decoded(name);
        if (!begun && c == ' ') continue;
        begun = true;
        if (c == '\0' || c == '[') break;
        if (c == ' ' || c == '.') c = '_';
        if (matched == parameter.size() || to_lower(c) != parameter[matched]) return false;
        ++matched;
    }
    return matched == parameter.size();
}

// Of these methods a body has no meaning (RFC 9110 9.3), and ordinary clients send none.
bool expects_no_body(std::string_view method) {
    constexpr std::array<std::string_view, 4> methods{"GET", "HEAD", "OPTIONS", "DELETE"};
    return std::ranges::find(methods, method) != methods.end();
}

}  // namespace

bool has_method_parameter(std::string_view target) {
    const auto question = target.find('?');
    if (question == std::string_view::npos) return false;
    auto query = target.substr(question + 1);
    while (!query.empty()) {
        const auto end = std::min(query.find_first_of("&;"), query.size());
        const auto one = query.substr(0, end);
        if (is_parameter(one.substr(0, one.find('=')))) return true;
        query.remove_prefix(std::min(end + 1, query.size()));
    }
    return false;
}

bool names_another_method(const http::RequestHead& head, config::MethodOverride policy,
                          const http::NameSet& headers) {
    if (policy == config::MethodOverride::forward) return false;
    if (has_method_parameter(head.target)) return true;
    if (expects_no_body(head.method) && head.has_body()) return true;
    return policy == config::MethodOverride::queue &&
           std::ranges::any_of(
               head.fields, [&](const http::Field& field) { return headers.contains(field.name); });
}

}  // namespace ticketgate
