#include "admin/pages.hpp"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "admin/access.hpp"
#include "admin/ids_page.hpp"
#include "admin/queue_views.hpp"
#include "admin/worker_views.hpp"
#include "base/clock.hpp"

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view queues_path = "/api/v1/queues/";
constexpr std::uint64_t usual_tickets = 100;

HttpResponse no_such_page() {
    return page(http::status::not_found,
                "no such page; the pages are /livez /readyz /healthz /metrics /api/v1/queues "
                "/api/v1/queues/NAME /api/v1/workers /api/v1/config /api/v1/ids\n");
}

HttpResponse no_such_queue(const std::string& name) {
    return page(http::status::not_found, "no queue has the name " + name + "\n");
}

}  // namespace

HttpResponse Pages::operator()(const HttpRequest& request, bool local) const {
    const auto target = boost::urls::parse_origin_form(request.target());
    if (!target)
        return page(http::status::bad_request,
                    "the request target must be a path, with or without a query\n");
    const std::string path = target->path();
    const Query query = target->params();
    if (request.method() == http::verb::get || request.method() == http::verb::head)
        return read(path, query);
    if (request.method() != http::verb::post)
        return page(http::status::method_not_allowed, "only GET and POST are served here\n");
    if (const auto why = refusal(request, local, actions.token()); !why.empty())
        return page(http::status::forbidden, std::string(why));
    return write(path, query);
}

HttpResponse Pages::read(std::string_view path, const Query& query) const {
    if (path == "/livez") return page(http::status::ok, "ok\n");
    if (path == "/readyz" || path == "/healthz") return readiness(query.contains("verbose"));
    if (path == "/metrics")
        return page(http::status::ok, metrics.render(), "text/plain; version=0.0.4; charset=utf-8");
    if (path == "/api/v1/queues") return page(http::status::ok, all_queues(gates), json_text);
    if (path == "/api/v1/workers" && actions.worker_pools)
        return page(http::status::ok, all_workers(actions.worker_pools()), json_text);
    if (path == "/api/v1/config" && actions.config)
        return page(http::status::ok, config_json(actions.config(), monotonic_now()), json_text);
    if (path == "/api/v1/ids" && ids != nullptr)
        return ids_page(query, *ids, snowflakes, wall_now());
    if (!path.starts_with(queues_path)) return no_such_page();
    const std::string name(path.substr(queues_path.size()));
    const Gate* gate = gates.find(name);
    if (gate == nullptr) return no_such_queue(name);
    const auto most = query_number(query, "limit", usual_tickets);
    return page(http::status::ok, one_queue(*gate, most), json_text);
}

// A bad file on disk makes the process no less ready: it serves with the config in force.
HttpResponse Pages::readiness(bool verbose) const {
    const bool ready = actions.ready();
    std::string text = ready ? "ok\n" : "draining\n";
    if (verbose && actions.config) text += config_lines(actions.config(), monotonic_now());
    return page(ready ? http::status::ok : http::status::service_unavailable, std::move(text));
}

HttpResponse Pages::write(std::string_view path, const Query& query) const {
    if (path == "/api/v1/drain") {
        actions.drain();
        return page(http::status::accepted, "draining\n");
    }
    if (path == "/api/v1/reload") return reload();
    constexpr std::string_view release_path = "/release";
    if (path.starts_with(queues_path) && path.ends_with(release_path)) {
        path.remove_prefix(queues_path.size());
        path.remove_suffix(std::min(path.size(), release_path.size()));
        return release(std::string(path), query);
    }
    return page(http::status::not_found,
                "no such action; the actions are POST /api/v1/queues/NAME/release?number=N "
                "/api/v1/drain /api/v1/reload\n");
}

// 409: a script that checks only the status must not take a partial reload for a full one.
HttpResponse Pages::reload() const {
    const auto [problems, need_restart, warnings] = actions.reload();
    const std::string also = some_of(warnings);
    if (!problems.empty())
        return page(http::status::unprocessable_entity,
                    "not loaded, the old config stays:\n" + some_of(problems) + also);
    if (need_restart.empty()) return page(http::status::ok, "loaded\n" + also);
    return page(http::status::conflict,
                "loaded, except for what needs a restart:\n" + some_of(need_restart) + also);
}

HttpResponse Pages::release(const std::string& name, const Query& query) const {
    Gate* gate = gates.find(name);
    if (gate == nullptr) return no_such_queue(name);
    const auto number = query_number(query, "number", 0);
    if (number == 0)
        return page(http::status::bad_request,
                    "the number is missing; add ?number=N of a ticket in flight\n");
    switch (actions.release(*gate, number)) {
        case Release::failed_open:
            return page(http::status::ok, "released; its backend may still be running\n");
        case Release::not_begun:
            return page(http::status::ok,
                        "released; it had not been sent to the backend, its client gets 503\n");
        case Release::no_such:
            break;
    }
    return page(http::status::not_found,
                "number " + std::to_string(number) + " is not in flight in queue " + name + "\n");
}

}  // namespace ticketgate::admin
