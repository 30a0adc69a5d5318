// Splits the body of an error answer into text and placeholders, such as `${request_id}`.
// `$${request_id}` is the text ${request_id}: of the dollars directly before a placeholder's brace,
// each pair is one dollar, and an odd one begins the placeholder. All other text stays, also
// `${price}` and `$$(x)`, so a page may contain scripts. Pure.
//
// In the config file, `$` already has a meaning (environment.hpp). There, substitute_body() keeps
// the dollars before a placeholder, so the same escape works in the config file and in body files.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace ticketgate::config {

inline constexpr std::array<std::string_view, 6> placeholders{
    "request_id", "unique_id", "queue", "waited_ms", "waiting", "retry_after"};

bool is_placeholder(std::string_view name);

/// Returns the length of `{name}` at the front if it is a placeholder, else 0.
std::size_t braced_placeholder(std::string_view text);

/// Calls text(piece) and name(placeholder) for the parts of `body`, in order.
template <class Text, class Name>
void for_each_piece(std::string_view body, Text text, Name name) {
    for (;;) {
        const auto before = std::min(body.find('$'), body.size());
        const auto after = std::min(body.find_first_not_of('$', before), body.size());
        if (after == body.size()) return text(body);
        const auto dollars = after - before, braced = braced_placeholder(body.substr(after));
        text(body.substr(0, braced == 0 ? after : before + dollars / 2));
        if (dollars % 2 != 0 && braced != 0) name(body.substr(after + 1, braced - 2));
        if (dollars % 2 == 0) text(body.substr(after, braced));
        body.remove_prefix(after + braced);
    }
}

}  // namespace ticketgate::config
