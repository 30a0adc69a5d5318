// Warns about limits that protect nothing: each is legal, and the file sets it.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "config/networks.hpp"
#include "config/route_index.hpp"
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
             "a client that sends nothing keeps its connection for that time"},
    LongTime{"idle_timeout", &Clients::idle_timeout, 10min,
             "idle clients keep their connections for that time"},
    LongTime{"write_timeout", &Clients::write_timeout, 10min,
             "a client that reads nothing keeps its answer in the spool for that time"},
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

// The least number of clients that should be able to send large heads at the same time.
constexpr Bytes few_heads = 100;

void warn_connections(const Config& config, Problems& problems) {
    const Clients& clients = config.clients;
    if (clients.max_connections_per_client != unlimited &&
        clients.max_connections_per_client >= clients.max_connections)
        warn(config, "clients.max_connections_per_client",
             "has no effect: max_connections is " + std::to_string(clients.max_connections),
             problems);
    const Bytes heads = clients.max_input / 4 * 3 / clients.max_head;  // as InputBudget says
    if (heads < few_heads && (clients.max_head > Clients{}.max_head || heads == 0))
        warn(config, "clients.max_head",
             "max_input " + print_size(clients.max_input) + " has room for " +
                 std::to_string(heads) + " heads of " + print_size(clients.max_head) +
                 " that arrive in pieces; more of them get 503",
             problems);
}

struct ShortTime {
    std::string_view name;
    milliseconds Clients::*value;
    std::string_view why;
};

constexpr std::array short_times{
    ShortTime{"head_timeout", &Clients::head_timeout, "a head may take a round trip or two"},
    ShortTime{"idle_timeout", &Clients::idle_timeout, "few clients can reuse their connection"},
    ShortTime{"write_timeout", &Clients::write_timeout,
              "clients are cut off at the first packet that is lost"},
};

// Shorter times end before a lost packet is sent again (RFC 6298 2.4), or a peer answers.
constexpr milliseconds least_time = 100ms;

void warn_short_times(const Config& config, Problems& problems) {
    for (const ShortTime& time : short_times) {
        const auto value = config.clients.*time.value;
        if (value >= least_time) continue;
        warn(config, "clients." + std::string(time.name),
             print_duration(value) + " is short: " + std::string(time.why), problems);
    }
}

void warn_requests(const Config& config, Problems& problems) {
    const Clients& clients = config.clients;
    if (clients.max_requests == 1)
        warn(config, "clients.max_requests", "1 makes every request open a connection of its own",
             problems);
    if (clients.max_uri > clients.max_head)
        warn(config, "clients.max_uri",
             "has no effect: a whole head may have max_head " + print_size(clients.max_head),
             problems);
}

void warn_width(const Config& config, const std::string& path,
                const std::vector<std::string>& networks, Problems& problems) {
    for (const auto& text : networks)
        if (const auto network = Network::parse(text); network && network->names_an_address())
            warn(config, path,
                 text + " is the whole network around that address; for the address alone, leave " +
                     text.substr(text.find('/')) + " out",
                 problems);
}

// The largest networks of one owner are 10.0.0.0/8 and fc00::/7.
bool is_of_strangers(const std::string& text) {
    const auto network = Network::parse(text);
    if (!network) return false;
    return network->bits < (network->v4 ? 96 + 8 : 7);
}

void warn_trust(const Config& config, Problems& problems) {
    const Clients& clients = config.clients;
    for (const auto& network : clients.trusted_proxies)
        if (is_of_strangers(network))
            warn(config, "clients.trusted_proxies",
                 network + " trusts " +
                     (network == "0.0.0.0/0" ? "every IPv4 client"
                      : network == "::/0"    ? "every IPv6 client"
                                             : "strangers") +
                     ": each may then claim any address and any ids, and "
                     "max_connections_per_client has no effect",
                 problems);
    warn_width(config, "clients.trusted_proxies", clients.trusted_proxies, problems);
    warn_width(config, "clients.inside", clients.inside, problems);
    for (const RouteNode& route : config.routes)
        warn_width(config, route.path + ".from", route.when.from, problems);
    for (const auto& [name, upstream] : config.upstreams)
        if (upstream.https && !upstream.tls.verify)
            warn(config, "upstreams." + name + ".tls.verify",
                 "false takes any certificate: a machine between here and the backend can read and "
                 "change all that they say",
                 problems);
}

void warn_proxy_protocol(const Config& config, Problems& problems) {
    if (!problems.knows("clients.trusted_proxies")) return;
    for (std::size_t i = 0; i < config.listen.size(); ++i) {
        const Listen& listen = config.listen[i];
        if (!listen.proxy_protocol || listen.address.empty() || is_loopback(listen) ||
            !config.clients.trusted_proxies.empty())
            continue;
        warn(config, "listen[" + std::to_string(i) + "].proxy_protocol",
             "accepts programs on this machine only; list the proxies in front in "
             "clients.trusted_proxies",
             problems);
    }
}

// More of its requests run than there are workers for: the rest wait again, for connect_timeout.
void warn_workers(const Config& config, Problems& problems) {
    const RouteIndex index(config);
    std::set<std::string> told;
    for (std::size_t i = 0; i < config.routes.size(); ++i) {
        const Settings settings = index.resolve(index.match_within(i));
        const auto upstream = config.upstreams.find(settings.upstream);
        if (!settings.queue || upstream == config.upstreams.end() || !upstream->second.workers)
            continue;
        const auto queue = config.queues.find(*settings.queue);
        const std::uint32_t workers = upstream->second.workers->max;
        if (queue == config.queues.end() || queue->second.max_in_flight <= workers) continue;
        const std::string path = "upstreams." + settings.upstream + ".workers.max";
        if (!told.insert(path).second) continue;
        warn(config, path,
             std::to_string(workers) + " is less than max_in_flight of queue " + *settings.queue +
                 ", " + std::to_string(queue->second.max_in_flight) +
                 ": requests that have a slot wait for a worker, and get 504 after connect_timeout",
             problems);
    }
}

}  // namespace

