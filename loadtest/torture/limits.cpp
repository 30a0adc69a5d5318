// Group 5: the limits of a line, reached, raced and shared.

#include <algorithm>
#include <array>

#include "scenario.hpp"

namespace loadtest {

namespace {

std::uint64_t answered_with(const World& world, int status) {
    return static_cast<std::uint64_t>(
        std::count_if(world.records.begin(), world.records.end(),
                      [status](const Record& record) { return record.status == status; }));
}

// One runs, `places` wait, the others are refused: it runs until all of them are.
Task<> full_line(World& world, Line line, std::uint64_t places) {
    constexpr std::uint64_t others = 99;
    Crew crew;
    Held first(world);
    auto call = call_of(line, 1000);
    call.allowed = allow::ok | allow::unavailable;
    if (!co_await first.run(call)) co_return;
    for (std::uint64_t i = 0; i < others; ++i) crew.add(loyal(world, call, 1));
    co_await answered(world, others - places);
    co_await first.finish();
    co_await crew;
    const auto served = answered_with(world, 200);
    world.expect(served == places + 1,
                 std::to_string(served) + " were served, not " + std::to_string(places + 1));
}

Task<> full(World& world) {
    return full_line(world, Line::few, 5);
}
Task<> nobody_waits(World& world) {
    return full_line(world, Line::nobody, 0);
}

// The line's half second ends for a thousand at once while one runs.
Task<> expire_many(World& world) {
    constexpr Micros wait_us = 500'000;
    Held holder(world);
    const auto waiters = world.some(1000);
    if (!co_await holder.run(call_of(Line::brief, 0))) co_return;
    auto call = call_of(Line::brief, 0);
    call.allowed = allow::unavailable;
    co_await crowd(world, call, waiters, 1);
    co_await holder.finish();
    Micros first = wait_us * 100;
    Micros last = 0;
    for (const auto& record : world.records) {
        if (record.status != 503) continue;
        const auto lag = world.lag_between(record.head_us, record.done_us);
        const auto took = record.done_us - record.head_us;
        first = std::min(first, took);
        last = std::max(last, took - std::min(lag, took));
    }
    // Early is wrong on any machine. How late is too late, beside what the proxy could not run:
    // tests/simulation knows it exactly, by its own clock; here is what no lag explains.
    const Micros late = world.settings.quick ? 10'000'000 : 250'000;
    world.expect(first >= wait_us, "expired too early: " + std::to_string(first) + " us");
    world.expect(last <= wait_us + late, "expired too late: " + std::to_string(last) + " us");
}

// 30 ms of patience and 5 ms of work: deadline and grant meet again and again.
Task<> expire_race(World& world) {
    auto call = call_of(Line::racing, 5000);
    call.allowed = allow::ok | allow::unavailable;
    co_await crowd(world, call, 16, world.some(1600) / 16);
    world.expect(answered_with(world, 200) > 0, "nobody was served");
}

Task<> limit_2(World& world) {
    co_await crowd(world, call_of(Line::two, 300), 32, world.some(3200) / 32);
}
Task<> limit_7(World& world) {
    co_await crowd(world, call_of(Line::seven, 1000), 64, world.some(3200) / 64);
}

// Three routes, one line.
Task<> shared(World& world) {
    Crew crew;
    for (const char* path : {"/shared/a", "/shared/b", "/shared/c"}) {
        auto call = call_of(Line::shared, 200);
        call.path = path;
        crew.add(crowd(world, call, 10, world.some(1000) / 10));
    }
    co_await crew;
}

// GET passes beside the line, however long it is, but not one that names another method: all that
// pass are answered while one holds the line.
Task<> skip_methods(World& world) {
    Crew crew;
    Held holder(world);
    auto named = call_of(Line::reads, 1000);
    named.query += "&_method=DELETE";
    crew.add(crowd(world, named, 4, world.some(80) / 4));
    auto write = call_of(Line::reads, 1000);
    write.body = 100;
    auto read = call_of(Line::free, 200);
    read.path = "/reads";
    if (!co_await holder.run(write)) co_return;
    crew.add(crowd(world, write, 7, world.some(160) / 8));
    co_await stand_in(world, Line::reads, 7);
    co_await crowd(world, read, 8, world.some(1600) / 8);
    co_await holder.finish();
    co_await crew;
}

// `order: arrival`: those behind an unfinished upload wait for it.
Task<> behind_an_upload(World& world) {
    constexpr std::uint64_t others = 16;
    Crew crew;
    Client upload(world);
    auto call = call_of(Line::arrival, 300);
    call.body = 1000;
    const auto before = world.answers;
    if (!co_await upload.connect()) co_return;
    (void)co_await upload.begin_upload(call, 999);
    co_await stand_in(world, Line::arrival, 1);
    crew.add(crowd(world, call_of(Line::arrival, 200), others, 1));
    co_await stand_in(world, Line::arrival, others + 1);
    co_await dwell(world, 5000);
    world.expect(world.answers == before, "one passed an unfinished upload");
    (void)co_await upload.send_filler(1);
    upload.finish_upload();
    (void)co_await upload.answer();
    co_await crew;
}

Task<> arrival(World& world) {
    for (std::uint64_t round = 0; round < world.some(10); ++round) co_await behind_an_upload(world);
}

// `on_hold_timeout: release` fails open, as configured: proof that the counters can move.
Task<> hold_release(World& world) {
    Held first(world);
    Held second(world);
    world.must_overlap = true;
    if (!co_await first.run(call_of(Line::failing, 0))) co_return;
    (void)co_await second.run(call_of(Line::failing, 0));
    co_await first.finish();
    co_await second.finish();
}

// As after fastcgi_finish_request(): the client has its answer while the work goes on, the next
// one runs when that is done. Some requests have no such work.
Task<> works_on(World& world) {
    auto slow = call_of(Line::late, 200);
    slow.query += "&late_hold=1";
    co_await loyal(world, slow, 1);
    const auto held = world.records.size();
    Crew crew;
    crew.add(loyal(world, call_of(Line::late, 200), 1));
    co_await stand_in(world, Line::late, 1);
    co_await dwell(world, 20'000);
    co_await let_go(world, held);
    for (const char* late : {"&late_us=3000", "&late_us=700", ""}) {
        auto call = call_of(Line::late, 200);
        call.query += late;
        crew.add(crowd(world, call, 6, world.some(300) / 6));
    }
    co_await crew;
}

}  // namespace

std::span<const Scenario> limit_scenarios() {
    static constexpr std::array<Scenario, 11> all{{
        {"full", Need::lines, full},
        {"nobody_waits", Need::lines, nobody_waits},
        {"expire_many", Need::lines, expire_many},
        {"expire_race", Need::lines, expire_race},
        {"limit_2", Need::lines, limit_2},
        {"limit_7", Need::lines, limit_7},
        {"shared_line", Need::lines, shared},
        {"skip_methods", Need::lines, skip_methods},
        {"order_arrival", Need::lines, arrival},
        {"hold_release", Need::lines, hold_release},
        {"works_on", Need::fastcgi, works_on},
    }};
    return all;
}

}  // namespace loadtest
