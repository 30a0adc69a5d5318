#include "top/ansi.hpp"

#include <array>

namespace ticketgate::top {
namespace {

constexpr std::array<std::string_view, 5> begins{"", "\x1b[1m", "\x1b[7m", "\x1b[1;31m", "\x1b[2m"};

}  // namespace

// Clears before it writes: behind a line as wide as the terminal the cursor still stands on its
// last character.
std::string painted(const std::vector<Line>& lines, bool colours) {
    std::string out = "\x1b[H";
    for (const auto& line : lines) {
        if (&line != &lines.front()) out += "\r\n";
        out += &line == &lines.back() ? "\x1b[J" : "\x1b[K";
        const auto begin = begins[static_cast<std::size_t>(line.style)];
        const bool styled = colours && !begin.empty();
        out += styled ? std::string(begin) + line.text + "\x1b[0m" : line.text;
    }
    return out;
}

std::string plain(const std::vector<Line>& lines) {
    std::string out;
    for (const auto& line : lines) out += line.text + "\n";
    return out;
}

}  // namespace ticketgate::top
