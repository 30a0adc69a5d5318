// Lines as bytes for a terminal: the control sequences of ECMA-48 that every terminal knows. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "top/screen.hpp"

namespace ticketgate::top {

/// Another screen, no cursor, no wrapped lines; and all of it back.
inline constexpr std::string_view enter_screen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J";
inline constexpr std::string_view leave_screen = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";

/// Paints the lines over what the screen has, without a moment in which it is empty.
std::string painted(const std::vector<Line>& lines, bool colours);

/// The lines alone, for a pipe or a file.
std::string plain(const std::vector<Line>& lines);

}  // namespace ticketgate::top
