#include "files/names.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "base/text.hpp"

namespace ticketgate::files {
namespace {

constexpr std::string_view well_known = ".well-known";

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool starts_with(std::string_view text, std::string_view start) {
    return text.size() >= start.size() && iequals(text.substr(0, start.size()), start);
}

// `php`, `php7`, `phps`, `phtml`, `php~`, `php_old`; not `phpdoc`.
bool runs(std::string_view ending) {
    static constexpr std::array<std::string_view, 4> scripts{"php", "phtml", "pht", "phar"};
    return std::ranges::any_of(scripts, [&](std::string_view known) {
        if (!starts_with(ending, known)) return false;
        const auto rest = ending.substr(known.size());
        return rest.empty() || !is_letter(rest[0]) || iequals(rest, "s") || iequals(rest, "t");
    });
}

// `inc`, `inc5`, `inc~`, `inc_old`, `inc (copy)`; not `income`.
bool is_included(std::string_view ending) {
    constexpr std::string_view known = "inc";
    return starts_with(ending, known) &&
           (ending.size() == known.size() || !is_letter(ending[known.size()]));
}

// What a page loads by this name, such as slider.inc.js, is no copy of a script.
bool is_asset(std::string_view ending) {
    static constexpr std::array<std::string_view, 12> assets{
        "js", "mjs", "css", "map", "html", "htm", "json", "svg", "png", "gif", "jpg", "webp"};
    return std::ranges::any_of(assets, [&](auto known) { return iequals(known, ending); });
}

// Most patterns have another first or last character than the name.
bool ends_otherwise(std::string_view pattern, std::string_view name) {
    const auto differ = [](char p, char n) { return p != '*' && to_lower(p) != to_lower(n); };
    return !pattern.empty() &&
           (differ(pattern.back(), name.back()) || differ(pattern.front(), name.front()));
}

// `name` is not empty. Backtracks to the last star only, so the time is the product of the two
// lengths at most.
bool fits(std::string_view pattern, std::string_view name) {
    if (ends_otherwise(pattern, name)) return false;
    std::size_t p = 0, n = 0, star = std::string_view::npos, from = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            from = n;
        } else if (p < pattern.size() && to_lower(pattern[p]) == to_lower(name[n])) {
            ++p;
            ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++from;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string_view last_segment(std::string_view path) {
    const auto slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

// Some file systems leave these out.
std::string_view without_void_end(std::string_view name) {
    while (!name.empty() && (name.back() == '.' || static_cast<unsigned char>(name.back()) <= ' '))
        name.remove_suffix(1);
    return name;
}

// A name without an ending, such as `app`, says nothing of `app.css`.
bool is_copy(std::string_view rest, std::string_view of) {
    return rest.empty() || (last_segment(of).find('.') != std::string_view::npos &&
                            (rest[0] == '.' || rest[0] == '~' || rest[0] == '_'));
}

bool is_plain(char c) {
    constexpr std::string_view marks = "-._~!$&'()*+,;=:@/";
    return is_letter(c) || (c >= '0' && c <= '9') || marks.find(c) != std::string_view::npos;
}

}  // namespace

bool file_path(std::string_view normal, std::string& out) {
    out.clear();
    if (!normal.starts_with('/')) return false;
    for (std::size_t i = 0; i < normal.size(); ++i) {
        if (normal[i] != '%') {
            out += normal[i];
            continue;
        }
        if (i + 2 >= normal.size()) return false;
        const int high = hex_value(normal[i + 1]), low = hex_value(normal[i + 2]);
        if (high < 0 || low < 0 || (high | low) == 0) return false;
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return true;
}

std::string encoded_path(std::string_view path) {
    std::string out;
    for (const char c : path) {
        if (is_plain(c)) {
            out += c;
            continue;
        }
        const auto code = hex_pair(static_cast<std::uint8_t>(c), upper_hex_digits);
        out.append({'%', code[0], code[1]});
    }
    return out;
}

bool is_hidden(std::string_view path, std::span<const std::string> patterns) {
    const auto below = [&](std::string_view pattern) {
        return pattern.starts_with('/') && starts_with(path, pattern) &&
               (path.size() == pattern.size() || path[pattern.size()] == '/');
    };
    if (std::ranges::any_of(patterns, below)) return true;
    for (std::size_t begin = 1; begin < path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const auto segment = path.substr(begin, end - begin);
        if (segment.starts_with('.') && !(begin == 1 && segment == well_known)) return true;
        const auto hides = [&](const std::string& pattern) { return fits(pattern, segment); };
        if (!segment.empty() && std::ranges::any_of(patterns, hides)) return true;
        begin = end + 1;
    }
    return false;
}

bool is_script(std::string_view name) {
    name = without_void_end(last_segment(name));
    bool included = false;
    std::string_view last;
    for (auto dot = name.find('.'); dot != std::string_view::npos;) {
        const auto end = std::min(name.find('.', dot + 1), name.size());
        last = name.substr(dot + 1, end - dot - 1);
        if (runs(last)) return true;
        included = included || is_included(last);
        dot = end == name.size() ? std::string_view::npos : end;
    }
    return included && !is_asset(last);
}

bool is_source(std::string_view path, std::span<const std::string> sources) {
    path = without_void_end(path);
    return std::ranges::any_of(sources, [&](const std::string& source) {
        const auto name = source.starts_with('/') ? path : last_segment(path);
        return starts_with(name, source) && is_copy(name.substr(source.size()), source);
    });
}

std::size_t script_end(std::string_view path) {
    constexpr std::string_view ending = ".php";
    for (std::size_t begin = 1; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const auto segment = path.substr(begin, end - begin);
        if (segment.size() > ending.size() && segment.ends_with(ending)) return end;
        begin = end + 1;
    }
    return std::string_view::npos;
}

bool has_control(std::string_view path) {
    return std::ranges::any_of(path, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7f;
    });
}

}  // namespace ticketgate::files
