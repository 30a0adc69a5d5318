// Group 3: clients that are slow. None of them may cost the others more than its own work.

#include <array>

#include "scenario.hpp"

namespace loadtest {

namespace {

// The slow ones stay until the others are done, but not for ever; these begin when the slow ones
// have all begun.
class Show {
 public:
    explicit Show(std::uint64_t slow_ones) : awaited_{slow_ones} {}
    bool over() const { return over_ || now_us() >= latest_us_; }
    void end() { over_ = true; }

    void begun() {
        if (--awaited_ == 0) all_begun_.happen();
    }
    Task<> all_begun() {
        while (awaited_ > 0) co_await all_begun_;
    }

 private:
    bool over_ = false;
    std::uint64_t awaited_;
    Event all_begun_;
    Micros latest_us_ = now_us() + 60'000'000;
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
    co_await show.all_begun();
    for (int i = 0; i < 8; ++i) crew.add(impatient(world));
    co_await crew;
    show.end();
}

// A byte now and then; leaves in the middle.
Task<> drips(World& world, Show& show) {
    Client client(world);
    auto call = call_of(Line::one, 300);
    call.body = 1000;
    (void)co_await client.connect();
    if (client.connected()) (void)co_await client.begin_upload(call, 1);
    show.begun();
    while (client.connected() && !show.over()) {
        co_await dwell(world, 100'000);
        (void)co_await client.send_filler(1);
    }
    client.leave(Way::fin);
}

Task<> slow_upload(World& world) {
    Crew crew;
    Show show(50);
    for (int i = 0; i < 50; ++i) crew.add(drips(world, show));
    co_await others(world, show);
    co_await crew;
}

// Finishes its upload late; its number is lower than the others'.
Task<> uploads_late(World& world, Show& show, Micros after_us) {
    Client client(world);
    auto call = call_of(Line::one, 300);
    call.body = 50'000;
    (void)co_await client.connect();
    if (client.connected()) (void)co_await client.begin_upload(call, 49'999);
    show.begun();
    if (!client.connected()) co_return;
    co_await dwell(world, after_us);
    (void)co_await client.send_filler(1);
    client.finish_upload();
    (void)co_await client.answer();
}

Task<> late_upload(World& world) {
    Crew crew;
    Show show(50);
    for (std::uint64_t i = 0; i < 50; ++i) {
        crew.add(uploads_late(world, show, world.random(1'000'000)));
    }
    co_await others(world, show);
    co_await crew;
}

// Asks for 50 MB (8 in a quick run) and reads none of it.
Task<> never_reads(World& world, Show& show, const char* how) {
    Client client(world);
    auto call = call_of(Line::one, 300);
    call.query += how;
    call.size = world.settings.quick ? 8'000'000 : 50'000'000;
    (void)co_await client.connect(4096);
    if (client.connected()) (void)co_await client.send(call);
    show.begun();
    while (!show.over()) co_await dwell(world, 50'000);
    if (client.connected()) client.leave(Way::rst);
}

Task<> slow_readers(World& world, const char* how) {
    Crew crew;
    Show show(3);
    for (int i = 0; i < 3; ++i) crew.add(never_reads(world, show, how));
    co_await others(world, show);
    co_await crew;
}

Task<> slow_read(World& world) {
    return slow_readers(world, "");
}
// The answer asks not to be buffered. The proxy sends it at once, and keeps in the spool what the
// reader does not take.
Task<> slow_read_unbuffered(World& world) {
    return slow_readers(world, "&unbuffered=1");
}

Task<> idles(World& world, Show& show) {
    Client client(world);
    (void)co_await client.connect();
    show.begun();
    while (!show.over()) co_await dwell(world, 50'000);
}

Task<> idle(World& world) {
    Crew crew;
    Show show(world.some(1000));
    for (std::uint64_t i = 0; i < world.some(1000); ++i) crew.add(idles(world, show));
    co_await others(world, show);
    co_await crew;
}

// A head a byte at a time, never to its end.
Task<> slow_head(World& world, Show& show) {
    Client client(world);
    const std::string head = "GET /one?us=300 HTTP/1.1\r\nHost: slow\r\nX-Never: ends";
    (void)co_await client.connect();
    show.begun();
    for (std::size_t i = 0; client.connected() && !show.over(); ++i) {
        (void)co_await client.send_text(std::string_view(head).substr(i % head.size(), 1));
        co_await dwell(world, 50'000);
    }
}

Task<> slow_heads(World& world) {
    Crew crew;
    Show show(world.some(200));
    for (std::uint64_t i = 0; i < world.some(200); ++i) crew.add(slow_head(world, show));
    co_await others(world, show);
    co_await crew;
}

}  // namespace

std::span<const Scenario> slow_scenarios() {
    static constexpr std::array<Scenario, 6> all{{
        {"slow_upload", Need::nothing, slow_upload},
        {"late_upload", Need::nothing, late_upload},
        {"slow_read", Need::nothing, slow_read},
        {"slow_read_unbuffered", Need::lines, slow_read_unbuffered},
        {"idle", Need::nothing, idle},
        {"slow_heads", Need::nothing, slow_heads},
    }};
    return all;
}

}  // namespace loadtest
