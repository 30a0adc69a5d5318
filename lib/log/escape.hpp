// Escapes bytes from outside for one line of a log. Pure; any thread.
// All escape control characters (C0, DEL and C1), so a line stays one line and cannot control a
// terminal that shows it.
#pragma once

#include <string>
#include <string_view>

namespace ticketgate {

/// For the inside of a JSON string. Valid UTF-8 passes; other bytes become the text \xHH.
void append_json(std::string& out, std::string_view text);

/// For the inside of a quoted field of `combined`, as httpd does it: all but printable ASCII is
/// \xHH.
void append_quoted(std::string& out, std::string_view text);

/// For the text of an HTML element, or an attribute's value in quotes. `text` is valid UTF-8.
void append_html(std::string& out, std::string_view text);

/// For people: unchanged if it is one plain word, else in quotes, escaped as in JSON.
void append_word(std::string& out, std::string_view text);

/// For people: a sentence of ticketgate's own, in which quotes need no escape.
void append_sentence(std::string& out, std::string_view text);

}  // namespace ticketgate
