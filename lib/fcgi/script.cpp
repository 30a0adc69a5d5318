#include "fcgi/script.hpp"

namespace ticketgate::fcgi {
namespace {

constexpr std::string_view extension = ".php";

// Reads an upper-case hex digit: the normal form has no other.
int digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c - 'A' + 10;
}

// Keeps codes of control characters: a line break would garble logs and php-fpm's status page.
std::string decode(std::string_view normal) {
    if (normal.find('%') == normal.npos) return std::string(normal);
    std::string out;
    out.reserve(normal.size());
    for (std::size_t i = 0; i < normal.size(); ++i) {
        if (normal[i] != '%' || i + 2 >= normal.size()) {
            out += normal[i];
            continue;
        }
        const auto byte =
            static_cast<unsigned char>(digit(normal[i + 1]) * 16 + digit(normal[i + 2]));
        if (byte < 0x20 || byte == 0x7f)
            out += normal.substr(i, 3);
        else
            out += static_cast<char>(byte);
        i += 2;
    }
    return out;
}

// Returns the end of the first segment that ends in `.php` and is longer; npos: there is none.
std::size_t script_end(std::string_view path) {
    for (std::size_t begin = 1; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const auto segment = path.substr(begin, end - begin);
        if (segment.size() > extension.size() && segment.ends_with(extension)) return end;
        begin = end + 1;
    }
    return std::string_view::npos;
}

}  // namespace

Script find_script(std::string_view normal_path, const Scripts& scripts) {
    std::string path = decode(normal_path);
    const std::size_t end = scripts.split ? script_end(path) : std::string_view::npos;
    if (end != std::string_view::npos) return {path.substr(0, end), path.substr(end)};
    if (!scripts.front.empty()) return {scripts.front, {}};
    if (!path.ends_with('/')) path += '/';
    return {(path.starts_with('/') ? path : "/") + scripts.index, {}};
}

Script told_script(Script script, const Scripts& scripts) {
    for (const auto& [name, value] : scripts.params)
        if (name == "PATH_INFO") script.path_info = value;
    return script;
}

}  // namespace ticketgate::fcgi
