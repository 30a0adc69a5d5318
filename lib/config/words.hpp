// Small things that both halves of values.hpp need.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace ticketgate::config {

/// As it may stand in a message: quoted, on one line, printable, not long.
std::string shown(std::string_view text);

inline std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = to_lower(c);
    return out;
}

template <class Known>
bool is_one_of(std::string_view word, const Known& known) {
    return std::find(known.begin(), known.end(), word) != known.end();
}

}  // namespace ticketgate::config
