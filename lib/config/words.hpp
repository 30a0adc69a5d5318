// Helpers for the files that read values.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace ticketgate::config {

/// Prepares text for a message: quoted, on one line, printable, truncated.
std::string shown(std::string_view text);

inline std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = to_lower(c);
    return out;
}

inline std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return out;
}

template <class Known>
bool is_one_of(std::string_view word, const Known& known) {
    return std::find(known.begin(), known.end(), word) != known.end();
}

}  // namespace ticketgate::config
