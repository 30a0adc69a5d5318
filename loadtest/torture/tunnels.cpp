// Group 5b: upgraded connections on queued routes, and their slots.

#include <array>

#include "scenario.hpp"

namespace loadtest {

namespace {

Call tunnel_call(Line line, const char* query) {
    auto call = call_of(line, 100);
    call.query += query;
    call.upgrade = true;
    return call;
}

// One tunnel after another; each carries a few bytes to and fro, and ends in its client's way.
Task<> tunnels(World& world, Call call, std::uint64_t count, Micros pause_us) {
    Client client(world);
    for (std::uint64_t i = 0; i < count; ++i) {
        bool fine = co_await client.open_tunnel(call);
        for (int round = 0; fine && round < 3; ++round) {
            fine = co_await client.echo(100);
            co_await dwell(world, pause_us);
        }
        world.expect(fine, "a tunnel did not carry what was sent");
        if (world.chance(30))
            client.leave(Way::rst);
        else
            client.close();
    }
}

Task<> mixed(World& world, Line line, const char* query) {
    Crew crew;
    const auto some = world.some(200);
    for (int i = 0; i < 8; ++i) crew.add(tunnels(world, tunnel_call(line, query), some / 8, 300));
    crew.add(crowd(world, call_of(line, 200), 8, some / 2));
    co_await crew;
}

// The line goes on beside a tunnel that stays.
Task<> release(World& world) {
    Client stays(world);
    const bool open = co_await stays.open_tunnel(tunnel_call(Line::tunnels, "&tunnel=release"));
    world.expect(open, "no tunnel");
    co_await mixed(world, Line::tunnels, "&tunnel=release");
    const bool alive = co_await stays.echo(100);
    world.expect(alive, "the tunnel that stayed is gone");
    stays.close();
}

Task<> hold(World& world) {
    world.settle_us = 200'000;
    co_await mixed(world, Line::holds, "&tunnel=hold");
}

// Not queued, so all of them open and end while the line is held.
Task<> bypass(World& world) {
    Crew crew;
    Held holder(world);
    auto held = call_of(Line::free, 0);
    held.path = "/passes";
    auto call = tunnel_call(Line::free, "&tunnel=release");
    call.path = "/passes";
    if (!co_await holder.run(held)) co_return;
    for (int i = 0; i < 4; ++i) crew.add(tunnels(world, call, 5, 300));
    co_await crew;
    co_await holder.finish();
}

}  // namespace

std::span<const Scenario> tunnel_scenarios() {
    static constexpr std::array<Scenario, 3> all{{
        {"tunnel_release", Need::tunnels, release},
        {"tunnel_hold", Need::tunnels, hold},
        {"tunnel_bypass", Need::tunnels, bypass},
    }};
    return all;
}

}  // namespace loadtest
