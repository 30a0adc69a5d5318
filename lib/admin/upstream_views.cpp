#include "admin/upstream_views.hpp"

#include <algorithm>
#include <boost/json/object.hpp>

#include "admin/print_json.hpp"

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

json::value since(WallTime then, WallTime now) {
    if (then == WallTime{}) return nullptr;
    return seconds_between(then, now);
}

void add_workers(const spawn::Pool& pool, json::object& out) {
    const auto figures = pool.figures();
    std::size_t workers = 0;
    for (const std::size_t some : figures.workers) workers += some;
    out["workers"] = workers;
    out["max_workers"] = figures.max;
    out["waiting"] = figures.waiting;
    out["trouble"] = pool.trouble();
}

}  // namespace

json::array upstreams_view(const std::vector<UpstreamState>& upstreams, std::size_t most,
                           WallTime now) {
    json::array list;
    for (const auto& one : upstreams) {
        if (list.size() == most) break;
        json::object out{{"upstream", one.name},
                         {"address", one.address},
                         {"failures", one.failures.count},
                         {"last_failure", one.failures.why},
                         {"last_failure_seconds", since(one.failures.last, now)}};
        if (one.workers) add_workers(*one.workers, out);
        list.push_back(std::move(out));
    }
    return list;
}

}  // namespace ticketgate::admin
