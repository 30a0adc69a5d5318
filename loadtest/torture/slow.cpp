// Group 3: clients that are slow. None of them may cost the others more than its own work.

#include <array>

#include "scenario.hpp"

namespace loadtest {

namespace {

// The slow ones stay until the others are done, but not for ever.
class Show {
 public:
    bool over() const { return over_ || now_us() >= latest_us_; }
    void end() { over_ = true; }

 private:
    bool over_ = false;
    Micros latest_us_ = now_us() + 30'000'000;
};

// Others go on meanwhile, each answered within this; a sanitizer's build on a busy machine is slow.
Task<> impatient(World& world) {
    const Micros patience_us = world.settings.quick ? 10'000'000 : 1'500'000;
    Client client(world);
    const auto call = call_of(Line::one, 300);
    bool fine = co_await client.connect();
    for (std::uint64_t i = 0; fine && i < world.some(500); ++i) {
        fine = co_await client.send(call);
        if (fine) fine = co_await client.answer(now_us() + patience_us);
    }
}

Task<> others(World& world, Show& show) {
    Crew crew;
    co_await world.loop.sleep(20'000);
    for (int i = 0; i < 8; ++i) crew.add(impatient(world));
    co_await crew;
    show.end();
}

// A byte now and then; leaves in the middle.
Task<> drips(World& world, const Show& show) {
    Client client(world);
    auto call = call_of(Line::one, 300);
    call.body = 1000;
    if (!co_await client.connect()) co_return;
    (void)co_await client.begin_upload(call, 1);
    while (!show.over()) {
        co_await world.loop.sleep(100'000);
        (void)co_await client.send_filler(1);
    }
    client.leave(Way::fin);
}

Task<> slow_upload(World& world) {
    Crew crew;
    Show show;
    for (int i = 0; i < 50; ++i) crew.add(drips(world, show));
    co_await others(world, show);
    co_await crew;
}

// Finishes its upload late; its place was before the others'.
Task<> uploads_late(World& world, Micros after_us) {
    Client client(world);
    auto call = call_of(Line::one, 300);
    call.body = 50'000;
    if (!co_await client.connect()) co_return;
    (void)co_await client.begin_upload(call, 49'999);
    co_await world.loop.sleep(after_us);
    (void)co_await client.send_filler(1);
    client.finish_upload();
    (void)co_await client.answer();
}

Task<> late_upload(World& world) {
    Crew crew;
    Show show;
    for (std::uint64_t i = 0; i < 50; ++i) {
        crew.add(uploads_late(world, world.random(1'000'000)));
    }
    co_await others(world, show);
    co_await crew;
}

// Asks for 50 MB (8 in a quick run) and reads none of it.
Task<> never_reads(World& world, const Show& show) {
    Client client(world);
    auto call = call_of(Line::one, 300);
    call.size = world.settings.quick ? 8'000'000 : 50'000'000;
    if (!co_await client.connect(4096)) co_return;
    (void)co_await client.send(call);
    while (!show.over()) co_await world.loop.sleep(50'000);
    client.leave(Way::rst);
}

Task<> slow_read(World& world) {
    Crew crew;
    Show show;
    for (int i = 0; i < 3; ++i) crew.add(never_reads(world, show));
    co_await others(world, show);
    co_await crew;
}

Task<> idles(World& world, const Show& show) {
    Client client(world);
    (void)co_await client.connect();
    while (!show.over()) co_await world.loop.sleep(50'000);
}

Task<> idle(World& world) {
    Crew crew;
    Show show;
    for (std::uint64_t i = 0; i < world.some(1000); ++i) crew.add(idles(world, show));
    co_await others(world, show);
    co_await crew;
}

// A head a byte at a time, never to its end.
Task<> slow_head(World& world, const Show& show) {
    Client client(world);
    const std::string head = "GET /one?us=300 HTTP/1.1\r\nHost: slow\r\nX-Never: ends";
    if (!co_await client.connect()) co_return;
    for (std::size_t i = 0; !show.over(); ++i) {
        (void)co_await client.send_text(std::string_view(head).substr(i % head.size(), 1));
        co_await world.loop.sleep(50'000);
    }
}

Task<> slow_heads(World& world) {
    Crew crew;
    Show show;
    for (std::uint64_t i = 0; i < world.some(200); ++i) crew.add(slow_head(world, show));
    co_await others(world, show);
    co_await crew;
}

}  // namespace

std::span<const Scenario> slow_scenarios() {
    static constexpr std::array<Scenario, 5> all{{
        {"slow_upload", Need::nothing, slow_upload},
        {"late_upload", Need::nothing, late_upload},
        {"slow_read", Need::nothing, slow_read},
        {"idle", Need::nothing, idle},
        {"slow_heads", Need::nothing, slow_heads},
    }};
    return all;
}

}  // namespace loadtest
