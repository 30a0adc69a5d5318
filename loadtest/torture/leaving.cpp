// Group 2: clients that leave, at every stage of their request and in every way.

#include <array>

#include "scenario.hpp"

namespace loadtest {

namespace {

constexpr std::array<Way, 3> ways{Way::fin, Way::rst, Way::half};

// The clients that stay, while the others leave.
Task<> stayers(World& world, Micros work_us, std::uint64_t requests) {
    const auto call = call_of(Line::one, work_us);
    co_await crowd(world, call, 16, world.some(requests) / 16 + 1);
}

Task<> leaves_uploading(World& world, Way way) {
    Client client(world);
    auto call = call_of(Line::one, 1000);
    call.body = 100'000;
    if (!co_await client.connect()) co_return;
    (void)co_await client.begin_upload(call, world.random(90'000));
    co_await dwell(world, world.random(5000));
    client.leave(way);
    if (way == Way::half) (void)co_await client.answer(now_us() + 500'000);
}

Task<> leave_uploading(World& world) {
    Crew crew;
    crew.add(stayers(world, 300, 1000));
    for (std::uint64_t i = 0; i < world.some(300); ++i) {
        crew.add(leaves_uploading(world, ways[i % ways.size()]));
        co_await dwell(world, 1000);
    }
    co_await crew;
}

// Leaves this long after sending; a half-closed client waits a while for an answer.
Task<> leaves_after(World& world, Call call, Micros after_us, Way way) {
    Client client(world);
    if (!co_await client.connect()) co_return;
    if (!co_await client.send(call)) co_return;
    co_await dwell(world, after_us);
    client.leave(way);
    if (way == Way::half) (void)co_await client.answer(now_us() + 500'000);
}

// The line is longer than they wait.
Task<> leave_queued(World& world) {
    Crew crew;
    crew.add(stayers(world, 1000, 1200));
    for (std::uint64_t i = 0; i < world.some(400); ++i) {
        const auto after = 1000 + world.random(9000);
        crew.add(leaves_after(world, call_of(Line::one, 1000), after, ways[i % ways.size()]));
        co_await dwell(world, 2000);
    }
    co_await crew;
}

// Stands second in the line and leaves when the first one's work is about to end: before or after
// the grant, both are right. The verdict takes the time of the grant from the backend's log.
Task<> leaves_at_grant(World& world, Micros work_us, Way way) {
    Client client(world);
    Client ahead(world);
    const auto call = call_of(Line::one, work_us);
    if (!co_await ahead.connect() || !co_await client.connect()) co_return;
    (void)co_await ahead.send(call);
    const auto sent = now_us();
    (void)co_await client.send(call);
    const auto jitter = world.random(800);
    co_await world.loop.sleep_until(sent + work_us + jitter - 300);
    client.leave(way);
    (void)co_await ahead.answer();
    if (way == Way::half) (void)co_await client.answer(now_us() + 500'000);
}

Task<> leave_grant(World& world) {
    for (std::uint64_t i = 0; i < world.some(500); ++i) {
        co_await leaves_at_grant(world, 2000, ways[i % ways.size()]);
    }
}

// One leaves while its request runs, and others come who must wait for its end all the same. A
// half-closed one gets its answer.
Task<> leaves_running(World& world, Way way) {
    Crew crew;
    Held leaver(world);
    if (!co_await leaver.run(call_of(Line::one, 0))) co_return;
    leaver.client().leave(way);
    for (int k = 0; k < 4; ++k) crew.add(loyal(world, call_of(Line::one, 100), 1));
    co_await stand_in(world, Line::one, 4);
    co_await dwell(world, 3000);
    co_await leaver.finish();
    world.expect(way != Way::half || world.record(leaver.seq()).fate == Fate::answered,
                 "a half-closed client whose request ran was not answered");
    co_await crew;
}

Task<> leave_running(World& world) {
    for (std::uint64_t i = 0; i < world.some(100); ++i)
        co_await leaves_running(world, ways[i % ways.size()]);
}

Task<> leaves_reading(World& world, Way way) {
    Client client(world);
    auto call = call_of(Line::one, 100);
    call.size = 4'000'000;
    if (!co_await client.connect(4096)) co_return;
    if (!co_await client.send(call)) co_return;
    std::uint64_t read = 0;
    for (int i = 0; i < 200 && read < 20'000; ++i) read += co_await client.read_some(8000);
    client.leave(way);
}

Task<> leave_reading(World& world) {
    Crew crew;
    crew.add(stayers(world, 300, 800));
    for (std::uint64_t i = 0; i < world.some(60); ++i) {
        crew.add(leaves_reading(world, ways[i % ways.size()]));
        co_await dwell(world, 4000);
    }
    co_await crew;
}

Task<> half_closes_and_stays(World& world, Call call) {
    Client client(world);
    if (!co_await client.connect()) co_return;
    if (!co_await client.send(call)) co_return;
    client.leave(Way::half);
    (void)co_await client.answer();
}

// `client_half_close: stay`: all of them are answered, in order.
Task<> half_close_stays(World& world) {
    Crew crew;
    for (std::uint64_t i = 0; i < world.some(300); ++i) {
        crew.add(half_closes_and_stays(world, call_of(Line::stays, 500)));
        if (i % 20 == 0) co_await dwell(world, 2000);
    }
    co_await crew;
}

}  // namespace

std::span<const Scenario> leaving_scenarios() {
    static constexpr std::array<Scenario, 6> all{{
        {"leave_uploading", Need::nothing, leave_uploading},
        {"leave_queued", Need::nothing, leave_queued},
        {"leave_grant", Need::nothing, leave_grant},
        {"leave_running", Need::nothing, leave_running},
        {"leave_reading", Need::nothing, leave_reading},
        {"half_close_stays", Need::lines, half_close_stays},
    }};
    return all;
}

}  // namespace loadtest
