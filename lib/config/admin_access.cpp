#include "config/admin_access.hpp"

#include <algorithm>

#include "config/load.hpp"
#include "config/parse.hpp"
#include "config/tree.hpp"

namespace ticketgate::config {
namespace {

constexpr std::string_view key = "admin";

// Keeps the top-level section `admin:` and blanks all other lines, so that line numbers stay valid.
// For files that are not valid YAML elsewhere.
std::string admin_lines(std::string_view text) {
    std::string out;
    for (bool inside = false; !text.empty();) {
        const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
        const auto line = text.substr(0, end);
        text.remove_prefix(end);
        if (line.find_first_of(" \t\r\n#}") != 0) inside = line.starts_with("admin:");
        out += inside ? line : std::string_view("\n");
    }
    return out;
}

// Returns false if there is no such section.
bool read_section(std::string_view text, const std::string& name, const Environment& environment,
                  Problems& problems, AdminAccess& out) {
    const auto root = parse_tree(text, name, environment, problems);
    const Entry* entry = root ? root->find(key) : nullptr;
    if (entry == nullptr) return false;
    Config config;
    std::vector<std::string> text_files;
    Reading reading{problems, {}, config.marks, text_files};
    parse_admin(entry, config, reading);
    out.address = std::move(config.admin);
    out.token = std::move(config.admin_token);
    return true;
}

std::vector<Problem> of_admin(std::vector<Problem> problems) {
    std::erase_if(problems, [](const Problem& problem) { return !problem.path.starts_with(key); });
    return problems;
}

}  // namespace

AdminAccess admin_access(std::string_view text, const std::string& name,
                         const Environment& environment) {
    AdminAccess access;
    Problems of_file, of_lines;
    if (read_section(text, name, environment, of_file, access))
        access.problems = of_admin(of_file.take());
    else if (read_section(admin_lines(text), name, environment, of_lines, access))
        access.problems = of_admin(of_lines.take());
    else
        access.problems = of_file.take();
    return access;
}

AdminAccess load_admin_access(const std::string& path, const Environment& environment) {
    std::vector<Problem> problems;
    const auto text = read_text(path, problems);
    if (!text) return {std::nullopt, {}, std::move(problems)};
    return admin_access(*text, path, environment);
}

}  // namespace ticketgate::config
