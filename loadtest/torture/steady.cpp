// Group 1: well-behaved clients, in many numbers and shapes.

#include <array>

#include "scenario.hpp"

namespace loadtest {

namespace {

Task<> steady(World& world, std::uint64_t clients, std::uint64_t requests, Micros work_us) {
    const auto call = call_of(Line::one, work_us);
    co_await crowd(world, call, clients, world.some(requests) / clients + 1);
}

Task<> steady_1(World& world) {
    return steady(world, 1, 2000, 100);
}
Task<> steady_64(World& world) {
    return steady(world, 64, 8000, 0);
}
Task<> steady_1ms(World& world) {
    return steady(world, 64, 1000, 1000);
}
Task<> steady_5ms(World& world) {
    return steady(world, 64, 300, 5000);
}

Task<> one_shots(World& world, Call call, std::uint64_t requests) {
    for (std::uint64_t i = 0; i < requests; ++i) {
        Client client(world);
        (void)co_await client.exchange(call);
    }
}

// A new connection for each request.
Task<> new_connections(World& world) {
    Crew crew;
    const auto each = world.some(3000) / 32;
    for (int i = 0; i < 32; ++i) crew.add(one_shots(world, call_of(Line::one, 50), each));
    co_await crew;
}

Task<> pipeline(World& world, Call call, std::uint64_t rounds) {
    constexpr int depth = 8;
    Client client(world);
    if (!co_await client.connect()) co_return;
    for (std::uint64_t i = 0; i < rounds && client.connected(); ++i) {
        for (int k = 0; k < depth; ++k) (void)co_await client.send(call);
        for (int k = 0; k < depth; ++k) (void)co_await client.answer();
    }
}

// Eight requests in flight on each connection.
Task<> pipelined(World& world) {
    Crew crew;
    const auto rounds = world.some(2400) / 128;
    for (int i = 0; i < 16; ++i) crew.add(pipeline(world, call_of(Line::one, 50), rounds));
    co_await crew;
}

Task<> burst(World& world) {
    return all_connected(world, call_of(Line::one, 200), world.some(1000), 1);
}
Task<> steady_1000(World& world) {
    return all_connected(world, call_of(Line::one, 50), world.some(1000), 5);
}

// More and more of them.
Task<> ramp(World& world) {
    Crew crew;
    const auto clients = world.some(200);
    for (std::uint64_t i = 0; i < clients; ++i) {
        crew.add(loyal(world, call_of(Line::one, 100), 20));
        co_await dwell(world, 5000);
    }
    co_await crew;
}

Task<> uploader(World& world, std::uint64_t requests) {
    constexpr std::array<std::uint64_t, 4> sizes{10, 2000, 70'000, 1'000'000};
    Client client(world);
    auto call = call_of(Line::one, 200);
    for (std::uint64_t i = 0; i < requests; ++i) {
        call.body = sizes[world.random(sizes.size())];
        call.size = sizes[world.random(sizes.size())];
        (void)co_await client.exchange(call);
    }
}

// Bodies both ways, from a few bytes to more than any buffer.
Task<> bodies(World& world) {
    Crew crew;
    for (int i = 0; i < 16; ++i) crew.add(uploader(world, world.some(400) / 16));
    co_await crew;
}

}  // namespace

std::span<const Scenario> steady_scenarios() {
    static constexpr std::array<Scenario, 10> all{{
        {"steady_1", Need::nothing, steady_1},
        {"steady_64", Need::nothing, steady_64},
        {"steady_1ms", Need::nothing, steady_1ms},
        {"steady_5ms", Need::nothing, steady_5ms},
        {"steady_1000", Need::nothing, steady_1000},
        {"new_connections", Need::nothing, new_connections},
        {"pipelined", Need::nothing, pipelined},
        {"burst", Need::nothing, burst},
        {"ramp", Need::nothing, ramp},
        {"bodies", Need::nothing, bodies},
    }};
    return all;
}

}  // namespace loadtest
