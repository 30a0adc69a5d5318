// Warns about pages of a FastCGI front controller that stand in two queues: requests for them get
// 400 (proxy/routing).
#include "config/front_controller.hpp"
#include "config/route_index.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

std::string two_queues(const std::string& path, const std::string& script,
                       const std::string& queue) {
    return "is one page with " + path + " for " + script + ", whose queue is " + queue +
           ": requests for it get 400; give both one queue";
}

void look_at(const RouteNode& route, const Conditions& when, const Config& config,
             const RouteIndex& index, Problems& problems) {
    const auto at = [&](std::string_view path) {
        return index.resolve(index.match_as(when, path));
    };
    const Settings own = at(route.prefix);
    const auto script = front_controller(config, own);
    if (script.empty() || !own.queue || route.prefix.starts_with(script)) return;
    for (const auto& [path, certain] : other_spellings(script, route.prefix)) {
        const Settings other = at(path);
        const bool two = other.queue && other.queue != own.queue;
        if (!two || other.upstream != own.upstream) continue;
        if (front_controller(config, other) != script) continue;
        return problems.warn(route.mark, route.path + ".prefix",
                             two_queues(path, script, *other.queue));
    }
}

}  // namespace

void warn_pages(const Config& config, const RouteIndex& index, Problems& problems) {
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
        const RouteNode& route = config.routes[i];
        const Conditions* const when = index.conditions(i);
        if (when != nullptr && !route.is_regex() && route.overrides.queue.given())
            look_at(route, *when, config, index, problems);
    }
}

}  // namespace ticketgate::config
