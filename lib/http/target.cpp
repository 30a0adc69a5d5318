#include "http/target.hpp"

#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "base/text.hpp"

namespace ticketgate::http {
namespace {

constexpr std::array<std::string_view, 2> schemes{"http://", "https://"};

// Returns the text after `http://`; empty if the target has another form.
std::string_view after_scheme(std::string_view target) {
    for (const auto scheme : schemes)
        if (target.size() > scheme.size() && iequals(target.substr(0, scheme.size()), scheme))
            return target.substr(scheme.size());
    return {};
}

// True if the path is already normal: no codes, no backslash, no empty segment, no segment that
// starts with a dot.
bool is_normal(std::string_view path) {
    char before = 0;
    for (const char c : path) {
        if (c == '%' || c == '\\') return false;
        if (before == '/' && (c == '/' || c == '.')) return false;
        before = c;
    }
    return true;
}

// True if the character is literal in the normal form. Not `%` (it would begin a code), nor `?` and
// `#` (they would end the path).
bool stands_for_itself(char c) {
    return c > ' ' && c < '\x7f' && c != '%' && c != '?' && c != '#';
}

// The ways to read a path. The normal form uses all of them.
enum Reading : unsigned {
    backslash = 1,       // `\` and `%5C` are slashes, as for IIS
    coded_slash = 2,     // `%2F` is a slash, as for nginx
    merged_slashes = 4,  // `//` is one slash before `..` is resolved
    resolved_dots = 8,   // `.` and `..` are segments of RFC 3986 5.2.4, and no names
    joined_slashes = 16  // `//` is one slash at the end
};
constexpr unsigned of_servers = backslash | coded_slash | merged_slashes;
constexpr unsigned normal_reading = of_servers | resolved_dots | joined_slashes;

// `out` ends with the current segment. If that is a dot segment, resolves it (RFC 3986 5.2.4) and
// returns true: then its slash is already there.
bool close_segment(std::string& out) {
    const auto slash = out.rfind('/');
    const auto segment = std::string_view(out).substr(slash + 1);
    if (segment == ".") {
        out.resize(slash + 1);
    } else if (segment == "..") {
        const auto parent = slash == 0 ? 0 : out.rfind('/', slash - 1);
        out.resize(parent + 1);
    } else {
        return false;
    }
    return true;
}

void append_char(char c, unsigned reading, std::string& out) {
    if (c != '/' && (c != '\\' || (reading & backslash) == 0)) {
        out += c;
        return;
    }
    if ((reading & resolved_dots) != 0 && close_segment(out)) return;
    if ((reading & merged_slashes) == 0 || out.back() != '/') out += '/';
}

bool append_code(std::string_view digits, unsigned reading, std::string& out) {
    if (digits.size() < 2) return false;
    const int high = hex_value(digits[0]), low = hex_value(digits[1]);
    if (high < 0 || low < 0 || (high | low) == 0) return false;
    const char c = static_cast<char>(high * 16 + low);
    if (stands_for_itself(c) && (c != '/' || (reading & coded_slash) != 0)) {
        append_char(c, reading, out);
    } else {
        const auto code = hex_pair(static_cast<std::uint8_t>(c), upper_hex_digits);
        out.append({'%', code[0], code[1]});
    }
    return true;
}

void join_slashes(std::string& path) {
    const auto both = [](char a, char b) { return a == '/' && b == '/'; };
    path.erase(std::unique(path.begin(), path.end(), both), path.end());
}

// False: a broken code. Slashes kept apart for `..` are merged at the end.
bool read_path(std::string_view path, unsigned reading, std::string& out) {
    out = '/';
    for (std::size_t i = 1; i < path.size(); ++i) {
        if (path[i] != '%') {
            append_char(path[i], reading, out);
            continue;
        }
        if (!append_code(path.substr(i + 1, 2), reading, out)) return false;
        i += 2;
    }
    if ((reading & resolved_dots) != 0) close_segment(out);
    if ((reading & merged_slashes) == 0 && (reading & joined_slashes) != 0) join_slashes(out);
    return true;
}

// Reads the path like a server that decodes slashes after it resolved dot segments, and finds its
// script from the left: the rest is PATH_INFO, dots or not.
std::string with_late_slashes(std::string_view path) {
    std::string late;
    while (!path.empty()) {
        const bool code = path.starts_with("%2F");
        const char c = code || path[0] == '\\' ? '/' : path[0];
        if (c != '/' || !late.ends_with('/')) late += c;
        path.remove_prefix(code ? 3 : 1);
    }
    return late;
}

// Reads the path like an application that drops `..` and resolves nothing (CodeIgniter 3).
std::string without_parents(std::string_view path) {
    std::string out;
    while (!path.empty()) {
        const auto end = std::min(path.find('/', 1), path.size());
        if (path.substr(0, end) != "/..") out += path.substr(0, end);
        path.remove_prefix(end);
    }
    return out.empty() ? "/" : out;
}

// True if the path has the code of these digits, the second in either case.
bool has_code(std::string_view path, char high, char low) {
    for (auto at = path.find('%'); at < path.size(); at = path.find('%', at + 1))
        if (at + 2 < path.size() && path[at + 1] == high && to_lower(path[at + 2]) == low)
            return true;
    return false;
}

// The path before a newline at its end, where `$` of a pattern matches, too (PCRE without its
// option D). WordPress drops slashes behind it. Empty: it has none.
std::string_view before_newline(std::string_view path) {
    while (path.ends_with('/')) path.remove_suffix(1);
    if (!path.ends_with("%0A") && !path.ends_with("%0a")) return {};
    return path.substr(0, path.size() - 3);
}

// Different texts, none of them the normal form.
class Readings {
 public:
    explicit Readings(std::string normal) : normal_(std::move(normal)) {}
    void add(std::string other) {
        if (other != normal_ && std::ranges::find(others_, other) == others_.end())
            others_.push_back(std::move(other));
    }
    std::vector<std::string> take() { return std::move(others_); }

