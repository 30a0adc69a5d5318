// Text for the cells of a terminal. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ticketgate::top {

/// How many characters of UTF-8.
std::size_t length(std::string_view text);
/// Without control characters and without bytes that are no UTF-8 letter: others choose the texts.
std::string printable(std::string_view text);
/// At most `width` characters; a cut text ends in `>`.
std::string cut(std::string_view text, std::size_t width);
/// Exactly `width` characters.
std::string padded(std::string_view text, std::size_t width);

/// A text that ends in `: ticketgate ...`, in lines of at most `width` characters that a shell
/// reads as the same command; a longer word stands alone. Any other text as it is.
std::vector<std::string> folded_command(const std::string& text, std::size_t width);

/// The text in lines of at most `width` characters, folded at blanks; those behind the first begin
/// two further in than it. A longer word stands alone.
std::vector<std::string> folded(const std::string& text, std::size_t width);

/// `4.2s`, `3m05s`, `2h07m`, `5d03h`.
std::string duration_text(double seconds);
/// `14:03:22`, the time of day at this Unix time.
std::string clock_text(std::int64_t unix_s, std::int64_t utc_offset);

/// One line for each row: columns as wide as their widest cell, two blanks between them.
std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows);

}  // namespace ticketgate::top
