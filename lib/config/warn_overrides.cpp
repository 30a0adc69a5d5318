// Warns about applications that take their method or path from a header or parameter: queues and
// routes use the request line only.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "config/proxy_headers.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {

void warn_method_override(const Effective& route, PlaceWarnings& places) {
    const auto& skipped = route.settings.skip_methods;
    if (skipped.empty()) return;
    if (route.settings.method_override == MethodOverride::forward)
        places.warn(route, "method_override",
                    "method_override: forward lets a client past the line: a " + skipped.front() +
                        " with X-HTTP-Method-Override or ?_method= is not queued, and many "
                        "frameworks use the other method");
    else if (std::ranges::find(skipped, "POST") != skipped.end())
        places.warn(route, "skip_methods",
                    "a POST may name another method as _method in its body, where ticketgate does "
                    "not look; queue POST if the application uses it");
}

void warn_path_headers(const Config& config, const std::set<std::string>& queues,
                       Problems& problems) {
    if (queues.size() < 2) return;
    const auto dropped = path_headers(config.clients);
    for (const char* name : {"X-Original-URL", "X-Rewrite-URL"}) {
        const auto same = [&](const std::string& one) { return iequals(one, name); };
        if (std::ranges::any_of(dropped, same)) continue;
        problems.warn(config.mark_of("clients.path_headers"), "clients.path_headers",
                      std::string("lets ") + name +
                          " pass: if the application uses it as the path, a request of one route "
                          "runs as one of another route, past its queue");
        return;
    }
}

}  // namespace ticketgate::config
