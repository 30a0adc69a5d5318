// Warns about calls from inside that cannot be told from clients, or whose caller stays unknown.
#include "config/networks.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

// A network of more addresses than one site has.
bool too_wide(const std::string& text) {
    const auto network = Network::parse(text);
    return network && network->bits < (network->v4 ? 96u + 8 : 16u);
}

}  // namespace

void warn_inside(const Config& config, Problems& problems) {
    const std::string path = "clients.inside";
    for (const auto& text : config.clients.inside) {
        if (too_wide(text))
            problems.warn(config.mark_of(path), path,
                          text + " counts clients as backends; name the backends' own addresses");
        const Networks one({text}), trusted(config.clients.trusted_proxies);
        if (trusted.contains(one))
            problems.warn(config.mark_of(path), path,
                          text +
                              " has no effect: it is in clients.trusted_proxies, whose requests "
                              "are their clients'");
    }
}

void warn_inside_calls(const RouteOverrides& own, const std::string& path, const Settings& settings,
                       const Config& config, bool all_queued, Problems& problems) {
    if (!own.inside_calls.given() || settings.inside_calls == InsideCalls::wait) return;
    const Mark mark = own.inside_calls.mark;
    const std::string key = path + ".inside_calls";
    if (config.clients.inside.empty() && problems.knows("clients.inside"))
        problems.warn(mark, key,
                      "has no effect while clients.inside is empty; name the addresses from which "
                      "the backend calls its own site");
    else if (settings.inside_calls == InsideCalls::pass_any && config.cluster)
        problems.warn(mark, key,
                      "is as pass in a cluster: another replica may run the request that made a "
                      "call without an id, so only calls with the X-Request-Id of their caller "
                      "pass; write pass");
    else if (settings.inside_calls == InsideCalls::pass_any && !all_queued)
        problems.warn(mark, key,
                      "while a request that is not queued runs, only a call with the X-Request-Id "
                      "of its caller passes; others wait");
}

bool may_outlive_its_slot(const Config& config, const Settings& settings) {
    const auto upstream = config.upstreams.find(settings.upstream);
    if (upstream == config.upstreams.end() || upstream->second.workers) return false;
    if (!settings.queue || !settings.skip_methods.empty()) return true;
    const auto queue = config.queues.find(*settings.queue);
    return queue == config.queues.end() || queue->second.release == Release::response;
}

void warn_workers_inside(const Config& config, const std::string& path, const Settings& settings,
                         std::set<std::string>& told, Problems& problems) {
    const auto upstream = config.upstreams.find(settings.upstream);
    if (upstream == config.upstreams.end() || !upstream->second.workers) return;
    const std::uint32_t max = upstream->second.workers->max;
    if (!settings.queue || !lets_calls_in(settings) || max == unlimited) return;
    const auto queue = config.queues.find(*settings.queue);
    const std::uint64_t slots = queue == config.queues.end() ? 1 : queue->second.max_in_flight;
    if (max > slots || !told.insert(settings.upstream).second) return;
    const std::string key = "upstreams." + settings.upstream + ".workers.max";
    problems.warn(config.mark_of(key), key,
                  std::to_string(max) + " workers may all run requests of queue " +
                      *settings.queue + ", and then a call from inside (" + path +
                      ".inside_calls) finds none and gets 504; write more, or auto");
}

bool lets_calls_in(const Settings& settings) {
    return settings.inside_calls == InsideCalls::pass ||
           settings.inside_calls == InsideCalls::pass_any;
}

}  // namespace ticketgate::config
