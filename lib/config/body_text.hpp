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

/// Text, and the placeholder or the text behind it. Each may be empty.
struct BodyPiece {
    std::string_view text, name, more_text;
};

/// Takes the next piece off a body that is not empty.
BodyPiece take_piece(std::string_view& body);

/// Calls text(piece) and name(placeholder) for the parts of `body`, in order.
template <class Text, class Name>
void for_each_piece(std::string_view body, Text text, Name name) {
    while (!body.empty()) {
        const BodyPiece piece = take_piece(body);
        text(piece.text);
        if (!piece.name.empty()) name(piece.name);
        text(piece.more_text);
    }
}

}  // namespace ticketgate::config
