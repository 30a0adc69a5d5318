#include "admin/pages.hpp"

#include <algorithm>
#include <array>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "admin/access.hpp"
#include "admin/ids_page.hpp"
#include "admin/page_files.hpp"
#include "admin/worker_views.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"

namespace ticketgate::admin {
namespace {

namespace http = boost::beast::http;

constexpr std::string_view queues_path = "/api/v1/queues/";
constexpr std::string_view events_path = "/api/v1/events";
constexpr std::string_view upgrade_path = "/api/v1/upgrade";  // read and written
constexpr std::uint64_t usual_tickets = 100;
constexpr std::size_t shortest_id = 4, most_found = 20;
constexpr milliseconds longest_pause = 24h;
constexpr const char* resumed_in_old_process = "resumed in the old process, which has this queue\n";
constexpr std::array<std::string_view, 3> queue_actions{"/release", "/pause", "/resume"};

// The end of a path that names an action on a queue; empty: it names none.
std::string_view action_of(std::string_view path) {
    if (!path.starts_with(queues_path)) return {};
    path.remove_prefix(queues_path.size());
    const auto slash = path.rfind('/');
    if (slash == path.npos || slash == 0) return {};
    const auto end = path.substr(slash);
    return std::ranges::find(queue_actions, end) == queue_actions.end() ? std::string_view() : end;
}

bool is_action(std::string_view path) {
    return path == "/api/v1/drain" || path == "/api/v1/reload" || !action_of(path).empty();
}

// Checks the parameters of an action, and of a page that has some. Empty: they are right.
std::string wrong_parameters(std::string_view path, const Query& query) {
    constexpr std::array<std::string_view, 2> ticket{"number", "request_id"};
    constexpr std::array<std::string_view, 1> time{"for"}, limit{"limit"}, id{"request_id"};
    const auto action = action_of(path);
    if (action == "/release") return wrong_names(query, ticket);
    if (action == "/pause") return wrong_names(query, time);
    if (is_action(path) || path == upgrade_path || path == events_path)
        return wrong_names(query, {});
    if (path == "/api/v1/tickets") return wrong_names(query, id);
    return path.starts_with(queues_path) ? wrong_names(query, limit) : std::string();
}

bool is_page(std::string_view path) {
    constexpr std::array<std::string_view, 12> pages{
        "/livez",         "/readyz",     "/healthz",        "/metrics",
        "/api/v1/queues", events_path,   "/api/v1/tickets", "/api/v1/workers",
        "/api/v1/config", "/api/v1/ids", "/api/v1/cluster", upgrade_path};
    return std::ranges::find(pages, path) != pages.end() || path.starts_with(queues_path);
}

// RFC 9110 15.5.6: with the methods that are served.
HttpResponse other_method(const char* allowed, std::string body) {
    auto answer = page(http::status::method_not_allowed, std::move(body));
    answer.set(http::field::allow, allowed);
    return answer;
}

HttpResponse no_such_page() {
    return page(http::status::not_found,
                "no such page; the pages are / /livez /readyz /healthz /metrics /api/v1/queues "
                "/api/v1/queues/NAME /api/v1/tickets?request_id=ID /api/v1/events /api/v1/workers "
                "/api/v1/cluster /api/v1/config /api/v1/upgrade "
                "/api/v1/ids\n");
}

// 409: what the operator saw is not so any more; the slot, if there is one, is another request's.
HttpResponse not_released(const Gate& gate, std::uint64_t number,
                          const std::optional<std::string>& request_id, const Released& found) {
    const std::string place = "number " + std::to_string(number);
    const std::string gone = place + " is neither in flight nor waiting in queue " + gate.name();
    if (!request_id) return page(http::status::not_found, gone + "\n");
    std::string why = "not released: ";
    if (found.how == Release::no_such)
        why += gone + " any more\n";
    else
        why.append(place)
            .append(" of queue ")
            .append(gate.name())
            .append(" is another request now: request id ")
            .append(found.label.request_id())
            .append("\n");
    return page(http::status::conflict, std::move(why));
}

HttpResponse no_such_queue(const std::string& name) {
    return page(http::status::not_found, "no queue has the name " + name + "\n");
}

}  // namespace

// The path and the query as the pages read them.
bool asks_for_events(const HttpRequest& request) {
    if (request.method() != http::verb::get) return false;
    const auto target = boost::urls::parse_origin_form(request.target());
    return target && target->path() == events_path && wrong_names(target->params(), {}).empty();
}

HttpResponse Pages::operator()(const HttpRequest& request, bool local) const {
    const auto target = boost::urls::parse_origin_form(request.target());
    if (!target)
        return page(http::status::bad_request,
                    "the request target must be a path, with or without a query\n");
    const std::string path = target->path();
    const Query query = target->params();
    const bool reads = request.method() == http::verb::get || request.method() == http::verb::head;
    if (reads && is_action(path))
        return other_method("POST", "this is an action; it needs the method POST\n");
    auto wrong = wrong_parameters(path, query);
    if (reads && wrong.empty()) return read(path, query);
    if (reads) return page(http::status::bad_request, std::move(wrong));
    if (request.method() != http::verb::post)
        return other_method("GET, HEAD, POST", "only GET, HEAD and POST are served here\n");
    if (!is_action(path) && path != upgrade_path && is_page(path))
        return other_method("GET, HEAD", "this page is read with GET\n");
    if (const auto why = refusal(request, local, actions.token()); !why.empty())
        return page(http::status::forbidden, std::string(why));
    if (!wrong.empty()) return page(http::status::bad_request, std::move(wrong));
    return write(path, query);
}

HttpResponse Pages::read(std::string_view path, const Query& query) const {
    if (auto file = page_file(path)) return *std::move(file);
    if (path == "/livez") return page(http::status::ok, "ok\n");
    if (path == "/readyz" || path == "/healthz") return readiness(query.contains("verbose"));
    if (path == "/metrics")
        return page(http::status::ok, metrics.render(), "text/plain; version=0.0.4; charset=utf-8");
    if (path == "/api/v1/queues")
        return page(http::status::ok, all_queues(gates, actions.elsewhere, spool_trouble()),
                    json_text);
    if (path == "/api/v1/tickets") return find(query);
    if (path == events_path && actions.viewers_full) return events();
    if (path == "/api/v1/workers" && actions.worker_pools)
        return page(http::status::ok,
                    all_workers(actions.worker_pools(), actions.upstreams(), wall_now()),
                    json_text);
    if (path == "/api/v1/cluster" && actions.cluster)
        return page(http::status::ok, actions.cluster(), json_text);
    if (path == "/api/v1/config" && actions.config)
        return page(http::status::ok, config_json(actions.config(), monotonic_now()), json_text);
    if (path == upgrade_path && actions.upgrading)
        return page(http::status::ok, upgrade_json(actions.upgrading()), json_text);
    if (path == "/api/v1/ids" && ids != nullptr)
        return ids_page(query, *ids, snowflakes, wall_now());
    if (!path.starts_with(queues_path)) return no_such_page();
    const std::string name(path.substr(queues_path.size()));
    const Gate* gate = gates.find(name);
    if (gate == nullptr) return no_such_queue(name);
    const auto most = query_number(query, "limit", usual_tickets);
    if (!most) return page(http::status::bad_request, "limit is not a number; write ?limit=N\n");
    return page(http::status::ok, one_queue(*gate, *most, actions.elsewhere), json_text);
}

// A HEAD, or a GET behind the last viewer that may look.
HttpResponse Pages::events() const {
    if (!actions.viewers_full()) return page(http::status::ok, {}, events_text);
    return page(http::status::service_unavailable,
                "as many viewers as admin.max_viewers allows look already\n");
}

std::string Pages::failed_upgrade(const Upgrading& last) {
    return last.state == "failed" ? upgrade_text(last) + "\n" : std::string();
}

std::string Pages::spool_trouble() const {
    return actions.spool_trouble ? actions.spool_trouble() : std::string();
}

// A bad file on disk makes the process no less ready: it serves with the config in force.
HttpResponse Pages::readiness(bool verbose) const {
    const bool ready = actions.ready();
    std::string text = ready ? "ok\n" : "draining\n";
    if (const auto left = actions.cuts_in ? actions.cuts_in() : std::nullopt; verbose && left)
        text += drain_text(*left) + "\n";
    if (verbose && actions.config) text += config_lines(actions.config(), monotonic_now());
    if (const auto spool = spool_trouble(); verbose && !spool.empty()) text += spool + "\n";
    if (verbose && actions.upgrading) text += failed_upgrade(actions.upgrading());
    return page(ready ? http::status::ok : http::status::service_unavailable, std::move(text));
}

HttpResponse Pages::find(const Query& query) const {
    const auto id = query_text(query, "request_id");
    if (!id || id->size() < shortest_id)
        return page(http::status::bad_request,
                    "request_id must be a request id, or its first 4 characters or more\n");
    return page(http::status::ok, find_tickets(gates, *id, most_found), json_text);
}

HttpResponse Pages::write(std::string_view path, const Query& query) const {
    if (path == "/api/v1/drain") {
        actions.drain();
        return page(http::status::accepted, "draining\n");
    }
    if (path == "/api/v1/reload") return reload();
    if (path == upgrade_path && actions.upgrade) return upgrade();
    if (const auto action = action_of(path); !action.empty()) {
        path.remove_prefix(queues_path.size());
        path.remove_suffix(action.size());
        const std::string name(path);
        Gate* const gate = gates.find(name);
        if (gate != nullptr) return change(action, *gate, query);
        if (action == "/resume" && resumed_there(name))
            return page(http::status::ok, resumed_in_old_process);
        return no_such_queue(name);
    }
    return page(http::status::not_found,
                "no such action; the actions are POST "
                "/api/v1/queues/NAME/release?number=N&request_id=ID "
                "/api/v1/queues/NAME/pause?for=30s /api/v1/queues/NAME/resume /api/v1/drain "
                "/api/v1/reload /api/v1/upgrade\n");
}

HttpResponse Pages::change(std::string_view action, Gate& gate, const Query& query) const {
    if (action == "/release") return release(gate, query);
    return action == "/pause" ? pause(gate, query) : resume(gate);
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

HttpResponse Pages::upgrade() const {
    if (const auto why = actions.upgrade(); !why.empty())
        return page(http::status::conflict, why + "\n");
    return page(http::status::accepted, upgrade_json(actions.upgrading()), json_text);
}

HttpResponse Pages::release(Gate& gate, const Query& query) const {
    if (query.find("number") == query.end())
        return page(http::status::bad_request,
                    "the number is missing; add ?number=N of a ticket in flight\n");
    const auto number = query_number(query, "number", 0).value_or(0);
    if (number == 0)
        return page(http::status::bad_request,
                    "number is not that of a ticket; these are whole numbers from 1, as " +
                        std::string(queues_path) + gate.name() + " shows them\n");
    const auto request_id = query_text(query, "request_id");
    const Released released = actions.release(gate, {number, request_id});
    switch (released.how) {
        case Release::failed_open:
            return page(http::status::ok, "released; its backend may still be running\n");
        case Release::not_sent:
            return page(http::status::ok,
                        "released; it had not been sent to the backend, its client gets 503\n");
        case Release::no_such:
        case Release::another:
            break;
    }
    return not_released(gate, number, request_id, released);
}

// Empty: the pause holds the line. Elsewhere it would hold nobody: the keeper admits. Without a
// route it would hold nobody either.
std::string Pages::why_not_paused_here(const Gate& gate) const {
    if (actions.has_route && !actions.has_route(gate.name()))
        return "not paused: no route leads to queue " + gate.name() +
               " now, so a pause would hold no new request; ticketgate explain names the queue of "
               "a URL\n";
    if (!actions.elsewhere || actions.elsewhere(gate.name()).where != "other_replica") return {};
    const Whereabouts at = gate.where();
    const std::string not_paused = "not paused: queue " + gate.name();
    if (at.where == Whereabouts::Where::peer && at.keeper)
        return not_paused + " is kept by replica " + at.keeper->name + " (" + at.keeper->address +
               "); pause it there\n";
    if (at.where == Whereabouts::Where::nowhere)
        return not_paused +
               " has no keeper now; its next request gives it one, and a pause there holds it\n";
    return not_paused + " is not surely kept by this replica; look at ticketgate cluster status\n";
}

HttpResponse Pages::pause(Gate& gate, const Query& query) const {
    milliseconds how_long = never;
    if (const auto text = query_text(query, "for")) {
        const auto given = parse_duration(*text);
        if (!given || *given < 1ms || *given > longest_pause)
            return page(http::status::bad_request,
                        "for: must be a duration from 1ms to 24h, such as 30s; without it, the "
                        "pause lasts until a resume\n");
        how_long = *given;
    }
    if (!actions.ready())
        return page(http::status::service_unavailable,
                    "draining: a pause would keep the line from its end\n");
    if (auto why = why_not_paused_here(gate); !why.empty())
        return page(http::status::conflict, std::move(why));
    actions.pause(gate, how_long);
    return page(http::status::ok, "paused " +
                                      (how_long == never ? "until it is resumed"
                                                         : "for " + print_duration(how_long)) +
                                      "; requests that run go on, the others wait\n");
}

bool Pages::resumed_there(const std::string& queue) const {
    return actions.resume_there && actions.resume_there(queue);
}

HttpResponse Pages::resume(Gate& gate) const {
    if (gate.figures().paused()) {
        actions.resume(gate);
        return page(http::status::ok, "resumed\n");
    }
    return resumed_there(gate.name()) ? page(http::status::ok, resumed_in_old_process)
                                      : page(http::status::ok, "it was not paused\n");
}

}  // namespace ticketgate::admin
