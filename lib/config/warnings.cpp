#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "base/text.hpp"
#include "config/effective.hpp"
#include "config/syntax.hpp"
#include "config/validate.hpp"
#include "config/walk.hpp"

namespace ticketgate::config {
namespace {

// Returns the places of queued routes' settings, often outside the route that names the queue.
std::vector<Origin> origins_of_queued(const std::vector<Effective>& routes) {
    std::vector<Origin> all;
    for (const Effective& route : routes)
        if (route.settings.queue) all.insert(all.end(), route.origins.begin(), route.origins.end());
    return all;
}

// The default in nginx (proxy_read_timeout), HAProxy's usual examples and most clouds' load
// balancers. Counts only times that the file sets: the defaults add up to more, but a queue is
// seldom full and a backend seldom silent.
void warn_patience(const Effective& route, PlaceWarnings& places) {
    constexpr milliseconds patience = 60s;
    const Settings built_in;
    const auto chosen = [](milliseconds value, milliseconds usual) {
        return value == usual ? 0ms : value;
    };
    const auto wait = chosen(route.settings.wait_timeout, built_in.wait_timeout);
    const auto response = chosen(route.settings.response_timeout, built_in.response_timeout);
    const bool endless = wait == never;
    if (!endless && wait + response <= patience) return;
    const auto total =
        endless ? never : route.settings.wait_timeout + route.settings.response_timeout;
    const bool of_response =
        !is_given(route, "wait_timeout") ||
        (route.own.response_timeout.given() && !route.own.wait_timeout.given() && !endless);
    places.warn(route, of_response ? "response_timeout" : "wait_timeout",
                "wait_timeout " + print_duration(route.settings.wait_timeout) +
                    " and response_timeout " + print_duration(route.settings.response_timeout) +
                    " make " + print_duration(total) +
                    "; nginx and most load balancers give up after 60s, so raise theirs as well");
}

void warn_body_type(const Effective& route, Problems& problems) {
    for_each_answer(
        route.own, route.settings,
        [&](std::string_view name, const auto& own, const Answer& answer) {
            if (!own.body.value || !*own.body.value || answer.content_type != Answer{}.content_type)
                return;
            if (own.content_type.given() || own.body.value->value().str().starts_with('{')) return;
            problems.warn(own.body.mark, route.path + "." + std::string(name) + ".body",
                          "is sent as " + answer.content_type + "; set content_type beside it");
        });
}

void warn_page(const Effective& route, Problems& problems) {
    for_each_answer(
        route.own, route.settings, [&](std::string_view name, const auto& own, const Answer&) {
            if (!own.page.value || own.page.value->kind != Page::Kind::own) return;
            if (own.page.value->text.str().find('<') != std::string::npos) return;
            problems.warn(own.page.mark, route.path + "." + std::string(name) + ".page",
                          "is sent as HTML and has no tags; to name a file, write page_file");
        });
}

// A time for people, of a few words: an upload may last for days.
std::string long_duration(milliseconds time) {
    if (time >= never) return "any time";
    const auto hours = std::chrono::floor<std::chrono::hours>(time).count();
    if (hours >= 10) return std::to_string(hours) + "h";
    return print_duration(std::chrono::floor<std::chrono::seconds>(time));
}

// At the slowest pace that body_min_rate lets pass. body_timeout is between two reads.
milliseconds longest_upload(const Settings& settings) {
    if (settings.body_min_rate == 0) return never;
    const Bytes whole = settings.max_body / settings.body_min_rate;
    return whole >= 100'000'000 ? never : settings.body_timeout + seconds(whole);
}

void warn_arrival(const Config& config, const Effective& route, std::set<std::string>& told,
                  Problems& problems) {
    constexpr milliseconds long_time = 10s;
    if (!route.settings.queue) return;
    const milliseconds upload = longest_upload(route.settings);
    const milliseconds stop = std::min(upload, route.settings.wait_timeout);
    if (stop <= long_time) return;
    const std::string& name = *route.settings.queue;
    const auto queue = config.queues.find(name);
    if (queue == config.queues.end() || queue->second.order != Order::arrival ||
        !told.insert(name).second)
        return;
    const auto path = "queues." + name + ".order";
    const bool waits = route.settings.wait_timeout <= upload;
    problems.warn(
        config.mark_of(path), path,
        "arrival lets one slow upload stop the whole line for up to " + long_duration(stop) +
            (waits ? ", the wait_timeout of "
                   : ", as long as max_body takes at the body_min_rate of ") +
            route.path + "; body_timeout ends only an upload that stops. Lower " +
            (waits ? "wait_timeout" : "max_body, or raise body_min_rate") +
            ", or use order: ready; ticketgate release ends an upload that others wait for");
}

void warn_tunnel(const Effective& route, PlaceWarnings& places) {
    if (route.settings.tunnel == Tunnel::bypass)
        places.warn(route, "tunnel",
                    "bypass lets any client past the line: a GET that asks for a WebSocket or an "
                    "event stream is not queued; give these a route of their own");
}

// One letter more, less, other, or two in the other order; or other capitals. Numbers are told
// apart: shop1, shop2.
bool looks_misspelt(const std::string& name, const std::string& known) {
    if (iequals(name, known)) return true;
    if (std::min(name.size(), known.size()) < 4) return false;
    if (std::ranges::any_of(name, [](char c) { return c >= '0' && c <= '9'; })) return false;
    const auto distance = edit_distance(name, known);
    return distance == 1 || (distance == 2 && std::ranges::is_permutation(name, known));
}

// Warns about a queue that only routes name, beside one of nearly that name that the file sets up.
void warn_near_name(const Config& config, const Effective& route, Problems& problems) {
    if (!route.own.queue.given() || !route.settings.queue) return;
    const std::string& name = *route.settings.queue;
    const auto has = [&](const std::string& queue) {
        return config.marks.contains("queues." + queue);
    };
    if (has(name)) return;
    for (const auto& [known, queue] : config.queues)
        if (has(known) && looks_misspelt(name, known))
            return problems.warn(route.own.queue.mark, route.path + ".queue",
                                 std::string(name)
                                     .append(" is a queue of its own with default settings; did "
                                             "you mean ")
                                     .append(known)
                                     .append("?"));
}

// Warns about words that look like `off`, but name a queue.
void warn_name(const Effective& route, Problems& problems) {
    constexpr std::array<std::string_view, 6> words{"none",  "no",       "false",
                                                    "never", "disabled", "null"};
    if (!route.own.queue.given() || !route.settings.queue) return;
    const std::string& name = *route.settings.queue;
    if (std::ranges::none_of(words, [&](auto word) { return iequals(word, name); })) return;
    problems.warn(route.own.queue.mark, route.path + ".queue",
                  name + " is the name of a queue here; to queue nothing, write queue: off");
}

void warn_queue(const Config& config, const std::string& name, const Queue& queue,
                Problems& problems) {
    const auto path = "queues." + name;
    if (queue.max_in_flight > 1)
        problems.warn(config.mark_of(path + ".max_in_flight"), path + ".max_in_flight",
                      "more than 1 is not mutual exclusion: up to " +
                          std::to_string(queue.max_in_flight) + " requests run at once");
    if (queue.on_hold_timeout == OnHoldTimeout::release && queue.hold_timeout != never)
        problems.warn(config.mark_of(path + ".on_hold_timeout"), path + ".on_hold_timeout",
                      "release fails open: after " + print_duration(queue.hold_timeout) +
                          " a second request runs beside the first; keep is the safe choice");
    if (queue.on_hold_timeout == OnHoldTimeout::release && queue.hold_timeout == never)
        problems.warn(config.mark_of(path + ".on_hold_timeout"), path + ".on_hold_timeout",
                      "has no effect while hold_timeout is never");
}

// The defaults count through the routes that inherit them. Empty: bypass.
std::set<std::string> queues_of(const Config& config, const std::vector<Effective>& routes) {
    std::set<std::string> queues;
    for (const Effective& route : routes)
        if (&route.own != &config.defaults) queues.insert(route.settings.queue.value_or(""));
    return queues;
}

void warn_unused(const Config& config, const std::vector<Effective>& routes, Problems& problems) {
    if (!problems.knows("routes") || !problems.knows("defaults")) return;
    const auto queues = queues_of(config, routes);
    std::set<std::string> upstreams;
    for (const Effective& route : routes)
        if (&route.own != &config.defaults) upstreams.insert(route.settings.upstream);
    const auto warn = [&](const std::string& path, const char* what) {
        problems.warn(config.mark_of(path), path, std::string(what) + " is used by no route");
    };
    for (const auto& [name, queue] : config.queues)
        if (!queues.contains(name) && config.marks.contains("queues." + name))
            warn("queues." + name, "this queue");
    for (const auto& [name, upstream] : config.upstreams)
        if (!upstreams.contains(name)) warn("upstreams." + name, "this upstream");
}

// Warns where it has no effect: FastCGI and unix sockets have no port for redirects to name.
void warn_rewrite_location(const Config& config, Problems& problems) {
    for (const auto& [name, upstream] : config.upstreams) {
        const auto path = "upstreams." + name + ".rewrite_location";
        if (!config.marks.contains(path) || !(upstream.fcgi || !upstream.unix_path.empty()))
            continue;
        problems.warn(
            config.mark_of(path), path,
            "has no effect: redirects of php-fpm, and of a backend on a unix socket, name "
            "no port of their own");
    }
}

// Settings that matter in a queue, also where `defaults` or an outer route sets them.
void warn_queued(const Effective& route, PlaceWarnings& places) {
    warn_patience(route, places);
    warn_tunnel(route, places);
    warn_method_override(route, places);
}

void note_guesses(const Config& config, std::span<const Effective> routes,
                  std::vector<std::string>& notes) {
    const auto guesses = std::ranges::find_if(routes, [](const Effective& route) {
        return route.settings.queue && route.settings.inside_calls == InsideCalls::pass_any;
    });
    const auto outlives = std::ranges::find_if(routes, [&](const Effective& route) {
        return may_outlive_its_slot(config, route.settings);
    });
    if (guesses == routes.end() || outlives == routes.end()) return;
    notes.push_back(
        guesses->path +
        ": inside_calls: pass_any: a call without the X-Request-Id of its caller counts as one "
        "of the request in flight. A script of " +
        outlives->path +
        " that works on behind its answer and then calls (fastcgi_finish_request()) gets into "
        "the slot of another request; release: worker_idle without skip_methods, or workers of "
        "ticketgate's own, tell when it has ended");
}

// CONTRACT 2.9: the default, so no warning.
void note_tunnels(std::span<const Effective> routes, std::vector<std::string>& notes) {
    const auto frees = [](const Effective& route) {
        return route.settings.queue && route.settings.tunnel == Tunnel::release;
    };
    const auto first = std::ranges::find_if(routes, frees);
    if (first == routes.end()) return;
    const auto others = std::count_if(first + 1, routes.end(), frees);
    notes.push_back(
        first->path + (others == 0 ? "" : " and others") +
        ": tunnel: release: a WebSocket or an event stream gives its slot back when it "
        "begins, and then runs beside the queue; tunnel: hold keeps the slot to its end");
}

}  // namespace

void check_meaning(const Config& config, Problems& problems) {
    const auto routes = effective_routes(config);
    const auto queued = origins_of_queued(routes);
    const bool all_queued = std::ranges::all_of(routes, [&](const Effective& route) {
        return &route.own == &config.defaults ||
               (route.settings.queue && route.settings.skip_methods.empty());
    });
    std::set<std::string> told, few;
    PlaceWarnings places(config, problems), of_cluster(config, problems);
    for (const Effective& route : routes) {
        warn_inside_calls(route.own, route.path, route.settings, config, all_queued, problems);
        warn_name(route, problems);
        warn_near_name(config, route, problems);
        warn_body_type(route, problems);
        warn_page(route, problems);
        warn_limits(route.own, route.path, route.settings, config, queued, problems);
        if (&route.own == &config.defaults) continue;
        if (route.settings.queue) warn_queued(route, places);
        warn_clustered_route(route, config, of_cluster);
        warn_arrival(config, route, told, problems);
        check_worker_idle(config, route.path, route.settings, told, problems);
        warn_workers_inside(config, route.path, route.settings, few, problems);
    }
    warn_path_headers(config, queues_of(config, routes), problems);
    warn_kept_workers(config, problems);
    warn_inside(config, problems);
    warn_rewrite_location(config, problems);
    for (const auto& [name, queue] : config.queues) warn_queue(config, name, queue, problems);
    warn_limits(config, problems);
    warn_cluster(config, problems);
    validate_log(config, problems);
    if (!queued.empty()) warn_spool(config, problems);
    warn_unused(config, routes, problems);
    warn_patterns(config, problems);
    warn_paths(config, problems);
    warn_conditions(config, problems);
    warn_ids(config, problems);
    if (config.admin && !is_loopback(*config.admin))
        problems.warn(
            config.mark_of("admin.address"), "admin.address",
            "is reachable from other machines; metrics and write actions belong on 127.0.0.1, "
            "or behind a firewall");
}

std::set<std::string> queues_of_routes(const Config& config) {
    return queues_of(config, effective_routes(config));
}

std::uint32_t most_workers(const Config& config, const std::string& upstream,
                           std::uint32_t processors) {
    // Scripts that compute gain nothing from more, and each worker has an opcode cache of its own
    // to warm; php-fpm has five by default. loadtest/RESULTS.md has the figures.
    constexpr std::uint64_t each_processor = 2;
    constexpr std::uint64_t fewest = 4;
    std::map<std::string, bool> inside;  // by queue: calls run within its slots
    for (const Effective& route : effective_routes(config)) {
        const Settings& settings = route.settings;
        if (&route.own == &config.defaults || settings.upstream != upstream) continue;
        if (settings.queue) inside[*settings.queue] |= lets_calls_in(settings);
    }
    std::uint64_t most = std::max(processors * each_processor, fewest);
    for (const auto& [name, lets_in] : inside) {
        const auto found = config.queues.find(name);
        if (found == config.queues.end()) continue;
        const Queue& queue = found->second;
        const std::uint64_t each = lets_in ? 1 + std::uint64_t{queue.max_inside} : 1;
        most += queue.max_in_flight * each;
    }
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(most, 1, 10000));
}

std::vector<std::string> notes(const Config& config) {
    const auto all = effective_routes(config);
    const auto routes = std::span(all).subspan(1);  // behind the defaults
    std::vector<std::string> notes;
    note_guesses(config, routes, notes);
    note_tunnels(routes, notes);
    if (std::ranges::none_of(routes,
                             [](const Effective& one) { return one.settings.queue.has_value(); }))
        notes.push_back(
            "nothing is queued: no route names a queue, so requests run side by side; write "
            "queue: NAME into a route");
    return notes;
}

}  // namespace ticketgate::config
