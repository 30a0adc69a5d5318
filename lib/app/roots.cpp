#include "app/roots.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

namespace ticketgate {
namespace {

bool there(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

// The folder whose index.php is the application, below a root that is the whole project.
std::string public_folder(const std::string& root) {
    for (const char* name : {"/public", "/web", "/webroot", "/htdocs"})
        if (there(root + name + "/index.php")) return root + name;
    return {};
}

// Empty: nothing.
std::string trouble_of(const std::string& root, bool& error) {
    struct stat about {};
    if (::stat(root.c_str(), &about) != 0)
        return root + ": " + std::strerror(errno) + "; until it is there, no path has a file";
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
        const auto& log = config_.log.access_file;
        if (!error && log.starts_with(root + "/"))
            problems_.warn(files.root.mark, at,
                           "log.access_file lies in it, where clients may read it");
    }
    std::vector<config::Problem> take() { return problems_.take(); }

 private:
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
