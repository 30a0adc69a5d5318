// Headers of error answers that would stand beside ours: the ids' names are known only when the
// whole file is read.
#include <algorithm>
#include <utility>
#include <vector>

#include "config/syntax.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

// Every header that any request's ids may stand in, and the id.
using IdHeaders = std::vector<std::pair<std::string, std::string>>;

void add(const std::vector<std::string>& headers, const std::string& id, IdHeaders& out) {
    for (const auto& header : headers) out.emplace_back(header, id);
}

void add(const IdsOverrides& ids, IdHeaders& out) {
    for_each_id_override(ids, [&](const std::string& name, const IdOverrides& id) {
        if (id.headers.value) add(*id.headers.value, "ids." + name, out);
    });
}

IdHeaders id_headers(const Config& config) {
    IdHeaders out;
    add(config.ids.request_id.headers, "ids.request_id", out);
    add(config.ids.unique_id.headers, "ids.unique_id", out);
    for (const auto& [name, id] : config.ids.other) add(id.headers, "ids.other." + name, out);
    add(config.defaults.ids, out);
    for (const RouteNode& route : config.routes) add(route.overrides.ids, out);
    return out;
}

void check_route(const RouteOverrides& route, const std::string& path, const IdHeaders& ids,
                 const Config& config, Problems& problems) {
    const Settings unused;
    for_each_answer(route, unused, [&](const char* name, const auto& answer, const Answer&) {
        if (!answer.headers.value) return;
        for (const auto& [header, value] : *answer.headers.value) {
            const auto found = std::ranges::find_if(
                ids, [&, &own = header](const auto& id) { return same_to_cgi(id.first, own); });
            if (found == ids.end()) continue;
            const auto full = path + "." + name + ".headers." + header;
            problems.error(config.mark_of(full), full,
                           "is set by ticketgate itself, from " + found->second + "; remove it");
        }
    });
}

}  // namespace

void check_answers(const Config& config, Problems& problems) {
    const auto ids = id_headers(config);
    check_route(config.defaults, "defaults", ids, config, problems);
    for (const RouteNode& route : config.routes)
        check_route(route.overrides, route.path, ids, config, problems);
}

}  // namespace ticketgate::config
