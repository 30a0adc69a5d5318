// Limits that protect nobody: each is legal, and each was chosen by the file.
#include <array>

#include "base/text.hpp"
#include "config/syntax.hpp"
#include "config/validate.hpp"

namespace ticketgate::config {
namespace {

struct LongTime {
    std::string_view name;
    milliseconds Clients::*value;
    milliseconds usual_most;
    std::string_view why;
};

constexpr std::array long_times{
    LongTime{"head_timeout", &Clients::head_timeout, 60s,
             "a client that says nothing keeps its connection as long"},
    LongTime{"idle_timeout", &Clients::idle_timeout, 10min,
             "idle clients keep their connections as long"},
    LongTime{"write_timeout", &Clients::write_timeout, 10min,
             "a client that reads nothing keeps its answer in the spool as long"},
};

void warn(const Config& config, const std::string& path, std::string message, Problems& problems) {
    problems.warn(config.mark_of(path), path, std::move(message));
}

void warn_times(const Config& config, Problems& problems) {
    for (const LongTime& time : long_times) {
        const auto value = config.clients.*time.value;
        if (value <= time.usual_most) continue;
        warn(config, "clients." + std::string(time.name),
             print_duration(value) + " is long: " + std::string(time.why), problems);
    }
}

void warn_connections(const Config& config, Problems& problems) {
    const Clients& clients = config.clients;
    if (clients.max_connections_per_client != unlimited &&
        clients.max_connections_per_client >= clients.max_connections)
        warn(config, "clients.max_connections_per_client",
             "has no effect: max_connections is " + std::to_string(clients.max_connections),
             problems);
    constexpr Bytes much = 1ull << 30;
    if (clients.max_head * clients.max_connections > much && clients.max_head > Clients{}.max_head)
        warn(config, "clients.max_head",
             print_size(clients.max_head) + " from each of max_connections " +
                 std::to_string(clients.max_connections) + " clients is " +
                 print_size(clients.max_head * clients.max_connections) + " of memory",
             problems);
}

void warn_proxy_protocol(const Config& config, Problems& problems) {
    for (std::size_t i = 0; i < config.listen.size(); ++i) {
        const Listen& listen = config.listen[i];
        if (!listen.proxy_protocol || is_loopback(listen) ||
            !config.clients.trusted_proxies.empty())
            continue;
        warn(config, "listen[" + std::to_string(i) + "].proxy_protocol",
             "believes programs on this machine only; name the proxies in front in "
             "clients.trusted_proxies",
             problems);
    }
}

}  // namespace

void warn_limits(const Config& config, Problems& problems) {
    warn_times(config, problems);
    warn_connections(config, problems);
    warn_proxy_protocol(config, problems);
}

void warn_limits(const RouteOverrides& route, const std::string& path, const Settings& settings,
                 const Config& config, Problems& problems) {
    if (route.max_body.given() && settings.max_body > config.spool.max_disk && settings.queue)
        problems.warn(route.max_body.mark, path + ".max_body",
                      "a queued body is spooled whole, and spool.max_disk is " +
                          print_size(config.spool.max_disk) + "; larger ones get 503");
    if (route.body_min_rate.given() && settings.body_min_rate == 0)
        problems.warn(route.body_min_rate.mark, path + ".body_min_rate",
                      "0 lets a client send a byte every body_timeout for ever");
    constexpr milliseconds long_silence = 5min;
    if (route.body_timeout.given() && settings.body_timeout > long_silence)
        problems.warn(route.body_timeout.mark, path + ".body_timeout",
                      print_duration(settings.body_timeout) +
                          " is long: a client that stops in mid body keeps its place as long");
}

}  // namespace ticketgate::config
