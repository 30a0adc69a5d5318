#include "bench.hpp"

#include <poll.h>

#include <set>

#include "../fetch.hpp"

namespace loadtest {

namespace {

// The longest waits until backend and proxy are idle, and until kept connections to the backend
// end: reached only if something hangs.
constexpr Micros rest_us = 30'000'000;
constexpr Micros idle_pool_us = 30'000'000;

// Between scenarios nothing runs in this thread.
void pause_ms(int time) {
    (void)::poll(nullptr, 0, time);
}

template <class Condition>
void await(Micros time_us, Condition condition) {
    const auto until = now_us() + time_us;
    while (!condition() && now_us() < until) pause_ms(10);
}

void await_backend(const World& world) {
    await(rest_us + world.settle_us, [&] {
        try {
            return json_number(fetch(world.settings.backend, "/__stats"), "in_flight", 1) == 0;
        } catch (const std::exception&) {
            return false;  // in the middle of an outage
        }
    });
}

// Idle at once, except for a proxy that has just learned of its backend's end.
Task<> probe(World& world, Line line, std::uint64_t& stuck) {
    constexpr Micros prompt_us = 5'000'000;
    constexpr int tries = 3;
    auto call = call_of(line, 0);
    call.allowed = allow::anything;
    for (int i = 0; i < tries; ++i) {
        Client client(world);
        if (co_await client.connect() && co_await client.send(call) &&
            co_await client.answer(now_us() + prompt_us) && client.last_status() == 200) {
            co_return;
        }
        // A probe without an answer does not count as a client's lost request.
        for (auto& record : world.records) {
            if (record.allowed == allow::anything && record.fate == Fate::sent) {
                record.fate = Fate::left;
            }
        }
        co_await dwell(world, 100'000);
    }
    ++stuck;
}

Task<> probe_all(World& world, std::uint64_t& stuck) {
    std::set<Line> lines;
    for (const auto& record : world.records) lines.insert(record.line);
    lines.insert(Line::one);
    for (const auto line : lines) {
        if (line != Line::passing) co_await probe(world, line, stuck);
    }
}

// Runs beside the scenario, so that the verdict can tell whether the proxy had CPU time to react.
Task<> watch_lag(World& world, const bool& ended) {
    while (!ended) {
        world.sample_lag();
        co_await dwell(world, 3000);
    }
    world.sample_lag();
}

Task<> watched(World& world, const Scenario& scenario) {
    bool ended = false;
    Crew crew;
    crew.add(watch_lag(world, ended));
    co_await scenario.run(world);
    ended = true;
    co_await crew;
}

std::uint64_t violations(const World& world) {
    const auto counted = world.proxy.metric("ticketgate_exclusion_violations_total");
    return counted ? static_cast<std::uint64_t>(*counted) : 0;
}

void measure_after(World& world, Row& row) {
    if (!world.proxy.has_pid()) return;
    await(idle_pool_us, [&] { return world.proxy.fds() <= row.fds_before; });
    row.fds_after = world.proxy.fds();
    row.rss_after_kib = world.proxy.rss_kib();
    row.violations = violations(world) - row.violations;
    world.expect(world.proxy.alive(), "the proxy is gone");
}

}  // namespace

void warm_up(World& world) {
    std::uint64_t stuck = 0;
    world.loop.run(probe_all(world, stuck));
    // Lets kept connections end, for a strict count of descriptors later. One that has not ended
    // makes the first count larger but no verdict wrong.
    pause_ms(1000);
}

Row run_scenario(World& world, const Scenario& scenario) {
    Row row;
    row.scenario = scenario.name;
    world.begin_scenario();
    (void)fetch(world.settings.backend, "/__reset");
    row.fds_before = world.proxy.fds();
    row.rss_before_kib = world.proxy.rss_kib();
    row.violations = violations(world);
    const auto begun = now_us();
    world.loop.run(watched(world, scenario));
    row.milliseconds = (now_us() - begun) / 1000;
    await_backend(world);
    const auto requests = world.records.size();
    if (!world.proxy_gone) {
        world.loop.run(probe_all(world, row.stuck));
        measure_after(world, row);
    } else {
        row.fds_before = row.violations = 0;
    }
    judge(world, fetch(world.settings.backend, "/__log"), row);
    row.requests = requests;
    return row;
}

}  // namespace loadtest
