#include "scenario.hpp"

namespace loadtest {

std::vector<Scenario> all_scenarios() {
    std::vector<Scenario> all;
    for (const auto group : {steady_scenarios(), leaving_scenarios(), slow_scenarios(),
                             fault_scenarios(), limit_scenarios(), tunnel_scenarios(),
                             operator_scenarios(), starved_scenarios(), mix_scenarios()}) {
        all.insert(all.end(), group.begin(), group.end());
    }
    return all;
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

Task<> loyal_until(World& world, Call call, Micros when) {
    Client client(world);
    while (now_us() < when) {
        // Not in a circle when nobody listens.
        if (!co_await client.exchange(call)) co_await world.loop.sleep(1000);
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
    Event all_are;
};

// What waits to be accepted is in no line yet: the last one to connect, and with TLS that takes its
// time, gives the proxy a moment more, and then all begin.
Task<> connect_then(World& world, Call call, std::uint64_t requests, Start& start) {
    Client client(world);
    const bool connected = co_await client.connect();
    if (--start.connecting > 0) {
        co_await start.all_are;
    } else {
        co_await world.loop.sleep(300'000);
        start.all_are.happen();
    }
    for (std::uint64_t i = 0; connected && i < requests; ++i) (void)co_await client.exchange(call);
}

}  // namespace

Task<> all_connected(World& world, Call call, std::uint64_t clients, std::uint64_t requests) {
    Start start{clients, Event()};
    Crew crew;
    for (std::uint64_t i = 0; i < clients; ++i)
        crew.add(connect_then(world, call, requests, start));
    co_await crew;
}

}  // namespace loadtest
