#include "path_model/servers.hpp"

#include <algorithm>

namespace ticketgate::paths {
namespace {

int hex(char c) {
    const auto at = std::string_view("0123456789abcdefABCDEF").find(c);
    return at == std::string_view::npos ? -1 : static_cast<int>(at < 16 ? at : at - 6);
}

// Decodes once; a coded slash becomes NUL if this server does not treat it as a slash.
std::optional<std::string> decoded(std::string_view path, const Server& server) {
    std::string out;
    for (std::size_t i = 0; i < path.size(); ++i) {
        char c = path[i];
        if (c == '%') {
            if (i + 2 >= path.size() || hex(path[i + 1]) < 0 || hex(path[i + 2]) < 0)
                return std::nullopt;
            c = static_cast<char>(hex(path[i + 1]) * 16 + hex(path[i + 2]));
            i += 2;
            if (c == 0) return std::nullopt;
            if (c == '/' && !server.coded_slashes) c = '\0';
        }
        out += c == '\\' && server.backslashes ? '/' : c;
    }
    return out;
}

std::string first_of(std::string_view path) {
    const Segments segments = split(path);
    return segments.empty() ? std::string() : segments[0];
}

void add_verbatim(std::string_view path, std::vector<std::string>& all) {
    all.push_back(first_of(path));
    const auto text = decoded(path, {false, false, false});
    if (!text) return;
    all.push_back(first_of(*text));
    const auto line = std::string_view(*text).substr(0, text->find_last_not_of('/') + 1);
    if (line.ends_with('\n')) all.push_back(first_of(line.substr(0, line.size() - 1)));
}

}  // namespace

Segments split(std::string_view path) {
    Segments segments;
    for (std::size_t at = 1; at <= path.size();) {
        const auto end = std::min(path.find('/', at), path.size());
        segments.emplace_back(path.substr(at, end - at));
        at = end + 1;
    }
    return segments;
}

std::optional<Segments> walk(std::string_view path, const Server& server) {
    const auto text = decoded(path, server);
    if (!text) return std::nullopt;
    Segments kept;
    for (const auto& segment : split(*text)) {
        if (segment == ".." && !kept.empty()) kept.pop_back();
        const bool empty = segment.empty() && server.merges;
        if (segment != "." && segment != ".." && !empty) kept.push_back(segment);
    }
    std::erase(kept, "");
    return kept;
}

std::string late_first(const Segments& walked) {
    if (walked.empty()) return {};
    const auto begin = walked[0].find_first_not_of('\0');
    if (begin == std::string::npos) return walked.size() > 1 ? walked[1] : std::string();
    return walked[0].substr(begin, walked[0].find('\0', begin) - begin);
}

std::vector<std::string> verbatim_first(std::string_view path) {
    std::vector<std::string> all;
    add_verbatim(path, all);
    const auto host = path.starts_with("//") ? path.find('/', 2) : path.npos;
    if (host != path.npos) add_verbatim(path.substr(host), all);
    return all;
}

}  // namespace ticketgate::paths
