// Group 6: actions of the operator under load.

#include <array>
#include <csignal>

#include "scenario.hpp"

namespace loadtest {

namespace {

// The part of the configuration between "# begin NAME" and "# end NAME", without or with it.
std::string without(std::string text, const std::string& name) {
    const auto begin = text.find("# begin " + name);
    const auto end = text.find("# end " + name);
    if (begin == std::string::npos || end == std::string::npos) return text;
    return text.erase(begin, end - begin);
}

constexpr const char* moving_in_flight = "ticketgate_queue_in_flight{queue=\"moving\"}";

// Until ticketgate says that the limit holds. A lower one counts from when no more are in flight:
// what it granted before may still be on its way to the backend.
Task<> await_limit(World& world, std::uint32_t now, std::uint32_t next) {
    co_await limit_in_force(world, next);
    if (next > now) co_return;
    co_await metric_falls_to(world, moving_in_flight, static_cast<double>(next));
    world.allow(Line::moving, now_us(), next);
}

Task<> move_limits(World& world, std::uint64_t times, bool& going) {
    constexpr std::array<std::uint32_t, 6> limits{3, 1, 5, 2, 1, 4};
    std::uint32_t now = 1;
    for (std::uint64_t i = 0; i <= times; ++i) {
        const auto next = i == times ? 1 : limits[i % limits.size()];
        auto text = with_limit(world.proxy.config(), next);
        if (i % 2 == 0 && i != times) text = without(text, "passing");
        world.proxy.write_config(text);
        if (next > now) world.allow(Line::moving, now_us(), next);
        world.proxy.signal(SIGHUP);
        co_await await_limit(world, now, next);
        now = next;
        co_await dwell(world, 100'000);
    }
    going = false;
}

Task<> reload(World& world) {
    Crew crew;
    bool going = true;
    const auto times = world.some(30);
    auto passing = call_of(Line::passing, 500);
    passing.allowed = allow::ok | allow::not_found;
    crew.add(move_limits(world, times, going));
    for (int i = 0; i < 12; ++i) {
        crew.add(loyal_while(world, call_of(Line::moving, 700), going));
        crew.add(loyal_while(world, passing, going));
        crew.add(loyal_while(world, call_of(Line::one, 500), going));
    }
    co_await crew;
}

constexpr const char* last_reload = "ticketgate_config_last_reload_successful";

// A bad config changes nothing and is reported.
Task<> spoil_config(World& world, std::uint64_t times, bool& going) {
    for (std::uint64_t i = 0; i < times; ++i) {
        world.proxy.write_config(i % 2 == 0 ? "routes: [ this is no\n" : world.proxy.config());
        world.proxy.signal(SIGHUP);
        if (i % 2 == 0) co_await metric_falls_to(world, last_reload, 0);
        if (i % 2 == 1) co_await metric_reaches(world, last_reload, 1);
        co_await dwell(world, 100'000);
    }
    going = false;
}

Task<> bad_config(World& world) {
    Crew crew;
    bool going = true;
    const std::uint64_t times = world.settings.quick ? 4 : 10;
    crew.add(spoil_config(world, times, going));
    for (int i = 0; i < 16; ++i) crew.add(loyal_while(world, call_of(Line::one, 300), going));
    co_await crew;
}

Task<> scrapes(World& world, int times, bool& going) {
    for (int i = 0; i < times; ++i) {
        const auto violations = co_await metric(world, "ticketgate_exclusion_violations_total");
        world.expect(violations.has_value(), "/metrics did not answer");
        co_await dwell(world, 10'000);
    }
    going = false;
}

Task<> admin_scrape(World& world) {
    Crew crew;
    bool going = true;
    crew.add(scrapes(world, world.settings.quick ? 40 : 160, going));
    for (int i = 0; i < 16; ++i) crew.add(loyal_while(world, call_of(Line::one, 200), going));
    co_await crew;
}

constexpr const char* rotated = "rotated=1";

// Every request is in one of the files, whole.
Task<> rotate(World& world) {
    Crew crew;
    const int times = world.settings.quick ? 5 : 20;
    auto call = call_of(Line::one, 100);
    call.query += std::string("&") + rotated;  // what came before may be written yet
    bool going = true;
    for (int i = 0; i < 16; ++i) crew.add(loyal_while(world, call, going));
    for (int i = 1; i <= times; ++i) {
        co_await dwell(world, 50'000);
        world.proxy.rotate_log(i);
        world.proxy.signal(SIGUSR1);
        co_await log_begun_anew(world);
    }
    co_await dwell(world, 50'000);
    going = false;
    co_await crew;
    co_await log_written(world, rotated, times);
    const auto written = world.proxy.log_lines(rotated, times);
    world.expect(written == world.records.size(), std::to_string(written) + " lines for " +
                                                      std::to_string(world.records.size()) +
                                                      " requests");
}

// An operator gives a slot away though its backend runs: it fails open, and both counters say so.
// What ran goes on and is answered; the one after it gets no second slot when that one ends.
Task<> release(World& world) {
    Held first(world);
    Held second(world);
    Crew crew;
    world.must_overlap = true;
    if (!co_await first.run(call_of(Line::one, 0))) co_return;
    if (!co_await second.send(call_of(Line::one, 0))) co_return;
    co_await stand_in(world, Line::one, 1);
    const auto before = world.answers;
    crew.add(loyal(world, call_of(Line::one, 1000), 1));
    co_await stand_in(world, Line::one, 2);
    world.expect(world.proxy.release("one"), "the slot was not released");
    co_await begun(world, second.seq());
    co_await first.finish();
    co_await dwell(world, 100'000);
    world.expect(world.answers == before + 1, "one slot was given back twice");
    co_await second.finish();
    co_await crew;
}

// Waiting requests are served; later ones are refused.
Task<> drain(World& world) {
    Crew crew;
    Held first(world);
    const auto others = world.some(100);
    if (!co_await first.run(call_of(Line::one, 0))) co_return;
    for (std::uint64_t i = 0; i < others; ++i) {
        crew.add(loyal(world, call_of(Line::one, 1000), 1));
    }
    co_await stand_in(world, Line::one, others);
    world.proxy.signal(SIGTERM);
    co_await unready(world);
    auto late = call_of(Line::one, 0);
    late.allowed = allow::unavailable | allow::closed;
    co_await crowd(world, late, 10, 1);
    co_await first.finish();
    co_await crew;
    co_await ended(world);
}

// The second one stops at once, whoever waits or runs.
Task<> term_twice(World& world) {
    constexpr std::uint64_t others = 99;
    Crew crew;
    Held first(world);
    auto call = call_of(Line::one, 0);
    call.allowed = allow::ok | allow::unavailable | allow::closed | allow::broken;
    auto running = call;
    running.allowed |= allow::bad_gateway;  // it may have reached the backend
    if (!co_await first.run(running)) co_return;
    for (std::uint64_t i = 0; i < others; ++i) crew.add(loyal(world, call, 1));
    co_await stand_in(world, Line::one, others);
    world.proxy.signal(SIGTERM);
    co_await unready(world);
    world.proxy.signal(SIGTERM);
    co_await ended(world);  // drain_timeout is far longer, and the first never ends
    // Workers end with ticketgate, and so does what they run.
    if (world.settings.workers)
        (void)co_await first.client().answer();
    else
        co_await first.finish();
    co_await crew;
}

}  // namespace

std::span<const Scenario> operator_scenarios() {
    static constexpr std::array<Scenario, 7> all{{
        {"reload", Need::config, reload},
        {"bad_config", Need::config, bad_config},
        {"release", Need::config, release},
        {"admin_scrape", Need::config, admin_scrape},
        {"rotate", Need::start, rotate},
        {"drain", Need::start, drain},
        {"term_twice", Need::start, term_twice},
    }};
    return all;
}

}  // namespace loadtest
