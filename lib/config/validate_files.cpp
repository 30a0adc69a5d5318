// Checks what `files:` of a route needs from its upstream.
#include <map>
#include <vector>

#include "config/route_index.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

bool is_script_path(const std::string& path) {
    return path.ends_with(".php");
}

// Scripts below it do not run, for the requests that it takes.
bool reaches_no_backend(const Files& files) {
    const auto& last = files.tries.back();
    return !files.root.empty() && last != "upstream" && last != "script" && !is_script_path(last);
}

// What somebody uploads there is then run by a POST.
void warn_of_others(const Config& config, const RouteNode& route, Problems& problems) {
    const std::string what = !route.when.methods.empty()   ? "methods"
                             : !route.when.headers.empty() ? "header"
                             : !route.when.from.empty()    ? "from"
                                                           : "listener";
    const auto path = route.path + "." + what;
    problems.warn(config.mark_of(path), path,
                  "no script runs here, but requests that it does not take go to another route, "
                  "where one may; leave it out");
}

// Which places of the file serve files, and which upstreams get requests.
class Served {
 public:
    explicit Served(const Config& config) : config_(config), roots_(config.routes.size()) {}

    void note(std::size_t i, const Settings& settings) {
        auto& [gets, all] = upstreams_[settings.upstream];
        gets = gets || !reaches_no_backend(settings.files);
        all = all || !settings.files.root.empty();
        if (settings.files.root.empty()) return;
        for (auto at = static_cast<int>(i); at >= 0; at = config_.routes[std::size_t(at)].parent)
            roots_[std::size_t(at)] = true;
        any_ = true;
    }
    void warn(Problems& problems) const {
        warn_void(problems, "defaults", config_.defaults.files, any_);
        for (const auto& [name, upstream] : config_.upstreams) {
            const auto found = upstreams_.find(name);
            if (found == upstreams_.end()) continue;
            warn_void(problems, "upstreams." + name, upstream.files, found->second.files);
            if (!found->second.gets) warn_unreached(problems, name, upstream);
        }
        for (std::size_t i = 0; i < config_.routes.size(); ++i)
            warn_void(problems, config_.routes[i].path, config_.routes[i].overrides.files,
                      roots_[i]);
    }

 private:
    struct Of {
        bool gets = false, files = false;
    };
    void warn_void(Problems& problems, const std::string& at, const FilesOverrides& files,
                   bool serves) const {
        const auto path = at + ".files";
        if (serves || files == FilesOverrides() || !problems.has_read(path)) return;
        problems.warn(config_.mark_of(path), path,
                      "has no effect without files.root, the folder of the files");
    }
    void warn_unreached(Problems& problems, const std::string& name,
                        const Upstream& upstream) const {
        const auto path = "upstreams." + name;
        if (!problems.has_read(path)) return;
        const bool runs_scripts = upstream.fcgi && upstream.fcgi->split;
        problems.warn(config_.mark_of(path), path,
                      std::string("gets no request: files.try of each of its routes ends without "
                                  "a backend, so a path without a file gets 404; end it with ") +
                          (runs_scripts ? "script, upstream or /index.php" : "upstream"));
    }
    const Config& config_;
    std::vector<bool> roots_;  // of a route, or of one within it
    std::map<std::string, Of> upstreams_;
    bool any_ = false;
};

}  // namespace

namespace {

// As a file it is never sent, and only .php is run by its name.
void refuse_source(const Config& config, const std::string& files, const std::string& last,
                   const Upstream& upstream, Problems& problems) {
    if (!upstream.fcgi || is_script_path(last) || upstream.fcgi->script != last) return;
    problems.error(config.mark_of(files), files + ".try",
                   last +
                       " is fastcgi.script, whose source is never sent; end with upstream, "
                       "which runs it");
}

void check_files_of_upstreams(const Config& config, Problems& problems) {
    for (const auto& [name, upstream] : config.upstreams) {
        const auto path = "upstreams." + name;
        const auto& tries = upstream.files.tries.value;
        if (tries && problems.has_read(path))
            refuse_source(config, path + ".files", tries->back(), upstream, problems);
    }
}

}  // namespace

void check_files(const Config& config, Problems& problems) {
    check_files_of_upstreams(config, problems);
    const RouteIndex index(config);
    Served served(config);
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
        const RouteNode& route = config.routes[i];
        const auto match = index.match_within(i);
        const Settings settings = index.resolve(match);
        served.note(i, settings);
        const auto upstream = config.upstreams.find(settings.upstream);
        if (upstream == config.upstreams.end()) continue;
        const Files& files = settings.files;
        const bool says = route.overrides.files.tries.given() || route.overrides.files.root.given();
        const auto path = route.path + ".files";
        if (!problems.has_read(path) || !problems.has_read("defaults.files") ||
            !problems.has_read("upstreams." + settings.upstream))
            continue;
        const auto& last = files.tries.back();
        if (says && !files.root.empty() && last.starts_with('/') && is_script_path(last) &&
            !upstream->second.fcgi)
            problems.error(config.mark_of(path), path + ".try",
                           last + " is a script, and upstream " + settings.upstream +
                               " is not told which script to run; end with upstream instead");
        if (says) refuse_source(config, path, last, upstream->second, problems);
        if (says && reaches_no_backend(files) && route.when.others() != 0)
            warn_of_others(config, route, problems);
    }
    if (problems.has_read("defaults.files") && problems.has_read("routes")) served.warn(problems);
}

}  // namespace ticketgate::config
