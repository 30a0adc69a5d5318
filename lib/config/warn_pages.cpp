// Warns about pages of a FastCGI front controller that stand in two queues: requests for them get
// 400 (proxy/routing).
#include "config/front_controller.hpp"
#include "config/route_index.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

class Pages {
 public:
    Pages(const Config& config, const RouteIndex& index, Problems& problems)
        : config_(config), problems_(problems), index_(index) {}

    void look_at(std::size_t i) {
        const RouteNode& route = config_.routes[i];
        const Conditions* const when = index_.conditions(i);
        if (when == nullptr || route.is_regex() || !route.overrides.queue.given()) return;
        const auto at = [&](std::string_view path) {
            return index_.resolve(index_.match_as(*when, path));
        };
        const Settings own = at(route.prefix);
        const auto script = front_controller(config_, own);
        if (script.empty() || !own.queue || route.prefix.starts_with(script)) return;
        for (const auto& [path, certain] : other_spellings(script, route.prefix)) {
            const Settings other = at(path);
            const bool two = other.queue && other.queue != own.queue;
            if (!two || other.upstream != own.upstream) continue;
            if (front_controller(config_, other) != script) continue;
            return problems_.warn(route.mark, route.path + ".prefix",
                                  two_queues(path, script, *other.queue));
        }
    }

 private:
    static std::string two_queues(const std::string& path, const std::string& script,
                                  const std::string& queue) {
        return "is one page with " + path + " for " + script + ", whose queue is " + queue +
               ": requests for it get 400; give both one queue";
    }

    const Config& config_;
    Problems& problems_;
    const RouteIndex& index_;
};

}  // namespace

void warn_pages(const Config& config, const RouteIndex& index, Problems& problems) {
    Pages pages(config, index, problems);
    for (std::size_t i = 0; i < config.routes.size(); ++i) pages.look_at(i);
}

}  // namespace ticketgate::config
