// Warns about a route whose queue no request reaches: a later regex, or one that matches every
// path, turns it off, as for users who know that nginx takes the first match.
#include <algorithm>

#include "config/regex_sample.hpp"
#include "config/route_index.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

class Unreached {
 public:
    Unreached(const Config& config, const RouteIndex& index, Problems& problems)
        : config_(config), problems_(problems), index_(index) {}

    void look_at(std::size_t i) {
        const RouteNode& route = config_.routes[i];
        const auto& queue = route.overrides.queue;
        const Conditions* const when = index_.conditions(i);
        if (!queue.given() || !*queue.value || when == nullptr) return;
        const RouteNode* other = nullptr;
        for (const auto& path : samples(route))
            for (const std::string_view method : {"GET", "POST"}) {
                const bool any = when->methods.empty();
                const auto match =
                    index_.match_as(*when, path, any ? method : when->methods.front());
                const auto routes = index_.routes(match);
                if (std::ranges::count(routes, route.path, &RouteNode::path) == 0) continue;
                if (index_.resolve(match).queue) return;
                other = turned_off_by(routes, route);
            }
        if (other != nullptr)
            problems_.warn(route.mark, route.path + (route.is_regex() ? ".regex" : ".prefix"),
                           "no request reaches its queue: " + other->path +
                               " matches the same paths, applies after it and turns the queue "
                               "off; a regex applies after every prefix, and the last one decides");
    }

 private:
    static std::vector<std::string> samples(const RouteNode& route) {
        if (!route.is_regex()) return {route.prefix, route.prefix + "x", route.prefix + "/x"};
        auto text = sample_of(route.regex);
        if (!text.starts_with('/')) text.insert(0, "/");
        return {text, text + "/x", text + "x", "/x" + text};
    }

    // The last route behind this one that says `queue: off`.
    static const RouteNode* turned_off_by(const std::vector<const RouteNode*>& routes,
                                          const RouteNode& route) {
        const RouteNode* found = nullptr;
        bool behind = false;
        for (const RouteNode* one : routes) {
            const auto& queue = one->overrides.queue;
            if (behind && queue.given() && !*queue.value) found = one;
            behind = behind || one->path == route.path;
        }
        return found;
    }

    const Config& config_;
    Problems& problems_;
    const RouteIndex& index_;
};

}  // namespace

void warn_unreached(const Config& config, const RouteIndex& index, Problems& problems) {
    Unreached unreached(config, index, problems);
    for (std::size_t i = 0; i < config.routes.size(); ++i) unreached.look_at(i);
}

}  // namespace ticketgate::config
