#include "admin/worker_views.hpp"

#include <array>
#include <boost/json/object.hpp>
#include <limits>

#include "admin/print_json.hpp"

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

constexpr std::array<const char*, 5> states{"starting", "idle", "busy", "stopping", "dead"};

json::object worker(const std::string& upstream, const spawn::WorkerView& view) {
    json::object out{
        {"upstream", upstream},
        {"worker", view.number},
        {"pid", view.pid},
        {"state", states[static_cast<std::size_t>(view.state)]},
        {"state_seconds", to_s(view.in_state)},
        {"age_seconds", to_s(view.age)},
        {"requests", view.requests},
    };
    if (!view.request_id.empty()) out["request_id"] = view.request_id;
    return out;
}

}  // namespace

json::array workers_view(const std::vector<std::shared_ptr<spawn::Pool>>& pools, std::size_t most) {
    json::array list;
    for (const auto& pool : pools)
        for (const auto& view : pool->view())
            if (list.size() < most) list.push_back(worker(pool->name(), view));
    return list;
}

std::string all_workers(const std::vector<std::shared_ptr<spawn::Pool>>& pools,
                        const std::vector<UpstreamState>& upstreams, WallTime now) {
    const auto all = std::numeric_limits<std::size_t>::max();
    return print_json(json::object{{"workers", workers_view(pools, all)},
                                   {"upstreams", upstreams_view(upstreams, all, now)}}) +
           "\n";
}

}  // namespace ticketgate::admin
