// Group 6: what its operator does to a proxy under load.

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

std::string with_limit(std::string text, std::uint32_t limit) {
    const std::string mark = "moving: { max_in_flight: ";
    const auto at = text.find(mark);
    if (at != std::string::npos) text.replace(at + mark.size(), 1, std::to_string(limit));
    return text;
}

// Until ticketgate says that the limit holds: a lower one counts from then on.
Task<> await_limit(World& world, std::uint32_t limit) {
    const auto until = now_us() + 5'000'000;
    while (now_us() < until) {
        const auto now = world.proxy.metric("ticketgate_queue_max_in_flight{queue=\"moving\"}");
        if (now && *now == limit) co_return;
        co_await world.loop.sleep(5000);
    }
    world.expect(false, "a reload was not seen in /metrics");
}

Task<> move_limits(World& world, std::uint64_t times) {
    constexpr std::array<std::uint32_t, 6> limits{3, 1, 5, 2, 1, 4};
    std::uint32_t now = 1;
    for (std::uint64_t i = 0; i <= times; ++i) {
        const auto next = i == times ? 1 : limits[i % limits.size()];
        auto text = with_limit(world.proxy.config(), next);
        if (i % 2 == 0 && i != times) text = without(text, "passing");
        world.proxy.write_config(text);
        // What was granted just before a lower limit may still be on its way to the backend.
        if (next > now) world.allow(Line::moving, now_us(), next);
        world.proxy.signal(SIGHUP);
        co_await await_limit(world, next);
        if (next < now) world.allow(Line::moving, now_us() + world.settings.grace_us, next);
        now = next;
        co_await world.loop.sleep(100'000);
    }
}

Task<> reload(World& world) {
    Crew crew;
    const auto times = world.some(30);
    const auto until = now_us() + (times + 1) * 110'000;
    auto passing = call_of(Line::passing, 500);
    passing.allowed = allow::ok | allow::not_found;
    crew.add(move_limits(world, times));
    for (int i = 0; i < 12; ++i) {
        crew.add(loyal_until(world, call_of(Line::moving, 700), until));
        crew.add(loyal_until(world, passing, until));
        crew.add(loyal_until(world, call_of(Line::one, 500), until));
    }
    co_await crew;
}

// A file that is none changes nothing, and says so.
Task<> spoil_config(World& world, std::uint64_t times) {
    for (std::uint64_t i = 0; i < times; ++i) {
        world.proxy.write_config(i % 2 == 0 ? "routes: [ this is no\n" : world.proxy.config());
        world.proxy.signal(SIGHUP);
        co_await world.loop.sleep(100'000);
        const auto good = world.proxy.metric("ticketgate_config_last_reload_successful");
        if (!world.settings.quick) {
            world.expect(good && *good == static_cast<double>(i % 2),
                         "a bad file was not reported");
        }
    }
}

Task<> bad_config(World& world) {
    Crew crew;
    const std::uint64_t times = world.settings.quick ? 4 : 10;
    crew.add(spoil_config(world, times));
    for (int i = 0; i < 16; ++i) {
        crew.add(loyal_until(world, call_of(Line::one, 300), now_us() + times * 100'000));
    }
    co_await crew;
}

Task<> scrapes(World& world, Micros until) {
    while (now_us() < until) {
        const auto violations = world.proxy.metric("ticketgate_exclusion_violations_total");
        world.expect(violations.has_value(), "/metrics did not answer");
        co_await world.loop.sleep(10'000);
    }
}

Task<> admin_scrape(World& world) {
    Crew crew;
    const auto until = now_us() + (world.settings.quick ? 500'000 : 2'000'000);
    crew.add(scrapes(world, until));
    for (int i = 0; i < 16; ++i) crew.add(loyal_until(world, call_of(Line::one, 200), until));
    co_await crew;
}

// Every request is in one of the files, whole.
Task<> rotate(World& world) {
    Crew crew;
    const int times = world.settings.quick ? 5 : 20;
    const auto before = world.proxy.log_lines(0);
    for (int i = 0; i < 16; ++i) {
        const auto until = now_us() + static_cast<Micros>(times) * 60'000;
        crew.add(loyal_until(world, call_of(Line::one, 100), until));
    }
    for (int i = 1; i <= times; ++i) {
        co_await world.loop.sleep(50'000);
        world.proxy.rotate_log(i);
        world.proxy.signal(SIGUSR1);
    }
    co_await crew;
    co_await world.loop.sleep(500'000);
    const auto written = world.proxy.log_lines(times) - before;
    world.expect(written == world.records.size(), std::to_string(written) + " lines for " +
                                                      std::to_string(world.records.size()) +
                                                      " requests");
}

// An operator gives a slot away though its backend runs: it fails open, and both counters say so.
// What ran goes on and is answered; the one after it gets no second slot when that one ends.
Task<> release(World& world) {
    Crew crew;
    world.must_overlap = true;
    crew.add(loyal(world, call_of(Line::one, 700'000), 1));
    co_await world.loop.sleep(50'000);
    crew.add(loyal(world, call_of(Line::one, 1'000'000), 1));
    crew.add(loyal(world, call_of(Line::one, 1000), 1));
    co_await world.loop.sleep(50'000);
    world.expect(world.proxy.release("one"), "the slot was not released");
    co_await crew;
    const auto& records = world.records;
    world.expect(records[2].done_us > records[1].done_us, "one slot was given back twice");
}

Task<> await_end(World& world, Micros within_us) {
    const auto until = now_us() + within_us;
    while (world.proxy.alive() && now_us() < until) co_await world.loop.sleep(10'000);
    world.expect(!world.proxy.alive(), "it is still running");
    world.proxy_gone = true;
}

// Who stands in line is served; who comes after is refused.
Task<> drain(World& world) {
    Crew crew;
    for (std::uint64_t i = 0; i < world.some(100); ++i) {
        crew.add(loyal(world, call_of(Line::one, 10'000), 1));
    }
    co_await world.loop.sleep(300'000);
    world.proxy.signal(SIGTERM);
    co_await world.loop.sleep(200'000);
    auto late = call_of(Line::one, 0);
    late.allowed = allow::unavailable | allow::closed;
    crew.add(crowd(world, late, 10, 1));
    co_await crew;
    co_await await_end(world, 20'000'000);
}

// The second one stops at once, whoever waits or runs.
Task<> term_twice(World& world) {
    Crew crew;
    auto call = call_of(Line::one, 100'000);
    call.allowed = allow::ok | allow::unavailable | allow::closed | allow::broken;
    for (int i = 0; i < 100; ++i) crew.add(loyal(world, call, 1));
    co_await world.loop.sleep(300'000);
    world.proxy.signal(SIGTERM);
    co_await world.loop.sleep(100'000);
    world.proxy.signal(SIGTERM);
    co_await await_end(world, world.settings.quick ? 20'000'000 : 3'000'000);
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
