#include "top/keys.hpp"

#include <algorithm>

namespace ticketgate::top {
namespace {

constexpr char esc = '\x1b';

// Takes a control sequence (ESC [ or ESC O, parameters, a final byte) from the front of `bytes`.
Pressed take_sequence(std::string_view& bytes) {
    const bool sequence = bytes.size() > 1 && (bytes[1] == '[' || bytes[1] == 'O');
    if (!sequence) {
        bytes.remove_prefix(1);
        return {Key::escape};
    }
    bytes.remove_prefix(2);
    const auto is_final = [](char c) { return c >= 0x40 && c <= 0x7e; };
    const auto end = std::ranges::find_if(bytes, is_final);
    const char last = end == bytes.end() ? '\0' : *end;
    const bool plain = end == bytes.begin();
    bytes.remove_prefix(static_cast<std::size_t>(end - bytes.begin()) + (last == '\0' ? 0 : 1));
    if (plain && last == 'A') return {Key::up};
    if (plain && last == 'B') return {Key::down};
    return {Key::other};
}

Pressed one_byte(char byte) {
    switch (byte) {
        case '\t':
            return {Key::tab};
        case '\x03':
            return {Key::interrupt};
        case '\x1a':
            return {Key::suspend};
        case '\x0c':
            return {Key::redraw};
        default:
            return byte >= ' ' && byte < '\x7f' ? Pressed{Key::letter, byte} : Pressed{};
    }
}

}  // namespace

std::vector<Pressed> keys_in(std::string_view bytes) {
    std::vector<Pressed> keys;
    while (!bytes.empty()) {
        if (bytes.front() == esc) {
            keys.push_back(take_sequence(bytes));
            continue;
        }
        keys.push_back(one_byte(bytes.front()));
        bytes.remove_prefix(1);
    }
    return keys;
}

}  // namespace ticketgate::top
