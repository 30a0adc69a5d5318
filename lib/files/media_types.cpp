#include "files/media_types.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace ticketgate::files {
namespace {

// What the web is made of, where the system has no table.
constexpr std::array<std::pair<std::string_view, std::string_view>, 39> own{{
    {"html", "text/html"},
    {"htm", "text/html"},
    {"css", "text/css"},
    {"js", "text/javascript"},
    {"mjs", "text/javascript"},
    {"json", "application/json"},
    {"map", "application/json"},
    {"webmanifest", "application/manifest+json"},
    {"xml", "application/xml"},
    {"xsl", "application/xml"},
    {"txt", "text/plain"},
    {"md", "text/markdown"},
    {"csv", "text/csv"},
    {"vtt", "text/vtt"},
    {"ics", "text/calendar"},
    {"svg", "image/svg+xml"},
    {"png", "image/png"},
    {"jpg", "image/jpeg"},
    {"jpeg", "image/jpeg"},
    {"gif", "image/gif"},
    {"webp", "image/webp"},
    {"avif", "image/avif"},
    {"ico", "image/vnd.microsoft.icon"},
    {"bmp", "image/bmp"},
    {"woff", "font/woff"},
    {"woff2", "font/woff2"},
    {"ttf", "font/ttf"},
    {"otf", "font/otf"},
    {"eot", "application/vnd.ms-fontobject"},
    {"wasm", "application/wasm"},
    {"pdf", "application/pdf"},
    {"zip", "application/zip"},
    {"gz", "application/gzip"},
    {"mp3", "audio/mpeg"},
    {"ogg", "audio/ogg"},
    {"wav", "audio/x-wav"},
    {"mp4", "video/mp4"},
    {"webm", "video/webm"},
    {"atom", "application/atom+xml"},
}};

// Where the web means something else than Debian's table does: parts of a stream (HLS), not files
// of Qt's translators; and the type of feeds that browsers and readers ask for. As in nginx.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> before_the_table{{
    {"ts", "video/mp2t"},
    {"rss", "application/rss+xml"},
}};

constexpr std::array<std::string_view, 9> compressible{"application/javascript",
                                                       "application/json",
                                                       "application/xml",
                                                       "application/wasm",
                                                       "application/rtf",
                                                       "application/vnd.ms-fontobject",
                                                       "font/ttf",
                                                       "font/otf",
                                                       "application/x-javascript"};

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), to_lower);
    return out;
}

std::string_view take_word(std::string_view& line) {
    const auto begin = std::min(line.find_first_not_of(" \t\r"), line.size());
    const auto end = std::min(line.find_first_of(" \t\r", begin), line.size());
    const auto word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

// In lower case, without parameters.
std::string bare(std::string_view type) {
    return lower(trim(type.substr(0, type.find(';'))));
}

std::string with_charset(std::string_view type) {
    const std::string name = bare(type);
    const bool text = name.starts_with("text/") || name == "application/javascript";
    const bool names_one = lower(type).find("charset=") != std::string::npos;
    return std::string(type) + (text && !names_one ? "; charset=utf-8" : "");
}

bool is_compressible(std::string_view type) {
    const std::string name = bare(type);
    return name.starts_with("text/") || name.ends_with("+xml") || name.ends_with("+json") ||
           std::ranges::find(compressible, name) != compressible.end();
}

}  // namespace

MediaType::MediaType(std::string_view type)
    : field(with_charset(type)), compressible(is_compressible(type)) {}

MediaTypes::MediaTypes(std::string_view table) {
    for (const auto& [ending, type] : before_the_table)
        by_ending_.try_emplace(std::string(ending), type);
    while (!table.empty()) {
        auto line = table.substr(0, table.find('\n'));
        table.remove_prefix(std::min(table.size(), line.size() + 1));
        line = line.substr(0, line.find('#'));
        const auto type = take_word(line);
        if (type.find('/') == std::string_view::npos) continue;
        for (auto word = take_word(line); !word.empty(); word = take_word(line))
            by_ending_.try_emplace(lower(word), type);
    }
    for (const auto& [ending, type] : own) by_ending_.try_emplace(std::string(ending), type);
}

const MediaType* MediaTypes::of(std::string_view name) const {
    const auto found = by_ending_.find(ending_of(name));
    return found == by_ending_.end() ? nullptr : &found->second;
}

std::string ending_of(std::string_view name) {
    const auto slash = name.rfind('/');
    if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
    const auto dot = name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return {};
    return lower(name.substr(dot + 1));
}

}  // namespace ticketgate::files
