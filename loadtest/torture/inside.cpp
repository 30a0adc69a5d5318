// Inside: an application that calls its own site while it holds the slot. The kit is that
// application: when the backend has begun a request, it calls from an address of clients.inside,
// and ends the request by let_go(). Strangers stand in the same line all the time.

#include <array>
#include <cinttypes>
#include <cstdio>
#include <memory>

#include "scenario.hpp"

namespace loadtest {

namespace {

constexpr const char* calls_total = "ticketgate_queue_inside_calls_total";
constexpr const char* passed_total =
    "ticketgate_queue_inside_calls_total{how=\"pass\",queue=\"inside\"}";
constexpr const char* waited_total =
    "ticketgate_queue_inside_calls_total{how=\"wait\",queue=\"inside\"}";
constexpr const char* waiting = "ticketgate_queue_waiting{queue=\"inside\"}";
constexpr const char* in_flight = "ticketgate_queue_in_flight{queue=\"inside\"}";

// What the families share. One holds the slot at a time and calls only while it does, so each step
// of ticketgate's counters is one known call.
struct Site {
    explicit Site(World& in) : world{in} {}

    World& world;
    const Endpoint application = resolve("127.0.0.2:0");
    Crew later;  // requests that end some time after their family
    bool going = true;
    std::string id;   // of a request that runs, or ran last
    std::string old;  // of one that is over
    double counted = 0;
    double passed = 0;
    double waited = 0;
    std::uint64_t unnamed = 0;  // calls without an id that only one request can have made
    std::uint64_t guessed = 0;  // of these, passed
};

// By dice, and once.
void may_leave(World& world, Held& held, std::uint64_t percent) {
    if (!world.chance(percent) || world.record(held.seq()).left_us != 0) return;
    held.client().leave(static_cast<Way>(world.random(3)));
}

std::string naming(const std::string& id) {
    return "X-Request-Id: " + id + "\r\n";
}

Call call_with(World& world, std::string fields) {
    auto call = call_of(Line::inside, world.random(400));
    call.once = true;
    call.fields = std::move(fields);
    if (world.chance(30)) call.body = 1 + world.random(3000);
    return call;
}

// ── strangers ──

// Each request of a stranger has a slot of its own, whatever id it names.
Task<> forges(Site& site, const Endpoint* from, std::string fields) {
    Client client(site.world, from);
    while (site.going) {
        const auto call = call_with(site.world, fields + naming(site.id));
        if (!co_await client.exchange(call)) co_await dwell(site.world, 1000);
    }
}

Task<> leaves_now_and_then(Site& site) {
    while (site.going) {
        Client client(site.world);
        const auto call = call_with(site.world, naming(site.id));
        const bool connected = co_await client.connect();
        if (connected) (void)co_await client.send(call);
        co_await dwell(site.world, site.world.random(10'000));
        client.leave(site.world.chance(50) ? Way::fin : Way::rst);
    }
}

// ── calls ──

// Waits until ticketgate has counted the call that was sent last. Returns whether it passed.
Task<bool> counted(Site& site, std::uint64_t seq, std::uint64_t of) {
    World& world = site.world;
    co_await metric_reaches(world, calls_total, ++site.counted);
    const auto passed = co_await metric(world, passed_total);
    const auto waited = co_await metric(world, waited_total);
    const bool within = passed.value_or(0) > site.passed;
    const bool waits = waited.value_or(0) > site.waited;
    site.passed = passed.value_or(site.passed);
    site.waited = waited.value_or(site.waited);
    world.record(seq).of = within ? of : 0;
    world.record(seq).must = within || waits;
    co_return within;
}

Task<> read_counters(Site& site) {
    const auto all = co_await metric(site.world, calls_total);
    const auto passed = co_await metric(site.world, passed_total);
    const auto waited = co_await metric(site.world, waited_total);
    site.counted = all.value_or(0);
    site.passed = passed.value_or(0);
    site.waited = waited.value_or(0);
}

// A call that runs until the kit lets it go. Returns whether it stands in its caller's line.
Task<bool> send(Site& site, Held& held, std::uint64_t of, Call call) {
    const bool sent = co_await held.send(std::move(call));
    if (!sent) co_return false;
    const bool within = co_await counted(site, held.seq(), of);
    co_return within;
}

// The same for one that names its caller: it always passes.
Task<> send_named(Site& site, Held& held, const Held& caller) {
    const auto id = co_await id_of(site.world, caller.seq());
    site.world.expect(!id.empty(), "a request that runs has no id");
    const auto call = call_with(site.world, naming(id));
    const bool within = co_await send(site, held, caller.seq(), call);
    site.world.expect(within, "a call that names its caller did not pass");
}

Task<> runs(Site& site, const Held& held) {
    co_await begun(site.world, held.seq());
    site.id = co_await id_of(site.world, held.seq());
}

// It waits in the line of the queue, and runs when its turn has come.
Task<> runs_later(Site& site, std::unique_ptr<Held> held) {
    may_leave(site.world, *held, 50);
    co_await begun(site.world, held->seq());
    co_await held->finish();
}

void expect_to_wait(Site& site, std::unique_ptr<Held> held, bool within, const char* complaint) {
    site.world.expect(!within, complaint);
    site.later.add(runs_later(site, std::move(held)));
}

// ── what a request of the application does while it runs ──

Task<> lives(Site& site, Held& self, int depth);

std::unique_ptr<Held> new_call(Site& site) {
    return std::make_unique<Held>(site.world, &site.application);
}

// It waits for the answer, or leaves while the call runs; the call may call in turn. Its own client
// may leave meanwhile.
Task<> calls_one(Site& site, Held& self, int depth) {
    const auto child = new_call(site);
    co_await send_named(site, *child, self);
    co_await runs(site, *child);
    may_leave(site.world, *child, 30);
    may_leave(site.world, self, 15);
    co_await lives(site, *child, depth + 1);
}

// The second waits in the line of its caller, while the first calls in turn. Its client may leave
// there; it runs all the same.
Task<> calls_two(Site& site, Held& self, int depth) {
    const auto first = new_call(site);
    const auto second = new_call(site);
    co_await send_named(site, *first, self);
    co_await runs(site, *first);
    co_await send_named(site, *second, self);
    may_leave(site.world, *second, 50);
    may_leave(site.world, self, 15);
    co_await lives(site, *first, depth + 1);
    co_await runs(site, *second);
    co_await lives(site, *second, depth + 1);
}

// It does not wait: its connection ends as soon as the call is sent. The call passes if ticketgate
// reads it before that end.
Task<> calls_and_leaves(Site& site, Held& self) {
    World& world = site.world;
    Client client(world, &site.application);
    const auto id = co_await id_of(world, self.seq());
    const auto call = call_with(world, naming(id));
    if (!co_await client.connect()) co_return;
    if (!co_await client.send(call)) co_return;
    const auto seq = client.last_seq();
    client.leave(Way::fin);
    (void)co_await counted(site, seq, self.seq());
}

// Half an upload, in the line of its caller: it leaves that line and never runs.
Task<> calls_by_half(Site& site, Held& self) {
    World& world = site.world;
    Client client(world, &site.application);
    const auto id = co_await id_of(world, self.seq());
    auto call = call_with(world, naming(id));
    call.body = 10'000;
    if (!co_await client.connect()) co_return;
    if (!co_await client.begin_upload(call, 5000)) co_return;
    const auto seq = client.last_seq();
    (void)co_await counted(site, seq, self.seq());
    world.record(seq).must = false;
    client.leave(world.chance(50) ? Way::fin : Way::rst);
}

// Without an id, made by a call or by its caller: it counts as the outermost one's, which runs yet,
// and waits for the call. Nobody waits for it before that.
Task<> calls_without_id_from_within(Site& site, Held& self) {
    const auto first = new_call(site);
    auto second = new_call(site);
    co_await send_named(site, *first, self);
    co_await runs(site, *first);
    const auto call = call_with(site.world, "");
    const bool within = co_await send(site, *second, self.seq(), call);
    may_leave(site.world, *second, 50);
    co_await dwell(site.world, 1000);
    co_await first->finish();
    if (!within) co_return site.later.add(runs_later(site, std::move(second)));
    co_await runs(site, *second);
    co_await second->finish();
}

// Without an id: only the outermost request of the hold is known, and only if no other request can
// have made the call. Nothing else runs here, but that ticketgate knows it is a matter of its
// threads' pace; where it does not, the call waits.
Task<> calls_without_id(Site& site, Held& self) {
    auto child = new_call(site);
    (void)co_await metric(site.world, calls_total);  // its first thread knows what has begun
    const auto call = call_with(site.world, "");
    const bool within = co_await send(site, *child, self.seq(), call);
    ++site.unnamed;
    if (!within) co_return site.later.add(runs_later(site, std::move(child)));
    ++site.guessed;
    co_await runs(site, *child);
    may_leave(site.world, *child, 30);
    co_await child->finish();
}

// A request that is not queued runs meanwhile, and may have made the call.
Task<> calls_beside_another(Site& site) {
    Held other(site.world);
    if (!co_await other.run(call_of(Line::free, 0))) co_return;
    auto child = new_call(site);
    const auto call = call_with(site.world, "");
    const bool within = co_await send(site, *child, 0, call);
    expect_to_wait(site, std::move(child), within, "a call passed that another may have made");
    co_await other.finish();
}

// The id names no request that runs.
Task<> calls_by_old_id(Site& site) {
    auto child = new_call(site);
    const auto call = call_with(site.world, naming(site.old));
    const bool within = co_await send(site, *child, 0, call);
    expect_to_wait(site, std::move(child), within, "a call passed by the id of no request");
}

// As WordPress' cron, on a route where calls wait, whatever they name.
Task<> calls_for_later(Site& site, Held& self) {
    auto child = new_call(site);
    const auto id = co_await id_of(site.world, self.seq());
    auto call = call_with(site.world, site.world.chance(50) ? naming(id) : "");
    call.path = "/inside/later";
    const bool within = co_await send(site, *child, 0, call);
    expect_to_wait(site, std::move(child), within, "a call passed on a route where it waits");
}

Task<> calls_in_vain(Site& site, Held& self) {
    Client client(site.world, &site.application);
    const auto id = co_await id_of(site.world, self.seq());
    auto call = call_with(site.world, naming(id));
    call.path = "/inside/never";
    call.allowed = allow::own_call;
    (void)co_await client.exchange(call);
    (void)co_await counted(site, site.world.records.size(), 0);
}

Task<> does_something(Site& site, Held& self, int depth) {
    switch (site.world.random(depth == 0 ? 14 : 8)) {
        case 0:
            return calls_two(site, self, depth);
        case 1:
            return calls_and_leaves(site, self);
        case 2:
            return calls_by_half(site, self);
        case 3:
            return calls_by_old_id(site);
        case 4:
            return calls_for_later(site, self);
        case 5:
            return calls_in_vain(site, self);
        case 8:
        case 9:
        case 10:
            return calls_without_id(site, self);
        case 11:
            return calls_beside_another(site);
        case 12:
            return calls_without_id_from_within(site, self);
        default:
            return calls_one(site, self, depth);
    }
}

// Runs, calls, ends. A call that it leaves behind keeps the slot a while longer.
Task<> lives(Site& site, Held& self, int depth) {
    constexpr std::array<std::uint64_t, 4> busy{4, 3, 2, 1};
    World& world = site.world;
    std::unique_ptr<Held> behind;
    const auto calls = world.random(busy[static_cast<std::size_t>(depth)]);
    for (std::uint64_t i = 0; i < calls && world.complaints.empty(); ++i)
        co_await does_something(site, self, depth);
    if (depth < 3 && world.chance(30)) {
        behind = new_call(site);
        co_await send_named(site, *behind, self);
        co_await runs(site, *behind);
    }
    co_await self.finish();
    if (!behind) co_return;
    co_await dwell(world, 1000);
    co_await lives(site, *behind, depth + 1);
}

Task<> family(Site& site) {
    Held root(site.world);
    if (!co_await root.run(call_with(site.world, ""))) co_return;
    site.id = co_await id_of(site.world, root.seq());
    const auto own = site.id;
    may_leave(site.world, root, 20);
    co_await lives(site, root, 0);
    site.old = own;
}

Task<> families(Site& site, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count && site.world.complaints.empty(); ++i)
        co_await family(site);
}

void tell(const Site& site) {
    if (!site.world.settings.explain) return;
    std::fprintf(stderr,
                 "inside: %.0f calls, %.0f passed, %.0f waited; without an id %" PRIu64
                 " of %" PRIu64 " passed\n",
                 site.counted, site.passed, site.waited, site.guessed, site.unnamed);
}

Task<> inside(World& world) {
    constexpr std::uint64_t beside = 3;
    Site site(world);
    Crew crew;
    Crew strangers;
    co_await read_counters(site);
    const auto passed = site.passed;
    const auto waited = site.waited;
    site.id = site.old = "no-request-has-ever-had-this-id";
    for (std::uint64_t i = 0; i < beside; ++i) crew.add(families(site, world.some(150) / beside));
    for (int i = 0; i < 2; ++i) {
        strangers.add(loyal_while(world, call_of(Line::inside, 200), site.going));
        strangers.add(forges(site, nullptr, ""));
    }
    strangers.add(forges(site, &site.application, "Via: 1.1 front\r\n"));
    strangers.add(forges(site, &site.application, "X-Forwarded-For: 127.0.0.2\r\n"));
    strangers.add(leaves_now_and_then(site));
    co_await crew;
    co_await site.later;
    site.going = false;
    co_await strangers;
    co_await metric_falls_to(world, waiting, 0);
    co_await metric_falls_to(world, in_flight, 0);
    tell(site);
    world.expect(site.passed > passed && site.waited > waited, "no call passed, or none waited");
    world.expect(site.unnamed == 0 || site.guessed > 0, "no call passed without an id");
}

}  // namespace

std::span<const Scenario> inside_scenarios() {
    static constexpr std::array<Scenario, 1> all{{{"inside", Need::start, inside}}};
    return all;
}

}  // namespace loadtest
