// Small pure text functions. ASCII only, as in HTTP.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace ticketgate {

constexpr char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

/// Appends the texts. Few bytes are gathered first: one append() costs more than copying them.
template <class... Texts>
void append_all(std::string& out, const Texts&... texts) {
    std::array<char, 256> gathered;
    const std::size_t size = (std::string_view(texts).size() + ...);
    if (size > gathered.size()) {
        out.reserve(out.size() + size);
        (out.append(std::string_view(texts)), ...);
        return;
    }
    char* to = gathered.data();
    const auto copy = [&to](std::string_view text) {
        std::char_traits<char>::copy(to, text.data(), text.size());
        to += text.size();
    };
    (copy(texts), ...);
    out.append(gathered.data(), size);
}

/// A number as text, without an allocation.
class Decimal {
 public:
    explicit Decimal(std::integral auto number)
        : end_(std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr) {}
    Decimal(const Decimal&) = delete;  // it points into itself
    Decimal& operator=(const Decimal&) = delete;
    // NOLINTNEXTLINE(google-explicit-constructor): as a text in append_all()
    operator std::string_view() const { return {digits_.data(), end_}; }

 private:
    std::array<char, 20> digits_;  // of any 64 bits
    const char* end_;
};

/// Compares without regard to ASCII case.
bool iequals(std::string_view a, std::string_view b);

/// Empties it and frees its memory; in libstdc++, `text = {}` and clear() keep the memory.
inline void release(std::string& text) {
    std::string().swap(text);
}

/// Empties it; keeps a small buffer for the next use, and frees a large one.
inline void release_large(std::string& text) {
    constexpr std::size_t little = 4 << 10;
    text.capacity() > little ? release(text) : text.clear();
}

/// Returns the text without spaces and tabs at both ends (RFC 9110 5.6.3, OWS).
std::string_view trim(std::string_view text);

/// Calls `use(element)` for each non-empty element of a comma-separated list (RFC 9110 5.6.1).
template <class Use>
void for_each_element(std::string_view list, Use use) {
    while (!list.empty()) {
        const auto comma = list.find(',');
        const auto element = trim(list.substr(0, comma));
        if (!element.empty()) use(element);
        if (comma == std::string_view::npos) return;
        list.remove_prefix(comma + 1);
    }
}

/// True if the comma-separated list holds this element, without regard to case.
bool list_has(std::string_view list, std::string_view element);

/// Parses `500ms`, `2s`, `1m`, `1h`, `1.5s`; no sign.
std::optional<milliseconds> parse_duration(std::string_view text);

/// Parses `64KiB`, `8MiB`, `1GiB`, `512` (bytes), `512B`; also kB, MB, GB in powers of 1000.
std::optional<std::uint64_t> parse_size(std::string_view text);

/// Print the shortest exact spelling of a duration or a size in the config's units.
std::string print_duration(milliseconds value);
std::string print_size(std::uint64_t bytes);

/// Returns the member of `known` nearest to `word` by edit distance; empty if none is near.
template <class Range>
std::string_view nearest(std::string_view word, const Range& known);

/// The Levenshtein distance; for hints in error messages.
std::size_t edit_distance(std::string_view a, std::string_view b);

template <class Range>
std::string_view nearest(std::string_view word, const Range& known) {
    std::string_view best;
    std::size_t best_distance = word.size() / 3 + 2;
    for (std::string_view candidate : known) {
        const auto distance = edit_distance(word, candidate);
        if (distance < best_distance) {
            best_distance = distance;
            best = candidate;
        }
    }
    return best;
}

}  // namespace ticketgate
