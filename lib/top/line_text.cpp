#include "top/line_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

namespace ticketgate::top {
namespace {

bool continues(char byte) {
    return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// The bytes of the character at the front; 0: it is none that may be printed.
std::size_t character(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    if (lead < 0x80) return lead >= ' ' && lead != 0x7f ? 1 : 0;
    const std::size_t size = lead >= 0xf0 && lead < 0xf5   ? 4
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xc3 && lead < 0xe0 ? 2  // c2: also C1 controls
                                                           : 0;
    if (size == 0 || text.size() < size) return 0;
    const auto rest = text.substr(1, size - 1);
    return std::ranges::all_of(rest, continues) ? size : 0;
}

constexpr std::string_view more = " \\";  // a shell goes on in the next line

// As a shell splits them: blanks within quotes belong to a word.
std::vector<std::string> words_of(std::string_view command) {
    std::vector<std::string> words(1);
    bool quoted = false;
    for (const char c : command) {
        if (c == '\'') quoted = !quoted;
        if (c == ' ' && !quoted)
            words.emplace_back();
        else
            words.back() += c;
    }
    return words;
}

std::string with_unit(std::int64_t large, const char* unit, std::int64_t small, const char* sub) {
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), "%lld%s%02lld%s", static_cast<long long>(large), unit,
                  static_cast<long long>(small), sub);
    return text.data();
}

}  // namespace

std::size_t length(std::string_view text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string printable(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto size = character(text);
        if (size == 0)
            out += '?';
        else
            out += text.substr(0, size);
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    return out;
}

std::string cut(std::string_view text, std::size_t width) {
    if (length(text) <= width) return std::string(text);
    if (width == 0) return {};
    std::size_t end = 0;
    for (std::size_t shown = 0; end < text.size(); ++end)
        if (!continues(text[end]) && ++shown == width) break;
    return std::string(text.substr(0, end)) + ">";
}

std::string padded(std::string_view text, std::size_t width) {
    auto out = cut(text, width);
    return out + std::string(width - length(out), ' ');
}

std::vector<std::string> folded_command(const std::string& text, std::size_t width) {
    constexpr std::string_view begin = ": ticketgate ";
    const auto at = text.find(begin);
    if (length(text) <= width || at == std::string::npos) return {text};
    std::vector<std::string> lines{text.substr(0, at + 1)};
    std::string line = "   ";
    for (const auto& word : words_of(std::string_view(text).substr(at + 2))) {
        if (length(line) + 1 + length(word) + more.size() > width && line != "   ") {
            lines.push_back(line.append(more));
            line = "       ";
        }
        line.append(" ").append(word);
    }
    lines.push_back(line);
    return lines;
}

std::vector<std::string> folded(const std::string& text, std::size_t width) {
    if (length(text) <= width) return {text};
    const auto indent = std::min(text.find_first_not_of(' '), text.size());
    const std::string next(indent + 2, ' ');
    std::vector<std::string> lines{std::string(indent, ' ')};
    bool begun = false;
    std::istringstream words(text);
    for (std::string word; words >> word; begun = true) {
        if (begun && length(lines.back()) + 1 + length(word) > width) {
            lines.push_back(next);
            begun = false;
        }
        lines.back().append(begun ? " " : "").append(word);
    }
    return lines;
}

std::string duration_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(seconds);
    if (whole < 60) {
        std::array<char, 32> text;
        std::snprintf(text.data(), text.size(), "%.1fs", std::min(seconds, 59.9));
        return text.data();
    }
    if (whole < 3600) return with_unit(whole / 60, "m", whole % 60, "s");
    if (whole < 86400) return with_unit(whole / 3600, "h", whole / 60 % 60, "m");
    return with_unit(whole / 86400, "d", whole / 3600 % 24, "h");
}

std::string clock_text(std::int64_t unix_s, std::int64_t utc_offset) {
    const auto of_day = ((unix_s + utc_offset) % 86400 + 86400) % 86400;
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%02d:%02d:%02d", static_cast<int>(of_day / 3600),
                  static_cast<int>(of_day / 60 % 60), static_cast<int>(of_day % 60));
    return text.data();
}

std::vector<std::string> aligned(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], length(row[i]));
    }
    std::vector<std::string> lines;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i]) + "  ";
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
    }
    return lines;
}

}  // namespace ticketgate::top
