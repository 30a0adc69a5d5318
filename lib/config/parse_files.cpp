#include <algorithm>

#include "config/parse.hpp"
#include "config/syntax.hpp"

namespace ticketgate::config {
namespace {

bool is_file_name(const std::string& name) {
    return name.find('/') == std::string::npos && !name.starts_with('.') && is_header_value(name);
}

// Only the last may be something else than `path` and `path/`.
std::string why_not_tries(const std::vector<std::string>& tries) {
    if (tries.empty()) return "is empty; write [path, path/, upstream], or [upstream] for no files";
    for (std::size_t i = 0; i < tries.size(); ++i) {
        const std::string& one = tries[i];
        if (one == "path" || one == "path/") continue;
        const bool last = i + 1 == tries.size();
        if (!last)
            return quoted(one).append(" can only be the last; before it stand path and path/");
        if (one == "upstream") continue;
        if (!one.starts_with('/') || one.ends_with('/'))
            return quoted(one).append(
                " is not path, path/, upstream, nor a script or file such as /index.php");
        if (const auto why = why_not_normal(one); !why.empty())
            return quoted(one).append(": ").append(why);
    }
    return {};
}

}  // namespace

void parse_section(SectionReader& section, FilesOverrides& out) {
    section.read_all(out);
    Reading& reading = section.reading();
    const auto error = [&](const char* key, const std::string& why) {
        reading.problems.error(reading.marks[section.path_of(key)], section.path_of(key), why);
    };
    if (out.tries.value)
        if (const auto why = why_not_tries(*out.tries.value); !why.empty()) error("try", why);
    if (out.index.value)
        for (const auto& name : *out.index.value)
            if (!is_file_name(name))
                error("index", "\"" + name + "\" is not the name of a file such as index.html");
    if (out.cache_control.value && !is_header_value(*out.cache_control.value))
        error("cache_control", "cannot contain line breaks or control characters");
    if (out.hide.value)
        for (const auto& name : *out.hide.value)
            if (name.find('/') != std::string::npos)
                error("hide", "\"" + name +
                                  "\": a name has no slash; each folder of a path is "
                                  "compared by itself");
}

}  // namespace ticketgate::config
