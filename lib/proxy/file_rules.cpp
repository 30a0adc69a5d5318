#include "proxy/file_rules.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/file.hpp"

namespace ticketgate {
namespace {

// What editors, tools and administrators leave beside the files of a site. `default` in the config.
constexpr std::array<std::string_view, 20> usually_hidden{
    "*~",        "#*#",       "*.bak",         "*.old",         "*.orig",       "*.save",
    "*.swp",     "*.swo",     "*.log",         "*.sql",         "*.sql.*",      "*.sqlite",
    "*.sqlite3", "*.ini",     "composer.json", "composer.lock", "package.json", "package-lock.json",
    "yarn.lock", "web.config"};

constexpr std::string_view table_of_types = "/etc/mime.types";
constexpr std::uint64_t most_of_table = 16 << 20;

void add_hidden(const std::string& name, std::vector<std::string>& out) {
    if (name == "default")
        out.insert(out.end(), usually_hidden.begin(), usually_hidden.end());
    else
        out.push_back(name);
}

void set_tries(const std::vector<std::string>& tries, files::Rules& out) {
    out.tries_path = out.tries_folder = false;
    out.fallback = files::Fallback::none;
    for (const auto& one : tries) {
        if (one == "path") {
            out.tries_path = true;
        } else if (one == "path/") {
            out.tries_folder = true;
        } else if (one == "upstream") {
            out.fallback = files::Fallback::upstream;
        } else if (one == "script") {
            out.fallback = files::Fallback::named;
        } else {
            out.fallback = one.ends_with(".php") ? files::Fallback::script : files::Fallback::file;
            out.fallback_path = one;
        }
    }
}

// Links in it are followed once, here. A folder that is not there stays as it is written.
std::string real_path(const std::string& folder) {
    std::error_code failure;
    const auto real = std::filesystem::weakly_canonical(folder, failure);
    std::string out = failure ? folder : real.string();
    while (out.size() > 1 && out.ends_with('/')) out.pop_back();
    return out;
}

// Below that root, or as it is written where the application sees another folder than ticketgate.
void add_source(const std::string& file, std::string root, std::vector<std::string>& out) {
    if (!root.ends_with('/')) root += '/';
    if (file.starts_with(root)) out.push_back(file.substr(root.size() - 1));
}

// The application runs these whatever their names say. No link is followed: the disk may hang.
std::vector<std::string> sources_of(const config::Fcgi& fcgi, const std::string& root) {
    std::vector<std::string> files, out;
    if (fcgi.script) {
        out.push_back(*fcgi.script);
        files.push_back(fcgi.root + *fcgi.script);
    } else {
        out.push_back(fcgi.index);
    }
    for (const auto& [name, value] : fcgi.params)
        if (name == "SCRIPT_FILENAME") files.push_back(value);
    for (const auto& file : files) add_source(file, root, out);
    return out;
}

bool serves_files(const files::Rules& rules) {
    return rules.tries_path || rules.tries_folder || rules.fallback != files::Fallback::upstream;
}

}  // namespace

std::shared_ptr<const files::Rules> file_rules(const config::Files& files,
                                               const config::Upstream* upstream,
                                               std::shared_ptr<const files::MediaTypes> known) {
    if (files.root.empty()) return nullptr;
    auto out = std::make_shared<files::Rules>();
    out->root = files.root;
    for (const auto& folder : files.links) out->links.push_back(real_path(folder));
    set_tries(files.tries, *out);
    if (!serves_files(*out)) return nullptr;
    out->index = files.index;
    for (const auto& name : files.hide) add_hidden(name, out->hide);
    out->precompressed = files.precompressed;
    const bool fcgi = upstream != nullptr && upstream->fcgi;
    out->runs_scripts = !fcgi || upstream->fcgi->split;
    out->chooses_scripts = fcgi && upstream->fcgi->split;
    if (fcgi) out->sources = sources_of(*upstream->fcgi, files.root);
    out->cache_control = files.cache_control;
    for (const auto& [ending, type] : files.types) out->types.emplace_back(ending, type);
    out->known = std::move(known);
    return out;
}

std::shared_ptr<const files::MediaTypes> system_media_types() {
    const auto table = read_file(std::string(table_of_types), most_of_table);
    return std::make_shared<const files::MediaTypes>(table.text);
}

}  // namespace ticketgate
