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

// All at once, each on its own connection.
Task<> at_once(World& world, Call call, std::uint64_t clients) {
    Crew crew;
    for (std::uint64_t i = 0; i < clients; ++i) crew.add(loyal(world, call, 1));
    co_await crew;
}

// One runs, `places` wait, the others are refused. On a machine that stands still for longer than
// one runs, a few more may come in.
Task<> full_line(World& world, Line line, std::uint64_t places) {
    auto call = call_of(line, 300'000);
    call.allowed = allow::ok | allow::unavailable;
    co_await at_once(world, call, 100);
    const auto served = answered_with(world, 200);
    const std::uint64_t spare = world.settings.quick ? 4 : 0;
    world.expect(served >= places + 1 && served <= places + 1 + spare,
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
    Crew crew;
    const auto waiters = world.some(1000);
    crew.add(loyal(world, call_of(Line::brief, 1'500'000), 1));
    co_await world.loop.sleep(50'000);
    auto call = call_of(Line::brief, 0);
    call.allowed = allow::unavailable;
    for (std::uint64_t i = 0; i < waiters; ++i) crew.add(loyal(world, call, 1));
    co_await crew;
    Micros first = wait_us * 100;
    Micros last = 0;
    for (const auto& record : world.records) {
        if (record.status != 503) continue;
        first = std::min(first, record.done_us - record.head_us);
        last = std::max(last, record.done_us - record.head_us);
    }
    const Micros late = world.settings.quick ? 3'000'000 : 250'000;
    world.expect(first + 2000 >= wait_us, "expired too early: " + std::to_string(first) + " us");
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

// GET passes beside the line, however long it is, but not one that names another method.
Task<> skip_methods(World& world) {
    Crew crew;
    auto named = call_of(Line::reads, 5000);
    named.query += "&_method=DELETE";
    crew.add(crowd(world, named, 4, world.some(80) / 4));
    auto write = call_of(Line::reads, 5000);
    write.body = 100;
    auto read = call_of(Line::free, 200);
    read.path = "/reads";
    crew.add(crowd(world, write, 8, world.some(160) / 8));
    co_await world.loop.sleep(20'000);
    crew.add(crowd(world, read, 8, world.some(1600) / 8));
    co_await crew;
}

Task<> uploads_first(World& world, Micros& whole_us) {
    Client client(world);
    auto call = call_of(Line::arrival, 300);
    call.body = 1000;
    if (!co_await client.connect()) co_return;
    (void)co_await client.begin_upload(call, 999);
    co_await world.loop.sleep(100'000);
    (void)co_await client.send_filler(1);
    client.finish_upload();
    whole_us = now_us();
    (void)co_await client.answer();
}

// `order: arrival`: those behind an unfinished upload wait for it.
Task<> arrival(World& world) {
    for (std::uint64_t round = 0; round < world.some(10); ++round) {
        Crew crew;
        Micros whole_us = 0;
        const auto first = world.records.size();
        crew.add(uploads_first(world, whole_us));
        co_await world.loop.sleep(20'000);
        crew.add(crowd(world, call_of(Line::arrival, 200), 16, 1));
        co_await crew;
        for (auto i = first; i < world.records.size(); ++i) {
            world.expect(world.records[i].done_us >= whole_us, "one passed an unfinished upload");
        }
    }
}

// `on_hold_timeout: release` fails open, as configured: proof that the counters can move.
Task<> hold_release(World& world) {
    Crew crew;
    world.must_overlap = true;
    crew.add(loyal(world, call_of(Line::failing, 700'000), 1));
    co_await world.loop.sleep(20'000);
    crew.add(loyal(world, call_of(Line::failing, 300'000), 1));
    co_await crew;
}

// As after fastcgi_finish_request(): the client has its answer at once, the next one's turn comes
// when the work is done. Some of the work is none.
Task<> works_on(World& world) {
    world.settle_us = 500'000;
    auto slow = call_of(Line::late, 200);
    slow.query += "&late_us=300000";
    co_await loyal(world, slow, 1);
    const auto& first = world.records.front();
    world.expect(first.done_us - first.head_us < 150'000, "the client waited for the work");
    Crew crew;
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
