#include "simulation/plan.hpp"

#include <algorithm>

#include "simulation/random.hpp"

namespace ticketgate::sim {
namespace {

// A seed is calm or rough as a whole: a world where everything fails at once shows little.
struct Mood {
    unsigned faults, leaves, bodies, slow;
};

Duration up_to(Random& r, Duration most) {
    return Duration(
        static_cast<std::int64_t>(r.below(static_cast<std::uint64_t>(most.count()) + 1)));
}

Fate::Kind fault(Random& r) {
    using enum Fate::Kind;
    return r.one_of({dies_before_head, dies_in_head, dies_in_body, garbage_head, garbage_chunk,
                     dies_reading, odd_field});
}

Fate fate_of(Random& r, const Plan& plan, const Mood& mood, bool large) {
    Fate fate;
    if (r.chance(mood.faults)) fate.kind = fault(r);
    using enum Fate::Form;
    fate.form = r.one_of({length, length, chunked, chunked, until_close, no_content});
    fate.size = static_cast<std::uint32_t>(r.chance(80) ? r.below(100) : r.below(3000));
    if (large && r.chance(20)) fate.size = static_cast<std::uint32_t>(r.between(50'000, 300'000));
    if (r.chance(70)) fate.work = up_to(r, 30ms);
    if (r.chance(mood.slow)) fate.work = plan.response_timeout + up_to(r, 500ms);
    if (r.chance(20)) fate.pause = up_to(r, 10ms);
    if (r.chance(mood.slow / 2)) fate.pause = plan.response_timeout + up_to(r, 500ms);
    if (r.chance(70)) fate.runs_on = up_to(r, 50ms);
    fate.interim = r.chance(8);
    fate.early = r.chance(10);
    fate.takes_all = r.chance(50);
    if (r.chance(20)) fate.works_on = up_to(r, 40ms);
    fate.closes = r.chance(10);
    fate.closes_untold = r.chance(10);
    fate.resets = r.chance(50);
    return fate;
}

Ask ask_of(Random& r, const Plan& plan, const Mood& mood, bool large) {
    Ask ask;
    ask.route = r.one_of({"/a", "/a", "/a", "/b", "/c", "/free"});
    ask.method = r.chance(8) ? "HEAD" : "GET";
    if (r.chance(mood.bodies)) {
        ask.method = "POST";
        ask.body = r.chance(60) ? Ask::Body::length : Ask::Body::chunked;
        ask.size = static_cast<std::uint32_t>(r.chance(80) ? r.below(50) : r.below(2000));
        if (large && r.chance(20))
            ask.size = static_cast<std::uint32_t>(r.between(50'000, 300'000));
        ask.expects_continue = r.chance(20);
    }
    if (r.chance(8) && ask.body != Ask::Body::chunked) {
        ask.http_1_0 = ask.close = true;
        ask.expects_continue = false;
    }
    if (r.chance(5)) ask.close = true;
    ask.fate = fate_of(r, plan, mood, large);
    // To HEAD a head is a whole answer, whatever comes behind it.
    if (ask.method == "HEAD" && ask.fate.kind == Fate::Kind::garbage_chunk)
        ask.fate.kind = Fate::Kind::garbage_head;
    return ask;
}

Leave leave_of(Random& r) {
    Leave leave;
    leave.way = r.one_of({Leave::Way::fin, Leave::Way::rst, Leave::Way::rst, Leave::Way::half});
    using enum Leave::When;
    leave.when = r.one_of({sending, sent, other_ends, other_ends, running, reading});
    leave.count = static_cast<std::uint32_t>(
        leave.when == sending || leave.when == reading ? r.below(400) : r.below(4));
    if (r.chance(50)) leave.after = up_to(r, 20ms);
    return leave;
}

ClientPlan client_of(Random& r, const Plan& plan, const Mood& mood, bool large) {
    ClientPlan client;
    const std::uint64_t asks = r.one_of({1, 1, 2, 3, 5});
    // A client that sends `Connection: close` sends nothing after it.
    for (std::uint64_t i = 0; i < asks && (i == 0 || !client.asks.back().close); ++i)
        client.asks.push_back(ask_of(r, plan, mood, large));
    if (r.chance(60)) client.starts = up_to(r, r.chance(50) ? Duration(5ms) : Duration(200ms));
    client.pipelines = static_cast<std::uint32_t>(r.chance(30) ? r.between(2, 5) : 1);
    if (!large && r.chance(40)) client.piece = static_cast<std::uint32_t>(r.between(5, 300));
    client.capacity = large ? 65536u : r.one_of({100u, 1000u, 65536u, 65536u});
    if (r.chance(40)) client.pause = up_to(r, 2ms);
    if (r.chance(mood.slow)) client.stall = 1s;
    if (r.chance(mood.leaves)) client.leave = leave_of(r);
    return client;
}

QueuePlan queue_of(Random& r) {
    QueuePlan queue;
    queue.limits.max_in_flight = r.one_of({1u, 1u, 1u, 1u, 2u, 3u});
    if (r.chance(20)) queue.limits.order = queue::Order::arrival;
    if (r.chance(15)) queue.hold_timeout = r.one_of({20ms, 200ms, 1000ms});
    if (r.chance(50)) queue.on_hold_timeout = OnHoldTimeout::release;
    return queue;
}

void choose_limits(Random& r, Plan& plan) {
    plan.wait_timeout = r.one_of({milliseconds(60s), milliseconds(60s), 100ms, 500ms, never});
    plan.response_timeout = r.one_of({milliseconds(60s), 1000ms, 400ms});
    plan.connect_timeout = r.one_of({milliseconds(5s), 400ms});
    plan.body_timeout = r.one_of({milliseconds(30s), 500ms});
    plan.write_timeout = r.one_of({milliseconds(60s), 500ms});
    plan.idle_timeout = r.one_of({milliseconds(60s), 500ms});
    plan.max_waiting = r.one_of({1024u, 1024u, 1024u, 0u, 1u, 3u});
    plan.half_close_stays = r.chance(30);
    if (r.chance(20)) plan.response_spool_max = r.one_of({1u, 100u, 5000u});
    plan.hold_back_timeout = r.one_of({milliseconds(10s), 300ms});
    if (r.chance(50)) plan.gives_up = plan.hold_back_timeout + 1s;
    if (r.chance(10)) plan.max_requests = static_cast<std::uint32_t>(r.between(1, 3));
    if (!r.chance(6)) return;
    plan.small_spool = true;  // bodies go to real files: few seeds, and little is spooled
    plan.spool_memory = r.one_of({0u, 16u, 500u});
    plan.spool_max_memory = r.one_of({0u, 1000u, 100'000u});
    plan.spool_disk = r.one_of({0u, 100u, 3000u, 1'000'000u});
}

void choose_acts(Random& r, Plan& plan) {
    for (std::uint64_t i = r.chance(30) ? r.between(1, 4) : 0; i > 0; --i)
        plan.acts.push_back({Act::Kind::reload, up_to(r, 100ms)});
    if (r.chance(8)) plan.acts.push_back({Act::Kind::release, up_to(r, 100ms)});
    if (r.chance(8)) plan.acts.push_back({Act::Kind::drain, up_to(r, 150ms)});
    if (r.chance(8)) plan.acts.push_back({Act::Kind::stop, up_to(r, 200ms)});
    for (std::uint64_t i = r.chance(10) ? r.between(1, 3) : 0; i > 0; --i)
        plan.acts.push_back({Act::Kind::step_clock, up_to(r, 100ms)});
}

// ── FastCGI ──

void befall(Random& r, const Plan& plan, const Mood& mood, bool works_on, Ask& ask) {
    Fate& fate = ask.fate;
    using enum Fate::Kind;
    if (fate.kind != answers && r.chance(40)) fate.kind = r.one_of({wrong_id, no_end, overloaded});
    if (r.chance(40)) fate.lingers = up_to(r, 30ms);
    if (r.chance(mood.slow / 2)) fate.lingers = plan.response_timeout + up_to(r, 500ms);
    if (works_on && r.chance(50)) fate.works_on = up_to(r, r.chance(90) ? 60ms : 3000ms);
    if (r.chance(10)) fate.app_status = static_cast<std::uint32_t>(r.below(1000));
    fate.remarks = r.chance(15);
    fate.says_more = r.chance(15);
    fate.pads = r.chance(15);
    // Its first bytes do not show that it skips the queue.
    if (ask.method == "HEAD" && ask.route == "/a") ask.route = "/b";
}

// A body behind an answer that has none, or more of it than announced.
void say_more(Random r, Plan& plan) {
    for (ClientPlan& client : plan.clients)
        for (Ask& ask : client.asks) ask.fate.says_more = r.chance(15);
}

// Uses its own random source, so that older seeds still make the same worlds.
void choose_speech(Random r, Plan& plan, const Mood& mood) {
    if (r.chance(50)) return;
    const auto speech = [&] { return r.chance(50) ? Speech::fcgi : Speech::fcgi_kept; };
    plan.speaks.a = speech();
    if (r.chance(60)) {
        plan.speaks.b = plan.speaks.c = plan.speaks.free = plan.speaks.a;
    } else {
        plan.speaks.b = r.chance(30) ? Speech::http : speech();
        plan.speaks.c = r.chance(30) ? Speech::http : speech();
        plan.speaks.free = r.chance(30) ? Speech::http : speech();
    }
    plan.a.worker_idle = plan.speaks.b != Speech::http && r.chance(30);
    plan.c.worker_idle = plan.speaks.c != Speech::http && r.chance(30);
    plan.status_fails = r.one_of({0u, 0u, 10u, 50u});
    for (ClientPlan& client : plan.clients)
        for (Ask& ask : client.asks) {
            const bool of_a = ask.route == "/a" || ask.route == "/b";
            befall(r, plan, mood, of_a ? plan.a.worker_idle : plan.c.worker_idle, ask);
        }
}

// Each pause is followed by a resume, so that every world comes to its end.
void choose_pauses(Random r, Plan& plan) {
    for (std::uint64_t i = r.chance(15) ? r.between(1, 3) : 0; i > 0; --i) {
        const Duration at = up_to(r, 100ms);
        plan.acts.push_back({Act::Kind::pause, at});
        plan.acts.push_back({Act::Kind::resume, at + up_to(r, 100ms)});
    }
}

// The network between is lost while a script works.
void lose_network(Random r, Plan& plan) {
    for (ClientPlan& client : plan.clients)
        for (Ask& ask : client.asks)
            if (ask.fate.kind == Fate::Kind::garbage_head && r.chance(50))
                ask.fate.kind = Fate::Kind::unheard;
}

// Writes fail here, for a reason that nobody knows.
void seal_connections(Random r, Plan& plan) {
    if (!r.chance(20)) return;
    for (ClientPlan& client : plan.clients)
        for (Ask& ask : client.asks) ask.fate.sealed = r.chance(30);
}

// Scripts that call their own site; also calls that make calls. Each has the patience of a script.
void choose_calls(Random r, Plan& plan) {
    if (!r.chance(25)) return;
    using enum config::InsideCalls;
    plan.inside_calls = r.one_of({pass_any, pass_any, pass, wait, accept, refuse});
    std::uint64_t asks = 0;
    for (const ClientPlan& client : plan.clients) asks += client.asks.size();
    const Mood calm{0, 0, 20, 0};
    for (std::uint64_t i = r.between(1, 4); i > 0; --i) {
        ClientPlan call;
        call.asks = {ask_of(r, plan, calm, false)};
        Ask& ask = call.asks[0];
        // Over FastCGI its first bytes do not show that it skips the queue.
        if (ask.method == "HEAD" && ask.route == "/a") ask.route = "/b";
        call.of = r.between(1, asks++);
        call.names_caller = r.chance(60);
        call.awaited = r.chance(75);
        if (r.chance(50)) call.starts = up_to(r, 10ms);
        if (r.chance(30)) call.piece = static_cast<std::uint32_t>(r.between(5, 300));
        call.leave = {r.one_of({Leave::Way::fin, Leave::Way::fin, Leave::Way::rst}),
                      Leave::When::sent, 0, up_to(r, 150ms)};
        plan.clients.push_back(std::move(call));
    }
}

}  // namespace

bool Plan::has_calls() const {
    return std::ranges::any_of(clients, [](const ClientPlan& client) { return client.of != 0; });
}

Plan plan_of(std::uint64_t seed, std::uint32_t threads) {
    Random r(seed);
    Plan plan;
    plan.threads = threads != 0 ? threads : r.one_of({1u, 1u, 2u, 3u});
    const Mood mood{r.one_of({0u, 0u, 10u, 30u}), r.one_of({0u, 20u, 50u}),
                    r.one_of({0u, 20u, 70u}), r.one_of({0u, 0u, 0u, 10u})};
    const bool large = r.chance(3);
    plan.a = queue_of(r);
    plan.c = queue_of(r);
    choose_limits(r, plan);
    choose_acts(r, plan);
    plan.refuses = plan.connects_late = mood.faults / 5;
    plan.closes_idle = r.one_of({0u, 10u, 50u});
    plan.tells_timeout = r.one_of({0u, 20u});
    plan.backend_capacity = large ? 65536u : r.one_of({200u, 3000u, 65536u});
    if (!large && r.chance(40)) plan.backend_piece = static_cast<std::uint32_t>(r.between(3, 300));
    plan.resumes = r.one_of({1, 1, 3, 512});
    plan.interrupts = r.one_of({0u, 5u, 30u, 80u});
    if (r.chance(8)) plan.releases = r.one_of({2u, 20u});
    plan.delays = r.one_of({0u, 2u, 2u, 20u});
    plan.uneven = r.chance(50);
    for (std::uint64_t i = r.between(2, 8); i > 0; --i)
        plan.clients.push_back(client_of(r, plan, mood, large));
    say_more(Random(seed ^ 0x204), plan);
    choose_speech(Random(seed ^ 0xfc91), plan, mood);
    lose_network(Random(seed ^ 0x105e), plan);
    seal_connections(Random(seed ^ 0x5ea1), plan);
    choose_pauses(Random(seed ^ 0x9a05e), plan);
    choose_calls(Random(seed ^ 0x1517de), plan);
    plan.proven = !Random(seed ^ 0x9407e).chance(10);
    return plan;
}

bool Plan::bodiless() const {
    return std::ranges::all_of(clients, [](const ClientPlan& client) {
        return std::ranges::all_of(client.asks,
                                   [](const Ask& ask) { return ask.body == Ask::Body::none; });
    });
}

}  // namespace ticketgate::sim
