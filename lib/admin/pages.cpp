#include "admin/pages.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <string_view>

#include "admin/ids_page.hpp"
#include "base/clock.hpp"

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;
namespace json = boost::json;

HttpResponse page(http::status status, std::string body,
                  std::string_view type = "text/plain; charset=utf-8") {
    HttpResponse response(status, 11, std::move(body));
    response.set(http::field::content_type, boost::beast::string_view(type.data(), type.size()));
    response.set(http::field::cache_control, "no-store");
    return response;
}

std::string queues(const GateRegistry& gates) {
    json::array list;
    gates.for_each([&](const Gate& gate) {
        const auto settings = gate.settings();
        list.push_back(json::object{
            {"name", gate.name()},
            {"waiting", gate.waiting()},
            {"in_flight", gate.in_flight()},
            {"max_in_flight", settings.limits.max_in_flight},
            {"order", settings.limits.order == queue::Order::ready ? "ready" : "arrival"},
            {"oldest_wait_seconds", gate.oldest_wait_seconds()},
            {"oldest_hold_seconds", gate.oldest_hold_seconds()},
            {"retry_after_seconds", gate.retry_after()},
        });
    });
    return json::serialize(json::object{{"queues", std::move(list)}}) + "\n";
}

}  // namespace

HttpResponse Pages::operator()(const HttpRequest& request) const {
    const std::string_view target(request.target().data(), request.target().size());
    const std::string_view path = target.substr(0, target.find('?'));
    if (request.method() != http::verb::get && request.method() != http::verb::head)
        return page(http::status::method_not_allowed, "only GET is served here\n");
    if (path == "/livez") return page(http::status::ok, "ok\n");
    if (path == "/readyz" || path == "/healthz") {
        if (ready()) return page(http::status::ok, "ok\n");
        return page(http::status::service_unavailable, "draining\n");
    }
    if (path == "/metrics")
        return page(http::status::ok, metrics.render(), "text/plain; version=0.0.4; charset=utf-8");
    if (path == "/api/v1/queues") return page(http::status::ok, queues(gates), "application/json");
    if (path == "/api/v1/ids" && ids != nullptr)
        return ids_page(target.substr(std::min(path.size() + 1, target.size())), *ids, wall_now());
    return page(http::status::not_found,
                "no such page; there are /livez /readyz /healthz /metrics /api/v1/queues "
                "/api/v1/ids\n");
}

}  // namespace ticketgate::admin
