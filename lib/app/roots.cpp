#include "app/roots.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <filesystem>
#include <set>

#include "app/htaccess.hpp"
#include "base/file.hpp"
#include "base/folder_names.hpp"
#include "files/names.hpp"

namespace ticketgate {
namespace {

// How much of a root is looked at: a start must not wait for a large one.
constexpr std::size_t most_looked_at = 20'000;
constexpr int deepest_looked_at = 5;
// The longest list of folders in a warning.
constexpr std::size_t most_named = 8;
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

Guarded guarded_in(const std::string& folder) {
    return guarded_by(read_file(folder + "/.htaccess", most_of_rules).text);
}

bool is_folder(const std::string& path) {
    struct stat about {};
    return ::lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

// Looks for folders below a root that an .htaccess file guards. Of the root itself, the application
// is for clients.
class GuardedFolders {
 public:
    explicit GuardedFolders(const std::string& root) : root_(root) {
        if (guarded_in(root) != Guarded::nothing) partly_.emplace_back("/");
        for (left_.push_back({root_, 0}); !left_.empty();) {
            const Folder folder = std::move(left_.front());
            left_.pop_front();
            look_into(folder);
        }
        std::ranges::sort(wholly_);
        std::ranges::sort(partly_);
    }
    const std::vector<std::string>& wholly() const { return wholly_; }
    const std::vector<std::string>& partly() const { return partly_; }

 private:
    struct Folder {
        std::string path;
        int depth = 0;
    };

    void look_into(const Folder& folder) {
        FolderNames names(folder.path.c_str());
        while (const char* const name = names.next()) {
            if (++looked_at_ > most_looked_at) return left_.clear();
            const std::string path = folder.path + "/" + name;
            if (std::strcmp(name, ".") != 0 && std::strcmp(name, "..") != 0 && is_folder(path))
                look_at({path, folder.depth + 1});
        }
    }
    // A folder within a guarded one is not named again.
    void look_at(Folder folder) {
        const Guarded guarded = guarded_in(folder.path);
        if (guarded != Guarded::nothing)
            (guarded == Guarded::all ? wholly_ : partly_)
                .push_back(folder.path.substr(root_.size()));
        if (guarded != Guarded::all && folder.depth < deepest_looked_at)
            left_.push_back(std::move(folder));
    }

    const std::string& root_;
    std::deque<Folder> left_;
    std::vector<std::string> wholly_, partly_;
    std::size_t looked_at_ = 0;
};

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

// `default` alone knows nothing of what this site guards.
bool hides_more(const config::Config& config) {
    const auto says = [](const config::FilesOverrides& files) {
        return files.hide.value && std::ranges::any_of(*files.hide.value, [](const auto& name) {
                   return name != "default";
               });
    };
    return says(config.defaults.files) ||
           std::ranges::any_of(config.upstreams,
                               [&](const auto& upstream) { return says(upstream.second.files); }) ||
           std::ranges::any_of(config.routes, [&](const config::RouteNode& route) {
               return says(route.overrides.files);
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

std::filesystem::path real(const std::string& path) {
    std::error_code unknown;
    auto found = std::filesystem::weakly_canonical(path, unknown);
    return unknown ? std::filesystem::path(path) : found;
}

struct OwnFile {
    std::string name, path;
};

// Those that clients must not read.
std::vector<OwnFile> own_files(const config::Config& config, const std::string& file) {
    std::vector<OwnFile> out{{"the config file", file}};
    const auto add = [&](std::string name, const std::string& path) {
        if (!path.empty() && path != "-") out.push_back({std::move(name), path});
    };
    add("log.access_file", config.log.access_file);
    if (config.id_service) add("id_service.state_file", config.id_service->state_file);
    for (std::size_t i = 0; i < config.listen.size(); ++i) {
        if (!config.listen[i].tls) continue;
        for (const auto& pair : config.listen[i].tls->certificates)
            add("the key of listen[" + std::to_string(i) + "].tls", pair.key);
    }
    for (const auto& [name, upstream] : config.upstreams)
        add("the key of upstreams." + name + ".tls", upstream.tls.key);
    if (config.cluster) add("the key of cluster.store", config.cluster->store.key);
    if (config.cluster && config.cluster->peer.tls)
        add("the key of cluster.peer.tls", config.cluster->peer.tls->key);
    return out;
}

const std::vector<std::string> usual_names{"default"};

class Roots {
 public:
    Roots(const config::Config& config, const std::string& file)
        : config_(config), own_(own_files(config, file)) {}

    void look_at(const std::string& path, const config::FilesOverrides& files) {
        if (!files.root.value || !seen_.insert(*files.root.value).second) return;
        const std::string &root = *files.root.value, at = path + ".files.root";
        bool error = false;
        const auto trouble = trouble_of(root, error);
        if (error) problems_.error(files.root.mark, at, trouble);
        if (!error && !trouble.empty()) problems_.warn(files.root.mark, at, trouble);
        if (!error && files.tries.value) look_at_fallback(path, root, files.tries);
        look_for_rules(at, root, files.root.mark);
        if (!error) look_for_own(at, root, files.root.mark);
    }
    /// fastcgi.resolve_root asks for it.
    void look_at_scripts(const std::string& path, const config::Upstream& upstream) {
        struct stat about {};
        if (!upstream.fcgi || !upstream.fcgi->resolve_root || upstream.workers) return;
        if (::stat(upstream.fcgi->root.c_str(), &about) == 0) return;
        const std::string at = path + ".fastcgi.resolve_root";
        problems_.warn(config_.mark_of(at), at,
                       upstream.fcgi->root + ": " + std::strerror(errno) +
                           "; until ticketgate sees it, the backend is told the root as it is "
                           "written");
    }
    std::vector<config::Problem> take() { return problems_.take(); }

 private:
    template <class Tries>
    void look_at_fallback(const std::string& path, const std::string& root, const Tries& tries) {
        if (tries.value->empty() || !tries.value->back().starts_with('/')) return;
        const std::string& last = tries.value->back();
        if (last.ends_with(".php") || there(root + last) || !there(root)) return;
        problems_.warn(tries.mark, path + ".files.try",
                       root + " has no " + last + ", which all other paths get");
    }
    void look_for_own(const std::string& at, const std::string& root, const config::Mark& mark) {
        const auto folder = real(root);
        for (const auto& [name, path] : own_) {
            const auto below = real(path).lexically_relative(folder);
            if (below.empty() || *below.begin() == "..") continue;
            const std::string asked = "/" + below.string();
            if (hides(config_, asked) || files::is_hidden(asked, usual_names)) continue;
            problems_.warn(mark, at, name + " lies in it, where clients may read it");
        }
    }
    void look_for_rules(const std::string& at, const std::string& root, const config::Mark& mark) {
        const GuardedFolders guarded(root);
        const std::string open = open_of(guarded.wholly()), partly = open_of(guarded.partly());
        if (!open.empty())
            problems_.warn(mark, at,
                           "an .htaccess file guards " + open +
                               ", but ticketgate does not read it; write files.hide: [default, " +
                               open + "]");
        // Which files they are cannot be told from here; any name of the user's is an answer.
        if (!partly.empty() && !hides_more(config_))
            problems_.warn(mark, at,
                           "an .htaccess file in " + partly +
                               " keeps something from clients, but ticketgate does not read it; "
                               "name that in files.hide: [default, …]");
    }
    // Those that are not hidden, as one text.
    std::string open_of(const std::vector<std::string>& folders) const {
        std::string open;
        std::size_t named = 0;
        for (const auto& folder : folders) {
            if (hides(config_, folder)) continue;
            if (++named > most_named) return open + ", …";
            open.append(open.empty() ? "" : ", ").append(folder);
        }
        return open;
    }
    const config::Config& config_;
    const std::vector<OwnFile> own_;
    std::set<std::string> seen_;
    config::Problems problems_;
};

}  // namespace

std::vector<config::Problem> root_problems(const config::Config& config, const std::string& file) {
    Roots roots(config, file);
    for (const auto& [name, upstream] : config.upstreams) {
        roots.look_at("upstreams." + name, upstream.files);
        roots.look_at_scripts("upstreams." + name, upstream);
    }
    roots.look_at("defaults", config.defaults.files);
    for (const auto& route : config.routes) roots.look_at(route.path, route.overrides.files);
    return roots.take();
}

}  // namespace ticketgate
