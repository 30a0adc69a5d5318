#include "app/roots.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "files/names.hpp"

namespace ticketgate {
namespace {

// The first folders of a root that are looked at, and of the rules in them.
constexpr std::size_t most_looked_at = 1000;
constexpr std::uint64_t most_of_rules = 64 << 10;

bool there(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

// The folder whose index.php is the application, below a root that is the whole project.
std::string public_folder(const std::string& root) {
    for (const char* name : {"/public", "/web", "/webroot", "/htdocs"})
        if (there(root + name + "/index.php")) return root + name;
    return {};
}

// Folders that Apache would not show, by an .htaccess file.
std::vector<std::string> guarded_folders(const std::string& root) {
    std::vector<std::string> out;
    std::error_code failure;
    std::size_t looked_at = 0;
    for (std::filesystem::directory_iterator entry(root, failure), end;
         !failure && entry != end && ++looked_at <= most_looked_at; entry.increment(failure)) {
        std::string rules = read_file(entry->path() / ".htaccess", most_of_rules).text;
        for (char& c : rules) c = to_lower(c);
        if (rules.find("deny from all") != rules.npos ||
            rules.find("require all denied") != rules.npos)
            out.push_back("/" + entry->path().filename().string());
    }
    std::ranges::sort(out);
    return out;
}

// Wherever in the file that is written.
bool hides(const config::Config& config, const std::string& folder) {
    const auto hidden_by = [&](const config::FilesOverrides& files) {
        return files.hide.value && files::is_hidden(folder, *files.hide.value);
    };
    return hidden_by(config.defaults.files) ||
           std::ranges::any_of(
               config.upstreams,
               [&](const auto& upstream) { return hidden_by(upstream.second.files); }) ||
           std::ranges::any_of(config.routes, [&](const config::RouteNode& route) {
               return hidden_by(route.overrides.files);
           });
}

// Empty: nothing.
std::string trouble_of(const std::string& root, bool& error) {
    struct stat about {};
    if (::stat(root.c_str(), &about) != 0)
        return root + ": " + std::strerror(errno) +
               "; until it is there, every request of its routes gets 503, scripts too";
    error = !S_ISDIR(about.st_mode);
    if (error) return root + " is not a folder";
    if (::faccessat(AT_FDCWD, root.c_str(), X_OK, AT_EACCESS) != 0)
        return root + " may not be entered by this user: " + std::strerror(errno);
    const std::string meant = public_folder(root);
    if (!meant.empty() && !there(root + "/index.php"))
        return root + " has no index.php, and " + meant + " has one: the rest of " + root +
               " is probably not for clients";
    if (there(root + "/.git"))
        return root +
               " has a folder .git. It is hidden, as every name with a dot, but what else is in "
               "this project can be read by clients; hide names more, and default hides usual ones";
    return {};
}

class Roots {
 public:
    explicit Roots(const config::Config& config) : config_(config) {}

    void look_at(const std::string& path, const config::FilesOverrides& files) {
        if (!files.root.value || !seen_.insert(*files.root.value).second) return;
        const std::string &root = *files.root.value, at = path + ".files.root";
        bool error = false;
        const auto trouble = trouble_of(root, error);
        if (error) problems_.error(files.root.mark, at, trouble);
        if (!error && !trouble.empty()) problems_.warn(files.root.mark, at, trouble);
        look_for_rules(at, root, files.root.mark);
        const auto& log = config_.log.access_file;
        if (!error && log.starts_with(root + "/"))
            problems_.warn(files.root.mark, at,
                           "log.access_file lies in it, where clients may read it");
    }
    std::vector<config::Problem> take() { return problems_.take(); }

 private:
    void look_for_rules(const std::string& at, const std::string& root, config::Mark mark) {
        std::string open;
        for (const auto& folder : guarded_folders(root))
            if (!hides(config_, folder)) open += (open.empty() ? "" : ", ") + folder;
        if (open.empty()) return;
        problems_.warn(mark, at,
                       "an .htaccess file denies " + open +
                           ", but ticketgate does not read it; write files.hide: [default, " +
                           open + "]");
    }
    const config::Config& config_;
    std::set<std::string> seen_;
    config::Problems problems_;
};

}  // namespace

std::vector<config::Problem> root_problems(const config::Config& config) {
    Roots roots(config);
    for (const auto& [name, upstream] : config.upstreams)
        roots.look_at("upstreams." + name, upstream.files);
    roots.look_at("defaults", config.defaults.files);
    for (const auto& route : config.routes) roots.look_at(route.path, route.overrides.files);
    return roots.take();
}

}  // namespace ticketgate
