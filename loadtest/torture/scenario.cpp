#include "scenario.hpp"

#include <csignal>

namespace loadtest {

std::vector<Scenario> all_scenarios() {
    std::vector<Scenario> all;
    for (const auto group :
         {steady_scenarios(), leaving_scenarios(), slow_scenarios(), fault_scenarios(),
          limit_scenarios(), tunnel_scenarios(), inside_scenarios(), operator_scenarios(),
          starved_scenarios(), crowd_scenarios(), trust_scenarios(), mix_scenarios()}) {
        all.insert(all.end(), group.begin(), group.end());
    }
    return all;
}

Endpoint beside(const World& world, const std::string& address) {
    const auto& own = world.settings.proxy.text;
    return resolve(address + own.substr(own.rfind(':')));
}

std::string with_limit(std::string config, std::uint32_t limit) {
    const std::string mark = "moving: { max_in_flight: ";
    const auto at = config.find(mark);
    if (at != std::string::npos) config.replace(at + mark.size(), 1, std::to_string(limit));
    return config;
}

Task<> load(World& world, std::string config, std::uint32_t limit) {
    world.proxy.write_config(with_limit(std::move(config), limit));
    world.proxy.signal(SIGHUP);
    co_await limit_in_force(world, limit);
}

Call call_of(Line line, Micros work_us) {
    Call call;
    call.line = line;
    call.query = "us=" + std::to_string(work_us);
    return call;
}

Task<> loyal(World& world, Call call, std::uint64_t requests) {
    Client client(world);
    for (std::uint64_t i = 0; i < requests; ++i) (void)co_await client.exchange(call);
}

Task<> loyal_while(World& world, Call call, const bool& going) {
    Client client(world);
    while (going) {
        // Not in a circle when nobody listens.
        if (!co_await client.exchange(call)) co_await dwell(world, 1000);
    }
}

Task<> crowd(World& world, Call call, std::uint64_t clients, std::uint64_t requests) {
    Crew crew;
    for (std::uint64_t i = 0; i < clients; ++i) crew.add(loyal(world, call, requests));
    co_await crew;
}

namespace {

struct Start {
    std::uint64_t connecting;
    double accepted;  // ticketgate's counter when all are
    Event all_are;
};

constexpr const char* accepted_total = "ticketgate_connections_accepted_total";

Task<> all_accepted(World& world, const Start& start) {
    if (!world.proxy.has_admin()) return dwell(world, 300'000);
    return metric_reaches(world, accepted_total, start.accepted);
}

// What waits to be accepted is in no line yet: all begin when the proxy has accepted them all. Only
// ticketgate tells.
Task<> connect_then(World& world, Call call, std::uint64_t requests, Start& start) {
    Client client(world);
    const bool connected = co_await client.connect();
    if (--start.connecting > 0) {
        co_await start.all_are;
    } else {
        co_await all_accepted(world, start);
        start.all_are.happen();
    }
    for (std::uint64_t i = 0; connected && i < requests; ++i) (void)co_await client.exchange(call);
}

}  // namespace

Task<> all_connected(World& world, Call call, std::uint64_t clients, std::uint64_t requests) {
    const auto before = co_await metric(world, accepted_total);
    Start start{clients, before.value_or(0) + static_cast<double>(clients), Event()};
    Crew crew;
    for (std::uint64_t i = 0; i < clients; ++i)
        crew.add(connect_then(world, call, requests, start));
    co_await crew;
}

}  // namespace loadtest
