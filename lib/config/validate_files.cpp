// Checks what `files:` of a route needs from its upstream.
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

}  // namespace

void check_files(const Config& config, Problems& problems) {
    const RouteIndex index(config);
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
        const RouteNode& route = config.routes[i];
        const auto match = index.match_within(i);
        const Settings settings = index.resolve(match);
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
        if (says && reaches_no_backend(files) && route.when.others() != 0)
            warn_of_others(config, route, problems);
        if (route.overrides.files.tries.given() && files.root.empty())
            problems.warn(route.overrides.files.tries.mark, path + ".try",
                          "has no effect without files.root, the folder of the files");
    }
}

}  // namespace ticketgate::config
