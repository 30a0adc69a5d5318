// Group 4: backends that break. The next request must wait until the broken one has ended, and no
// POST may reach the backend twice.

#include <array>
#include <csignal>
#include <exception>

#include "../fetch.hpp"
#include "scenario.hpp"

namespace loadtest {

namespace {

struct Trouble {
    Line line;
    std::string query;  // of the requests that cause the fault
    Allowed answer;     // the answers allowed for them
    Allowed others = allow::ok;
    std::uint64_t body = 0;
};

// Every second one is a POST, which must not be repeated.
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
// As PHP: the answer begins at once and ends when the body was taken. Both are longer than all
// buffers on the way, so one that sends no more of the request while it relays waits for ever.
Task<> takes_all_on(World& world, Line line) {
    Crew crew;
    auto call = call_of(line, 500);
    call.query += "&fault=takes_all";
    call.size = 2'000'000;
    call.body = 3'000'000;
    for (int i = 0; i < 2; ++i) crew.add(loyal(world, call, world.some(20)));
    crew.add(crowd(world, call_of(line, 200), 4, world.some(20) * 2));
    co_await crew;
}
Task<> takes_all(World& world) {
    return takes_all_on(world, Line::one);
}
Task<> takes_all_free(World& world) {
    return takes_all_on(world, Line::free);
}
// A control character that an application echoes: 502, and the line goes on.
Task<> odd_field(World& world) {
    const Trouble trouble{Line::one, "us=500&fault=odd_field", allow::bad_gateway};
    co_await troubled(world, trouble, world.some(100));
}
// As little as a parser must accept: no reason phrase, blanks around the extension of a chunk.
Task<> bare(World& world) {
    const Trouble trouble{Line::one, "us=500&chunked=1&fault=bare", allow::ok};
    co_await troubled(world, trouble, world.some(100));
}
// The answer ends with its head, or will end with the connection, and its script goes on.
Task<> works_on_behind_http(World& world) {
    Crew crew;
    auto head = call_of(Line::one, 200);
    head.query += "&late_us=3000";
    head.head = true;
    auto closing = call_of(Line::one, 200);
    closing.query += "&late_us=3000&close=1";
    crew.add(crowd(world, head, 4, world.some(100)));
    crew.add(crowd(world, closing, 4, world.some(100)));
    crew.add(crowd(world, call_of(Line::one, 100), 4, world.some(100)));
    co_await crew;
}

// Answered 504 while its backend still works, which goes on for `more_us` from then on.
Task<> given_up_on(World& world, std::string query, std::uint64_t requests, Micros more_us) {
    Held held(world);
    auto call = call_of(Line::hasty, 0);
    call.query += query;
    call.allowed = allow::timeout;
    for (std::uint64_t i = 0; i < requests; ++i) {
        call.body = i % 2 == 0 ? 0 : 100;
        if (!co_await held.run(call)) co_return;
        (void)co_await held.client().answer();
        co_await dwell(world, more_us);
        co_await held.let_go();
    }
}

// Others in the same line, whose route waits for longer.
Call patient() {
    auto call = call_of(Line::hasty, 200);
    call.path = "/patient";
    return call;
}

Task<> given_up_among_others(World& world, std::string query) {
    Crew crew;
    const auto requests = world.some(5) / 4 + 1;
    crew.add(crowd(world, patient(), 8, requests * 2));
    for (int i = 0; i < 4; ++i) crew.add(given_up_on(world, query, requests, 20'000));
    co_await crew;
}

// Says nothing and closes, but later than the proxy waits.
Task<> silent(World& world) {
    return given_up_among_others(world, "&fault=silent");
}
// Slower than the proxy waits, and then finishes.
Task<> too_slow(World& world) {
    return given_up_among_others(world, "");
}
// As close to never as a test can wait.
Task<> never_ends(World& world) {
    Crew crew;
    crew.add(given_up_on(world, "&fault=silent", 1, 2'000'000));
    co_await metric_reaches(world, "ticketgate_queue_in_flight{queue=\"hasty\"}", 1);
    co_await crowd(world, patient(), 8, 4);
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

bool is_told(const World& world, const char* page) {
    try {
        (void)fetch(world.settings.backend, page);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

// On a busy machine one outage may last until the next is due.
Task<> outages(World& world, const char* page, int times, bool& going) {
    for (int i = 0; i < times; ++i) {
        co_await dwell(world, 150'000);
        while (!is_told(world, page)) co_await dwell(world, 10'000);
    }
    co_await dwell(world, 200'000);
    going = false;
}

Task<> through_outages(World& world, const char* page, Allowed allowed) {
    Crew crew;
    bool going = true;
    const int times = world.settings.quick ? 3 : 10;
    auto get = call_of(Line::one, 300);
    get.allowed = allowed;
    auto post = get;
    post.body = 100;
    crew.add(outages(world, page, times, going));
    for (int i = 0; i < 8; ++i) {
        crew.add(loyal_while(world, get, going));
        crew.add(loyal_while(world, post, going));
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

// Kills workers of ticketgate while they run, wait and start.
Task<> killer(World& world, bool& going) {
    const int times = world.settings.quick ? 40 : 400;
    for (int i = 0; i < times; ++i) {
        co_await dwell(world, 5'000 + world.random(20'000));
        kill_worker(world);
    }
    co_await dwell(world, 200'000);
    going = false;
}

// Only what a killed worker ran fails, and the next one begins when it is gone.
Task<> workers_die(World& world) {
    Crew crew;
    bool going = true;
    crew.add(killer(world, going));
    for (const Line line : {Line::one, Line::free}) {
        auto get = call_of(line, 700);
        get.allowed = allow::ok | allow::bad_gateway | allow::broken;
        auto post = get;
        post.body = 100'000;
        for (int i = 0; i < 6; ++i) {
            crew.add(loyal_while(world, get, going));
            crew.add(loyal_while(world, post, going));
        }
    }
    co_await crew;
}

}  // namespace

void kill_worker(World& world) {
    const auto pids = world.proxy.workers();
    if (!pids.empty()) (void)::kill(pids[world.random(pids.size())], SIGKILL);
}

std::span<const Scenario> fault_scenarios() {
    static constexpr std::array<Scenario, 19> all{{
        {"fault_refuses", Need::nothing, refuses},
        {"fault_silent", Need::lines, silent},
        {"fault_die_read", Need::nothing, die_read},
        {"fault_die_head", Need::nothing, die_head},
        {"fault_die_body", Need::nothing, die_body},
        {"fault_die_chunk", Need::nothing, die_chunk},
        {"fault_garbage", Need::nothing, garbage},
        {"fault_early", Need::nothing, early},
        {"fault_early_free", Need::lines, early_free},
        {"fault_takes_all", Need::nothing, takes_all},
        {"fault_takes_all_free", Need::lines, takes_all_free},
        {"fault_odd_field", Need::nothing, odd_field},
        {"fault_bare", Need::http, bare},
        {"works_on_behind_http", Need::http, works_on_behind_http},
        {"fault_drop_next", Need::nothing, drop_next},
        {"fault_restarts", Need::nothing, restarts},
        {"fault_too_slow", Need::lines, too_slow},
        {"fault_never_ends", Need::lines, never_ends},
        {"workers_die", Need::workers, workers_die},
    }};
    return all;
}

}  // namespace loadtest
