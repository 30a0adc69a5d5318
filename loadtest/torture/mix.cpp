// Group 10: everything at once, by the seed's dice. `soak` is round after round of it.

#include <array>
#include <csignal>

#include "scenario.hpp"

namespace loadtest {

namespace {

Call any_call(World& world) {
    constexpr std::array<Line, 8> lines{Line::one,    Line::one,    Line::two,   Line::seven,
                                        Line::shared, Line::racing, Line::stays, Line::free};
    auto call = call_of(lines[world.random(lines.size())], world.random(150));
    if (call.line == Line::racing) call.allowed = allow::ok | allow::unavailable;
    if (world.chance(20)) call.body = 1 + world.random(3000);
    if (world.chance(2)) call.body = 1 + world.random(200'000);
    if (world.chance(5)) call.size = world.random(200'000);
    return call;
}

// A tenth of them: the backend closes the kept connection, or breaks.
void add_fault(World& world, Call& call) {
    // Its kept connection may be closed under it (drop_next): what was received is not sent again.
    call.allowed |= allow::bad_gateway;
    if (world.settings.workers) call.allowed |= allow::broken;  // its worker may be killed
    if (!world.chance(3)) return;
    constexpr std::array<const char*, 7> faults{"drop_next", "die_read",  "die_body", "die_chunk",
                                                "garbage",   "odd_field", "takes_all"};
    call.query += std::string("&fault=") + faults[world.random(faults.size())];
    call.allowed |= allow::broken;
}

Task<> leaves(World& world, Call call) {
    Client client(world);
    const auto way = static_cast<Way>(world.random(3));
    if (!co_await client.connect()) co_return;
    if (call.body > 0 && world.chance(30)) {
        (void)co_await client.begin_upload(call, call.body / 2);
    } else {
        (void)co_await client.send(call);
    }
    co_await dwell(world, world.random(5000));
    client.leave(way);
    if (way != Way::half) co_return;
    // One that stays waits as long as anyone: on a busy machine its answer may take its time.
    const bool stays = call.line == Line::stays;
    (void)co_await client.answer(stays ? world.patience() : now_us() + 200'000);
}

// A POST may meet a connection that the backend closes: 502 is right then, twice sent is not.
Task<> anyone(World& world, std::uint64_t requests) {
    Client client(world);
    while (world.records.size() < requests) {
        auto call = any_call(world);
        add_fault(world, call);
        if (call.body > 0) call.allowed |= allow::bad_gateway;
        if (world.chance(3)) {
            co_await leaves(world, call);
        } else {
            (void)co_await client.exchange(call);
        }
    }
}

// Workers die while they run, wait and start, and the configuration is loaded again.
Task<> trouble(World& world, std::uint64_t requests) {
    for (unsigned i = 1; world.records.size() < requests; ++i) {
        co_await dwell(world, 5'000 + world.random(60'000));
        kill_worker(world);
        if (i % 16 == 0) world.proxy.signal(SIGHUP);
    }
}

Task<> mix(World& world) {
    Crew crew;
    const auto requests =
        world.settings.requests > 0 ? world.settings.requests : world.some(20'000);
    for (int i = 0; i < 96; ++i) crew.add(anyone(world, requests));
    if (world.settings.workers) crew.add(trouble(world, requests));
    co_await crew;
}

}  // namespace

std::span<const Scenario> mix_scenarios() {
    static constexpr std::array<Scenario, 1> all{{{"mix", Need::lines, mix}}};
    return all;
}

}  // namespace loadtest
