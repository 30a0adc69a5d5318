// What a terminal sends for the keys that are pressed, as values. Pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ticketgate::top {

enum class Key : std::uint8_t {
    letter,
    up,
    down,
    tab,
    escape,
    interrupt,  ///< Ctrl-C
    suspend,    ///< Ctrl-Z
    redraw,     ///< Ctrl-L
    other
};

struct Pressed {
    Key key = Key::other;
    char letter = 0;
    bool operator==(const Pressed&) const = default;
};

/// The keys in one read. A sequence that the read cuts is `other`: a terminal sends it whole.
std::vector<Pressed> keys_in(std::string_view bytes);

}  // namespace ticketgate::top
