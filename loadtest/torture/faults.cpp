// Group 4: backends that break. What runs behind them must wait for the broken one's end, and no
// POST may reach the backend twice.

#include <array>

#include "../fetch.hpp"
#include "scenario.hpp"

namespace loadtest {

namespace {

struct Trouble {
    Line line;
    std::string query;  // of those that ask for it
    Allowed answer;     // to them
    Allowed others = allow::ok;
    std::uint64_t body = 0;
};

// Every other one is a POST, which nobody may repeat.
Task<> asks_for_trouble(World& world, Trouble trouble, std::uint64_t requests) {
    Client client(world);
    auto call = call_of(trouble.line, 0);
    call.query = trouble.query;
    call.allowed = trouble.answer;
    for (std::uint64_t i = 0; i < requests; ++i) {
        call.body = i % 2 == 0 && trouble.body == 0 ? 0 : trouble.body + 100;
        (void)co_await client.exchange(call);
    }
}

Task<> troubled(World& world, Trouble trouble, std::uint64_t requests) {
    Crew crew;
    auto call = call_of(trouble.line, 200);
    call.allowed = trouble.others;
    for (int i = 0; i < 8; ++i) crew.add(loyal(world, call, requests * 2));
    for (int i = 0; i < 4; ++i) crew.add(asks_for_trouble(world, trouble, requests));
    co_await crew;
}

Task<> die_read(World& world) {
    const Trouble trouble{Line::one, "us=500&fault=die_read", allow::bad_gateway};
    co_await troubled(world, trouble, world.some(100));
}
Task<> die_head(World& world) {
    const Trouble trouble{Line::one, "us=500&fault=die_head", allow::bad_gateway | allow::broken};
    co_await troubled(world, trouble, world.some(100));
}
Task<> die_body(World& world) {
    const Trouble trouble{Line::one, "us=500&fault=die_body", allow::bad_gateway | allow::broken};
    co_await troubled(world, trouble, world.some(100));
}
Task<> die_chunk(World& world) {
    const Trouble trouble{Line::one, "us=500&fault=die_chunk", allow::bad_gateway | allow::broken};
    co_await troubled(world, trouble, world.some(100));
}
Task<> garbage(World& world) {
    const Trouble trouble{Line::one, "us=500&fault=garbage", allow::bad_gateway};
    co_await troubled(world, trouble, world.some(100));
}
Task<> early(World& world) {
    const Trouble trouble{Line::one, "us=500&fault=early", allow::ok, allow::ok, 300'000};
    co_await troubled(world, trouble, world.some(50));
}
// Without a queue the body streams, so the answer really comes before it.
Task<> early_free(World& world) {
    const Trouble trouble{Line::free, "us=500&fault=early", allow::ok, allow::ok, 300'000};
    co_await troubled(world, trouble, world.some(50));
}
// Says nothing and closes, but later than the proxy waits.
Task<> silent(World& world) {
    world.settle_us = 1'000'000;
    const Trouble trouble{Line::hasty, "ms=600&fault=silent", allow::timeout};
    co_await troubled(world, trouble, world.some(5) / 4 + 1);
}
// Slower than the proxy waits, and then finishes.
Task<> too_slow(World& world) {
    world.settle_us = 1'000'000;
    const Trouble trouble{Line::hasty, "ms=600", allow::timeout};
    co_await troubled(world, trouble, world.some(5) / 4 + 1);
}
// As near to never as a test can wait.
Task<> never_ends(World& world) {
    world.settle_us = 5'000'000;
    Crew crew;
    const Trouble trouble{Line::hasty, "ms=4000&fault=silent", allow::timeout};
    crew.add(asks_for_trouble(world, trouble, 1));
    co_await world.loop.sleep(50'000);
    co_await crowd(world, call_of(Line::hasty, 200), 8, 4);
    co_await crew;
}

// Closes a kept connection when the next request comes on it: a GET is sent again, a POST is not.
Task<> drop_next(World& world) {
    Crew crew;
    auto read = call_of(Line::one, 100);
    read.query += "&fault=drop_next";
    auto write = read;
    write.body = 100;
    write.allowed = allow::ok | allow::bad_gateway;
    crew.add(crowd(world, read, 8, world.some(800) / 8));
    crew.add(crowd(world, write, 8, world.some(800) / 8));
    co_await crew;
}

Task<> outages(World& world, const char* page, int times) {
    for (int i = 0; i < times; ++i) {
        co_await world.loop.sleep(150'000);
        (void)fetch(world.settings.backend, page);
    }
}

Task<> through_outages(World& world, const char* page, Allowed allowed) {
    Crew crew;
    const int times = world.settings.quick ? 3 : 10;
    auto get = call_of(Line::one, 300);
    get.allowed = allowed;
    auto post = get;
    post.body = 100;
    const auto until = now_us() + static_cast<Micros>(times) * 160'000 + 200'000;
    crew.add(outages(world, page, times));
    for (int i = 0; i < 8; ++i) {
        crew.add(loyal_until(world, get, until));
        crew.add(loyal_until(world, post, until));
    }
    co_await crew;
}

Task<> refuses(World& world) {
    return through_outages(world, "/__refuse?ms=60", allow::ok | allow::bad_gateway);
}
Task<> restarts(World& world) {
    return through_outages(world, "/__restart?ms=60",
                           allow::ok | allow::bad_gateway | allow::broken);
}

}  // namespace

std::span<const Scenario> fault_scenarios() {
    static constexpr std::array<Scenario, 13> all{{
        {"fault_refuses", Need::nothing, refuses},
        {"fault_silent", Need::lines, silent},
        {"fault_die_read", Need::nothing, die_read},
        {"fault_die_head", Need::nothing, die_head},
        {"fault_die_body", Need::nothing, die_body},
        {"fault_die_chunk", Need::nothing, die_chunk},
        {"fault_garbage", Need::nothing, garbage},
        {"fault_early", Need::nothing, early},
        {"fault_early_free", Need::lines, early_free},
        {"fault_drop_next", Need::nothing, drop_next},
        {"fault_restarts", Need::nothing, restarts},
        {"fault_too_slow", Need::lines, too_slow},
        {"fault_never_ends", Need::lines, never_ends},
    }};
    return all;
}

}  // namespace loadtest
