// Checks what `files:` of a route needs from its upstream.
#include "config/route_index.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

bool is_script_path(const std::string& path) {
    return path.ends_with(".php");
}

}  // namespace

void check_files(const Config& config, Problems& problems) {
    if (!problems.knows("routes") || !problems.knows("defaults")) return;
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
        const auto& last = files.tries.back();
        if (says && !files.root.empty() && last.starts_with('/') && is_script_path(last) &&
            !upstream->second.fcgi)
            problems.error(config.mark_of(path), path + ".try",
                           last + " is a script, and upstream " + settings.upstream +
                               " is not told which script to run; end with upstream instead");
        if (route.overrides.files.tries.given() && files.root.empty())
            problems.warn(route.overrides.files.tries.mark, path + ".try",
                          "has no effect without files.root, the folder of the files");
    }
}

}  // namespace ticketgate::config