 private:
    const std::string normal_;
    std::vector<std::string> others_;
};

// The path with its parts read as names, too. It can be normalised.
void add_verbatim(std::string_view path, Readings& others) {
    const auto add = [&](std::string other) {
        if (const auto line = before_newline(other); !line.empty()) others.add(std::string(line));
        others.add(std::move(other));
    };
    constexpr unsigned slashes = merged_slashes | joined_slashes;
    for (const unsigned no : {0u, unsigned{resolved_dots}, slashes, resolved_dots | slashes}) {
        std::string other;
        read_path(path, normal_reading & ~no, other);
        if (no == resolved_dots && other.find("/..") != other.npos) add(without_parents(other));
        add(std::move(other));
    }
    std::string as_it_came(path);
    add(as_it_came);
    join_slashes(as_it_came);
    add(std::move(as_it_came));
}

}  // namespace

std::string_view authority_of(std::string_view target) {
    const auto rest = after_scheme(target);
    return rest.substr(0, rest.find_first_of("/?"));
}

std::string_view path_of(std::string_view target) {
    if (target == "*") return target;
    if (!target.starts_with('/')) {
        const auto authority = authority_of(target);
        if (authority.empty()) return {};
        target = after_scheme(target).substr(authority.size());
        if (!target.starts_with('/')) return "/";  // RFC 9112 3.2.1: an empty path is sent as `/`
    }
    return target.substr(0, target.find('?'));
}

bool normalise_path(std::string_view path, std::string& out) {
    out.clear();
    if (!path.starts_with('/') && path != "*") return false;
    if (is_normal(path)) {
        out = path;
        return true;
    }
    return read_path(path, normal_reading, out);
}

std::vector<std::string> other_readings(std::string_view path) {
    unsigned open = 0;  // readings that matter for this path
    if (path.find('\\') != path.npos || has_code(path, '5', 'c')) open |= backslash;
    if (has_code(path, '2', 'f')) open |= coded_slash;
    if (path.find("//") != path.npos || open != 0) open |= merged_slashes;
    std::string normal;
    if (open == 0 || !read_path(path, normal_reading, normal)) return {};
    Readings others(normal);
    for (unsigned no = 1; no <= of_servers; ++no) {
        if ((no & ~open) != 0) continue;
        std::string other;
        read_path(path, normal_reading & ~no, other);
        others.add(with_late_slashes(other));
        others.add(std::move(other));
    }
    return others.take();
}

bool is_read_alike(std::string_view path, std::string_view normal) {
    return path == normal && before_newline(path).empty();
}

std::vector<std::string> verbatim_readings(std::string_view path) {
    std::string normal;
    if (!path.starts_with('/') || !read_path(path, normal_reading, normal)) return {};
    Readings others(normal);
    add_verbatim(path, others);
    return others.take();
}

std::vector<std::string> readings_behind_host(std::string_view path) {
    std::string normal;
    if (!path.starts_with("//") || !read_path(path, normal_reading, normal)) return {};
    const auto end = path.find('/', 2);
    Readings others(normal);
    add_verbatim(end == path.npos ? "/" : path.substr(end), others);
    return others.take();
}

}  // namespace ticketgate::http
