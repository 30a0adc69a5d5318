// Group 7: shortage of a resource. run.sh starts a proxy with little of it.

#include <array>

#include "scenario.hpp"

namespace loadtest {

namespace {

constexpr Allowed served_or_refused = allow::ok | allow::unavailable | allow::bad_gateway;

// After it, everything is as before.
Task<> recovered(World& world, std::uint64_t descriptors) {
    co_await descriptors_back_to(world, descriptors);
    co_await crowd(world, call_of(Line::one, 200), 8, 20);
}

// More clients than the proxy has descriptors: they wait in the kernel's backlog, and the proxy
// ends idle connections for them.
Task<> descriptors(World& world) {
    auto call = call_of(Line::one, 300);
    call.allowed = served_or_refused | allow::idle_ended;
    world.unordered = true;
    const auto before = world.proxy.fds();
    co_await crowd(world, call, 400, 5);
    co_await recovered(world, before);
}

// Bodies without room: a tiny `max_disk`, a tmpfs that fills up before, or a limit of a file's
// size, whose signal must not end the proxy.
Task<> disk(World& world) {
    Crew crew;
    const auto before = world.proxy.fds();
    auto up = call_of(Line::one, 500);
    up.body = 400'000;
    up.allowed = served_or_refused;
    auto down = call_of(Line::one, 500);
    down.size = 400'000;
    down.allowed = served_or_refused | allow::broken;
    crew.add(crowd(world, up, 24, world.some(20)));
    crew.add(crowd(world, down, 24, world.some(20)));
    co_await crew;
    co_await recovered(world, before);
}

// Many bodies in memory at a time, of a process that may not grow.
Task<> memory(World& world) {
    auto call = call_of(Line::one, 500);
    call.body = 60'000;
    call.size = 60'000;
    call.allowed = served_or_refused | allow::closed | allow::broken;
    const auto before = world.proxy.fds();
    co_await all_connected(world, call, world.some(800), 2);
    co_await recovered(world, before);
}

Task<> step_clock(World& world, int times, bool& going) {
    constexpr std::array<const char*, 6> steps{"-1d", "+0", "+1d", "-10", "+3600", "-365d"};
    for (int i = 0; i < times; ++i) {
        world.proxy.set_clock(steps[static_cast<std::size_t>(i) % steps.size()]);
        co_await dwell(world, 100'000);
    }
    world.proxy.set_clock("+0");
    going = false;
}

// The wall clock jumps; waits and holds do not care.
Task<> clock_steps(World& world) {
    Crew crew;
    const int times = world.settings.quick ? 6 : 24;
    bool going = true;
    crew.add(step_clock(world, times, going));
    for (int i = 0; i < 8; ++i) {
        crew.add(loyal_while(world, call_of(Line::one, 500), going));
        // Half a second may pass by itself on a busy machine; a day may not, on the line above.
        auto brief = call_of(Line::brief, 500);
        brief.allowed = allow::ok | allow::unavailable;
        crew.add(loyal_while(world, brief, going));
        auto racing = call_of(Line::racing, 5000);
        racing.allowed = allow::ok | allow::unavailable;
        crew.add(loyal_while(world, racing, going));
    }
    co_await crew;
}

}  // namespace

std::span<const Scenario> starved_scenarios() {
    static constexpr std::array<Scenario, 6> all{{
        {"descriptors", Need::start, descriptors},
        {"disk_limit", Need::start, disk},
        {"disk_full", Need::start, disk},
        {"file_limit", Need::start, disk},
        {"memory", Need::start, memory},
        {"clock", Need::start, clock_steps},
    }};
    return all;
}

}  // namespace loadtest
