// Checks that error answers do not set headers that carry ids. The ids' headers are known only once
// the whole file is read.
#include <algorithm>
#include <utility>
#include <vector>

#include "config/each_id.hpp"
#include "config/syntax.hpp"
#include "config/validate.hpp"
#include "config/walk.hpp"

namespace ticketgate::config {
namespace {

// Every header that may carry an id, with the id's name.
using IdHeaders = std::vector<std::pair<std::string, std::string>>;

void add(const std::vector<std::string>& headers, const std::string& id, IdHeaders& out) {
    for (const auto& header : headers) out.emplace_back(header, id);
}

IdHeaders id_headers(const Config& config) {
    IdHeaders out;
    for_each_own_id(config.ids, [&](const std::string& name, const Id& id) {
        add(id.headers, "ids." + name, out);
    });
    for_each_overrides(config, [&](const std::string& /*path*/, const RouteOverrides& route) {
        for_each_id_override(route.ids, [&](const std::string& name, const IdOverrides& id) {
            if (id.headers.value) add(*id.headers.value, "ids." + name, out);
        });
    });
    return out;
}

void check_route(const RouteOverrides& route, const std::string& path, const IdHeaders& ids,
                 const Config& config, Problems& problems) {
    const Settings unused;
    for_each_answer(route, unused, [&](std::string_view name, const auto& answer, const Answer&) {
        if (!answer.headers.value) return;
        const auto headers = path + "." + std::string(name) + ".headers.";
        for (const auto& [header, value] : *answer.headers.value) {
            const auto found = std::ranges::find_if(
                ids, [&, &own = header](const auto& id) { return same_to_cgi(id.first, own); });
            if (found == ids.end()) continue;
            const auto full = headers + header;
            problems.error(config.mark_of(full), full,
                           "is set by ticketgate itself, from " + found->second + "; remove it");
        }
    });
}

}  // namespace

void check_answers(const Config& config, Problems& problems) {
    const auto ids = id_headers(config);
    for_each_overrides(config, [&](const std::string& path, const RouteOverrides& route) {
        check_route(route, path, ids, config, problems);
    });
}

}  // namespace ticketgate::config
