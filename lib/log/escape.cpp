#include "log/escape.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"

namespace ticketgate {
namespace {

constexpr bool plain(unsigned char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

constexpr auto plain_bytes = [] {
    std::array<bool, 256> table{};
    for (unsigned c = 0; c < table.size(); ++c) table[c] = plain(static_cast<unsigned char>(c));
    return table;
}();

std::size_t plain_run(std::string_view text) {
    std::size_t n = 0;
    while (n < text.size() && plain_bytes[static_cast<unsigned char>(text[n])]) ++n;
    return n;
}

void append_hex(std::string& out, std::string_view prefix, unsigned char c) {
    out.append(prefix);
    const auto digits = hex_pair(c);
    out.append(digits.data(), digits.size());
}

// The letter after the backslash, or 0.
char short_escape(char c) {
    switch (c) {
        case '"':
        case '\\':
            return c;
        case '\n':
            return 'n';
        case '\r':
            return 'r';
        case '\t':
            return 't';
        default:
            return 0;
    }
}

bool continues(std::string_view text, std::size_t i) {
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
}

// The length of the well-formed UTF-8 character of two to four bytes at the front, or 0
// (Unicode 3.9, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t utf8_size(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    const auto second = text.size() > 1 ? static_cast<unsigned char>(text[1]) : 0u;
    if (!continues(text, 1)) return 0;
    if (first >= 0xc2 && first <= 0xdf) return 2;
    if (!continues(text, 2)) return 0;
    if (first == 0xe0) return second >= 0xa0 ? 3 : 0;
    if (first == 0xed) return second <= 0x9f ? 3 : 0;
    if (first >= 0xe1 && first <= 0xef) return 3;
    if (!continues(text, 3)) return 0;
    if (first == 0xf0) return second >= 0x90 ? 4 : 0;
    if (first == 0xf4) return second <= 0x8f ? 4 : 0;
    return first >= 0xf1 && first <= 0xf3 ? 4 : 0;
}

// Appends a character that is special in JSON or not ASCII; returns its size in `text`.
std::size_t append_special(std::string& out, std::string_view text) {
    const auto c = static_cast<unsigned char>(text[0]);
    if (const char letter = short_escape(text[0])) {
        out.push_back('\\');
        out.push_back(letter);
        return 1;
    }
    if (c < 0x80) return append_hex(out, "\\u00", c), 1;
    const auto size = utf8_size(text);
    if (size == 0) return append_hex(out, "\\\\x", c), 1;
    const auto second = static_cast<unsigned char>(text[1]);
    if (c == 0xc2 && second < 0xa0)
        append_hex(out, "\\u00", second);  // C1: some terminals act on it
    else
        out.append(text.substr(0, size));
    return size;
}

}  // namespace

void append_json(std::string& out, std::string_view text) {
    for (;;) {
        const auto run = plain_run(text);
        out.append(text.substr(0, run));
        text.remove_prefix(run);
        if (text.empty()) return;
        text.remove_prefix(append_special(out, text));
    }
}

void append_quoted(std::string& out, std::string_view text) {
    for (;;) {
        const auto run = plain_run(text);
        out.append(text.substr(0, run));
        text.remove_prefix(run);
        if (text.empty()) return;
        if (const char letter = short_escape(text[0]))
            out.append({'\\', letter});
        else
            append_hex(out, "\\x", static_cast<unsigned char>(text[0]));
        text.remove_prefix(1);
    }
}

void append_html(std::string& out, std::string_view text) {
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            case '\'':
                out += "&#39;";
                break;
            default:
                out += c;
        }
    }
}

void append_word(std::string& out, std::string_view text) {
    const bool word = !text.empty() && plain_run(text) == text.size() &&
                      text.find_first_of(" =") == std::string_view::npos;
    if (word) {
        out.append(text);
        return;
    }
    out.push_back('"');
    append_json(out, text);
    out.push_back('"');
}

void append_sentence(std::string& out, std::string_view text) {
    for (;;) {
        const auto mark = std::min(text.find_first_of("\"\\"), text.size());
        append_json(out, text.substr(0, mark));
        if (mark == text.size()) return;
        out.push_back(text[mark]);
        text.remove_prefix(mark + 1);
    }
}

}  // namespace ticketgate