void warn_limits(const Config& config, Problems& problems) {
    warn_times(config, problems);
    warn_short_times(config, problems);
    warn_requests(config, problems);
    warn_trust(config, problems);
    warn_connections(config, problems);
    warn_proxy_protocol(config, problems);
    warn_workers(config, problems);
}

namespace {

// Warnings about the settings of one route.
class RouteWarnings {
 public:
    RouteWarnings(const std::string& path, const std::vector<Origin>& queued, Problems& problems)
        : path_(path), queued_(queued), problems_(problems) {}
    /// True if the setting applies to a route with a queue.
    template <class T>
    bool queued(const Setting<T>& setting, const char* name) const {
        return std::ranges::find(queued_, Origin{name, setting.mark}) != queued_.end();
    }
    template <class T>
    void tell(const Setting<T>& setting, std::string_view name, bool odd, const std::string& why) {
        if (setting.given() && odd)
            problems_.warn(setting.mark, path_ + "." + std::string(name), why);
    }

 private:
    const std::string& path_;
    const std::vector<Origin>& queued_;
    Problems& problems_;
};

void warn_bodies(const RouteOverrides& route, const Settings& settings, const Config& config,
                 RouteWarnings warnings) {
    constexpr milliseconds long_silence = 5min;
    constexpr Bytes fast = 1 << 20;
    const std::string silence = print_duration(settings.body_timeout);
    warnings.tell(
        route.max_body, "max_body",
        settings.max_body > config.spool.max_disk && warnings.queued(route.max_body, "max_body"),
        "a queued body is spooled whole, and spool.max_disk is " +
            print_size(config.spool.max_disk) + "; larger ones get 503");
    warnings.tell(route.max_body, "max_body", settings.max_body == 0,
                  "0B answers requests that have a body with 413, unless another route sets "
                  "their limit");
    warnings.tell(route.body_min_rate, "body_min_rate", settings.body_min_rate == 0,
                  "0 lets a client keep a request open by sending a byte in each body_timeout");
    warnings.tell(route.body_min_rate, "body_min_rate", settings.body_min_rate > fast,
                  print_size(settings.body_min_rate) +
                      " a second is faster than many clients can send; their uploads get 408");
    warnings.tell(
        route.body_timeout, "body_timeout", settings.body_timeout > long_silence,
        silence + " is long: a client that stops during a body keeps its place for that time");
    warnings.tell(route.body_timeout, "body_timeout", settings.body_timeout < least_time,
                  silence + " is short: an upload ends with 408 at the first packet that is lost");
}

void warn_backend(const RouteOverrides& route, const Settings& settings, RouteWarnings warnings) {
    constexpr milliseconds long_connect = 1min, short_tunnel = 1s, long_hold_back = 20s;
    constexpr Bytes little = 64 << 10;
    warnings.tell(route.connect_timeout, "connect_timeout", settings.connect_timeout > long_connect,
                  print_duration(settings.connect_timeout) +
                      " is long: a backend that is gone stops the queue for that time");
    warnings.tell(route.tunnel_timeout, "tunnel_timeout", settings.tunnel_timeout < short_tunnel,
                  print_duration(settings.tunnel_timeout) +
                      " is short: WebSockets and event streams end at their first pause");
    warnings.tell(route.response_spool_max, "response_spool_max",
                  settings.response_spool_max < little &&
                      warnings.queued(route.response_spool_max, "response_spool_max"),
                  print_size(settings.response_spool_max) +
                      " is small: a slow client holds the slot of a larger answer");
    warnings.tell(route.hold_back_timeout, "hold_back_timeout",
                  settings.hold_back_timeout < least_time &&
                      warnings.queued(route.hold_back_timeout, "hold_back_timeout"),
                  print_duration(settings.hold_back_timeout) +
                      " is short: a client is cut at the first packet that is lost");
    warnings.tell(route.hold_back_timeout, "hold_back_timeout",
                  settings.hold_back_timeout > long_hold_back &&
                      warnings.queued(route.hold_back_timeout, "hold_back_timeout"),
                  print_duration(settings.hold_back_timeout) +
                      " is long: nginx and Apache give up on a connection that takes nothing for "
                      "60s, and their script, which works on, would be taken for ended");
}

}  // namespace

void warn_limits(const RouteOverrides& route, const std::string& path, const Settings& settings,
                 const Config& config, const std::vector<Origin>& queued, Problems& problems) {
    const RouteWarnings warnings(path, queued, problems);
    warn_bodies(route, settings, config, warnings);
    warn_backend(route, settings, warnings);
}

// Words of other servers, which would be names of files here.
void validate_log(const Config& config, Problems& problems) {
    const std::string& file = config.log.access_file;
    const auto error = [&](const std::string& why) {
        problems.error(config.mark_of("log.access_file"), "log.access_file",
                       file + " would be the name of a file: " + why);
    };
    if (file == "off" || file == "none" || file == "false") error("write log.access: off");
    if (file == "stdout") error("write -");
    if (file == "stderr") error("write /dev/stderr");
    if (file.starts_with("syslog:"))
        error("write - and let the service manager or container pass stdout on");
}

void warn_spool(const Config& config, Problems& problems) {
    if (config.spool.max_memory != 0 || config.spool.max_disk != 0) return;
    problems.warn(config.mark_of("spool.max_disk"), "spool.max_disk",
                  "with max_memory 0B there is no room for a body: a queued request that has one "
                  "gets 503");
}

}  // namespace ticketgate::config
