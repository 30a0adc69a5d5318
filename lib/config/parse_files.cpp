#include <algorithm>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "config/cache_control.hpp"
#include "config/parse.hpp"
#include "config/syntax.hpp"
#include "config/words.hpp"
#include "files/names.hpp"

namespace ticketgate::config {
namespace {

bool is_file_name(const std::string& name) {
    return name.find('/') == std::string::npos && !name.starts_with('.') && is_header_value(name);
}

// The remedy for an entry that nginx would take in try_files; empty: it is no such entry.
std::string instead_of_nginx(const std::string& one) {
    if (one == "$uri" || one == "uri") return "write path";
    if (one == "$uri/" || one == "uri/") return "write path/";
    if (one == "=404")
        return "write script: paths that name a script go to the backend, others get 404; leave it "
               "out only where no script is to run";
    if (one.starts_with('/') && one.find('?') != one.npos)
        return "write " + one.substr(0, one.find('?')) + ": the query is always passed on";
    return one.starts_with('$') || one.starts_with('=') ? "no variables and codes stand here" : "";
}

bool may_be_last(const std::string& one) {
    return one == "upstream" || one == "script" || one.starts_with('/');
}

// Only the last may be something else than `path` and `path/`.
std::string why_not_tries(const std::vector<std::string>& tries) {
    if (tries.empty()) return "is empty; write [path, path/, upstream], or [upstream] for no files";
    for (std::size_t i = 0; i < tries.size(); ++i) {
        const std::string& one = tries[i];
        if (one == "path" || one == "path/") continue;
        if (const auto better = instead_of_nginx(one); !better.empty())
            return shown(one).append(": ").append(better);
        if (one.starts_with("path"))
            return shown(one).append(
                ": endings cannot be added to a path; only path and path/ stand here, and a "
                "backend may find more");
        const bool last = i + 1 == tries.size();
        if (!last && !may_be_last(one))
            return shown(one).append(" is not path or path/, which stand before the last");
        if (!last)
            return shown(one).append(" can only be the last; before it stand path and path/");
        if (one == "upstream" || one == "script") continue;
        if (!one.starts_with('/') || one.ends_with('/'))
            return shown(one).append(
                " is not path, path/, script, upstream, nor a script or file such as /index.php");
        if (!one.ends_with(".php") && files::is_script(one))
            return shown(one).append(
                " has the ending of a script, but only .php is run; its source would be sent");
        if (files::is_hidden(one, {}))
            return shown(one).append(" is hidden: names that begin with a dot are never sent");
        if (const auto why = why_not_normal(one); !why.empty())
            return shown(one).append(": ").append(why);
    }
    return {};
}

// A name, or the path of a folder or file.
std::string why_not_hidden(const std::string& name) {
    if (name.find('/') == std::string::npos) return {};
    const std::string begin = shown(name) + ": ";
    if (!name.starts_with('/'))
        return begin + "a name has no slash; a path begins with one, such as /data";
    if (name.find('*') != std::string::npos) return begin + "a path has no *";
    if (name.size() < 2 || name.ends_with('/')) return begin + "write /data, not /data/";
    for (const char* part : {"//", "/./", "/../"})
        if ((name + "/").find(part) != std::string::npos)
            return begin + "the path of a file has no " + part + "; leave it out";
    const auto code = name.find('%');
    if (code != std::string::npos && code + 2 < name.size() && hex_value(name[code + 1]) >= 0 &&
        hex_value(name[code + 2]) >= 0)
        return begin + "write characters themselves, not their codes: names of files are compared";
    return {};
}

// Returns the warning for a pattern that probably hides fewer files than its author wants; empty:
// there is none.
std::string why_hides_less(const std::string& name, const std::string& root) {
    if (name.find_first_of("?[]{}\\!,") != std::string::npos)
        return "only * stands for other characters here: write one pattern for each ending, such "
               "as "
               "*.pem";
    if (iequals(name, "default") && name != "default") return "the usual names are written default";
    if (trim(name) != name) return "its blanks count: it hides names with blanks there";
    if (name.starts_with('.') && name.find('*') == std::string::npos)
        return "names that begin with a dot are hidden without it; an ending is written *" + name;
    if (!root.empty() && name.starts_with(root + "/"))
        return "a path begins below root: write " + name.substr(root.size());
    return {};
}

void look_at_hidden(const std::string& name, const std::string& root, SectionReader& section) {
    const auto path = section.path_of("hide");
    const auto mark = section.reading().marks[path];
    if (const auto why = why_not_hidden(name); !why.empty())
        section.reading().problems.error(mark, path, why);
    else if (const auto less = why_hides_less(name, root); !less.empty())
        section.reading().problems.warn(mark, path, shown(name) + ": " + less);
}

// A list replaces the default one.
void look_at_hidden(const std::vector<std::string>& names, const std::string& root,
                    SectionReader& section) {
    for (const auto& name : names) look_at_hidden(name, root, section);
    if (names.empty() || std::ranges::count(names, "default") != 0) return;
    const auto path = section.path_of("hide");
    section.reading().problems.warn(
        section.reading().marks[path], path,
        "without default, copies and dumps such as *.sql and *.bak are served: write default as "
        "well");
}

}  // namespace

void parse_section(SectionReader& section, FilesOverrides& out) {
    section.read_all(out);
    Reading& reading = section.reading();
    const auto error = [&](const char* key, const std::string& why) {
        reading.problems.error(reading.marks[section.path_of(key)], section.path_of(key), why);
    };
    if (out.tries.value)
        if (const auto why = why_not_tries(*out.tries.value); !why.empty()) {
            error("try", why);
            out.tries.value.reset();  // what is checked later needs an entry
        }
    if (out.links.value)
        for (const auto& folder : *out.links.value)
            if (!folder.starts_with('/'))
                error("links", shown(folder) +
                                   " is not an absolute path such as "
                                   "/usr/share/javascript");
    if (out.index.value)
        for (const auto& name : *out.index.value)
            if (!is_file_name(name))
                error("index", "\"" + name + "\" is not the name of a file such as index.html");
    if (out.cache_control.value == "off")
        out.cache_control.value->clear();
    else if (out.cache_control.value)
        if (const auto why = why_not_cache_control(*out.cache_control.value); !why.empty())
            error("cache_control", why);
    if (out.hide.value) look_at_hidden(*out.hide.value, out.root.value.value_or(""), section);
}

}  // namespace ticketgate::config
