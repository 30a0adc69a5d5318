#include "simulation/scenarios.hpp"

#include "simulation/scenario_parts.hpp"

namespace ticketgate::sim {
namespace {

Plan pipelined() {
    Plan plan = plan_with({client({get("/a"), get("/free"), get("/a")}), client({get("/b")})});
    plan.clients[0].pipelines = 3;
    return plan;
}

Plan slow_reader() {
    Ask large = get("/a", 1ms, Fate::Form::chunked);
    large.fate.size = 900;
    Plan plan = plan_with({client({large}, Duration{}, 90), client({get("/a")})});
    plan.clients[0].capacity = 100;
    plan.clients[0].pause = 1ms;
    return plan;
}

// Its client stops to read for longer than a server between waits.
Plan stuck_reader() {
    Plan plan = slow_reader();
    plan.clients[0].piece = 10;
    plan.clients[0].stall = 60s;
    plan.response_spool_max = 100;
    plan.backend_capacity = 100;
    plan.gives_up = 11s;
    plan.wait_timeout = never;
    return plan;
}

Plan slow_unqueued_reader() {
    Plan plan = slow_reader();
    plan.clients[0].asks[0].route = "/free";
    plan.response_spool_max = 100;
    return plan;
}

// Reads on, too slowly to make room in its system's buffer within write_timeout.
Plan steady_reader(const char* route) {
    Plan plan = slow_reader();
    plan.clients[0].asks[0].route = route;
    plan.clients[0].piece = 5;
    plan.clients[0].pause = 20ms;
    plan.write_timeout = 50ms;
    return plan;
}

Plan silent_backend() {
    Plan plan = plan_with({client({get("/a", 700ms)}), client({get("/a")}, 1ms)});
    plan.response_timeout = 400ms;
    return plan;
}

// The answer comes in the moment of response_timeout.
Plan just_too_late() {
    Plan plan = plan_with({client({get("/a", 400ms)}), client({get("/a")}, 1ms)});
    plan.response_timeout = 400ms;
    return plan;
}

Plan held_too_long(OnHoldTimeout then) {
    Plan plan = plan_with(
        {client({get("/a", 50ms)}), client({get("/a", 50ms)}, 1ms), client({get("/a")}, 2ms)});
    plan.a.hold_timeout = 20ms;
    plan.a.on_hold_timeout = then;
    return plan;
}

// A 204, and the script writes more while it works on.
Plan scripts_write_on() {
    Ask headless = get("/a", 1ms, Fate::Form::no_content);
    headless.fate.works_on = 20ms;
    headless.fate.writes_after = 5ms;
    return plan_with({client({headless}), client({get("/a")}, 1ms)});
}

// Its slot is given away while it works, and the script runs on behind its answer: no other
// request may come to its connection.
Plan given_away_and_runs_on() {
    Ask headless = get("/a", 10ms, Fate::Form::no_content);
    headless.fate.works_on = 100ms;
    Plan plan = plan_with({client({headless}), client({get("/a")}, 50ms)});
    plan.a.hold_timeout = 5ms;
    plan.a.on_hold_timeout = OnHoldTimeout::release;
    return plan;
}

Plan waits_too_long() {
    Plan plan = plan_with({client({get("/a", 300ms)}), client({get("/a"), get("/a")}, 1ms),
                           client({post("/a", Ask::Body::length, 40)}, 2ms, 30)});
    plan.wait_timeout = 100ms;
    return plan;
}

Plan full_line() {
    Plan plan = plan_with(
        {client({get("/a", 20ms)}), client({get("/a")}, 1ms), client({get("/a"), get("/a")}, 2ms)});
    plan.clients[2].pipelines = 2;
    plan.max_waiting = 1;
    return plan;
}

Plan paused() {
    Plan plan = plan_with({client({get("/a", 5ms)}), client({get("/a"), get("/a")}, 1ms),
                           client({post("/a", Ask::Body::length, 40)}, 2ms, 30)});
    plan.acts = {{Act::Kind::pause, 2ms}, {Act::Kind::resume, 20ms}};
    return plan;
}

Plan half_closers(bool stay) {
    Plan plan = plan_with({client({get("/a", 10ms)}), client({get("/a")}, 1ms)});
    plan.clients[1].leave = {Leave::Way::half, Leave::When::sent, 0, 1ms};
    plan.half_close_stays = stay;
    return plan;
}

Plan arrival_order() {
    Plan plan = plan_with({client({post("/a", Ask::Body::length, 100)}, Duration{}, 40),
                           client({get("/a")}, 1ms), client({get("/a")}, 2ms)});
    plan.clients[0].pause = 2ms;
    plan.a.limits.order = queue::Order::arrival;
    return plan;
}

Plan two_at_a_time() {
    Plan plan = plan_with(
        {client({get("/a")}), client({get("/a")}), client({get("/b")}), client({get("/c")})});
    plan.a.limits.max_in_flight = 2;
    return plan;
}

Plan small_spool() {
    Plan plan =
        plan_with({client({post("/a", Ask::Body::length, 3000), get("/a")}),
                   client({get("/a", 1ms, Fate::Form::chunked), get("/a")}, Duration{}, 50)});
    plan.clients[1].capacity = 100;
    plan.small_spool = true;
    plan.spool_memory = plan.spool_max_memory = plan.spool_disk = 0;
    return plan;
}

Plan on_disk() {
    Plan plan = plan_with({client({post("/a", Ask::Body::length, 20'000), get("/a")}),
                           client({post("/a", Ask::Body::chunked, 20'000)}, 1ms),
                           client({post("/free", Ask::Body::length, 20'000)}, 1ms)});
    plan.spool_memory = 0;
    return plan;
}

Plan broken_backend() {
    using Kind = Fate::Kind;
    return plan_with({client({with(get("/a"), Kind::garbage_head, 20ms), get("/a")}),
                      client({with(get("/a"), Kind::garbage_chunk, 20ms), get("/a")}, 1ms),
                      client({with(get("/a"), Kind::dies_in_body), get("/a")}, 2ms)});
}

// Over a connection that is new, over a kept one, and in the midst of an upload.
Plan lost_network() {
    using Kind = Fate::Kind;
    Plan plan = plan_with(
        {client({get("/a"), with(get("/a"), Kind::unheard, 20ms), get("/a")}),
         client({with(get("/b"), Kind::unheard, 20ms), get("/a")}, 1ms),
         client({with(post("/free", Ask::Body::length, 3000), Kind::unheard), get("/a")}, 2ms)});
    plan.backend_capacity = 500;
    return plan;
}

Plan old_connections() {
    Plan plan =
        plan_with({client({get("/a"), get("/a"), post("/a", Ask::Body::length, 30), get("/a")}),
                   client({get("/free"), get("/free")}, 3ms)});
    plan.clients[0].pause = 1ms;
    return plan;
}

// ── each of these once showed a bug ──

// A refusal that must wait for room, with requests of its own and of others behind it.
Plan refused_and_pipelined() {
    Plan plan = plan_with({client({get("/a", 20ms)})});
    for (const auto starts : {1ms, 2ms, 3ms}) {
        plan.clients.push_back(client({get("/a"), get("/free"), get("/b")}, starts, 70));
        plan.clients.back().pipelines = 3;
        plan.clients.back().capacity = 100;
    }
    plan.max_waiting = 0;
    return plan;
}

Plan reset_while_uploading() {
    Plan plan = tight_upload("/free");
    for (ClientPlan& client : plan.clients) {
        Fate& fate = client.asks[0].fate;
        fate = {.kind = Fate::Kind::dies_in_body, .form = Fate::Form::until_close};
        fate.early = fate.resets = true;
    }
    return plan;
}

// The backend is slow to connect; the uploading client must not be blamed.
Plan late_connection() {
    Plan plan = plan_with({client({post("/free", Ask::Body::length, 300'000)})});
    plan.body_timeout = 500ms;
    plan.connects_late = 100;
    return plan;
}

// The first one of those that wait for room tries again and again, for a while.
Plan full_backlog() {
    const ClientPlan each = client({get("/free"), get("/a")});
    Plan plan = plan_with({each, each, each, each});
    plan.no_room = 70;
    return plan;
}

// The first one in the line to connect uploads a byte now and then.
Plan full_backlog_and_upload() {
    Plan plan = plan_with({client({post("/free", Ask::Body::length, 100)}),
                           client({get("/free")}, 230ms), client({get("/a")}, 230ms)});
    plan.clients[0].piece = 1;
    plan.clients[0].drips = 4ms;  // its head takes some 220 ms
    plan.room_after = 250ms;
    plan.connect_timeout = 150ms;
    return plan;
}

// A part of "100 Continue" is taken, and then the upload is refused.
Plan interim_in_part() {
    Plan plan =
        plan_with({client({get("/free"), post("/a", Ask::Body::length, 50, true)}, Duration{}, 90),
                   client({get("/a", 5s)})});
    plan.clients[0].pipelines = 2;
    plan.clients[0].capacity = 20;
    plan.clients[0].pause = 1ms;
    plan.wait_timeout = 100ms;
    return plan;
}

// ── answers that end before the work does ──

// A 204, and answers that announce the end of their connection: the scripts run on behind them.
Plan scripts_run_on() {
    Ask headless = get("/a", 1ms, Fate::Form::no_content), closing = get("/a");
    headless.fate.works_on = closing.fate.works_on = 10ms;
    closing.fate.closes = true;
    return plan_with({client({headless, get("/a")}), client({closing}, 1ms),
                      client({headless}, 2ms), client({get("/b")}, 3ms)});
}

// Their bodies take time; HEAD requests are answered long before.
Plan heads_in_line() {
    Ask head = get("/b", 1ms, Fate::Form::chunked);
    head.method = "HEAD";
    head.fate.size = 300;
    head.fate.pause = 20ms;
    Ask short_head = head;
    short_head.fate.form = Fate::Form::length;
    Plan plan = plan_with({client({head, get("/b")}), client({short_head}, 1ms),
                           client({get("/b")}, 2ms), client({head}, 3ms)});
    plan.clients[0].pipelines = 2;
    return plan;
}

// ── the same over FastCGI, and what only FastCGI has ──

Plan spoken(Speech speech, Plan plan) {
    plan.speaks = {speech, speech, speech, speech};
    return plan;
}

Ask late(const std::string& route, Duration lingers, Fate::Form form = Fate::Form::length) {
    Ask ask = get(route, 1ms, form);
    ask.fate.lingers = lingers;
    return ask;
}

// The client has its whole answer long before END_REQUEST, and the next must wait for that.
Plan late_ends() {
    Plan plan =
        plan_with({client({late("/a", 20ms), late("/a", 5ms)}),
                   client({late("/a", 10ms, Fate::Form::chunked)}, 1ms), client({get("/b")}, 2ms)});
    plan.clients[0].pipelines = 2;
    return spoken(Speech::fcgi, plan);
}

Plan broken_records() {
    using Kind = Fate::Kind;
    return plan_with(
        {client({with(get("/a"), Kind::wrong_id, 20ms), with(get("/a"), Kind::overloaded)}),
         client({with(get("/a"), Kind::no_end, 20ms), get("/a")}, 1ms),
         client({with(get("/a", 1ms, Fate::Form::chunked), Kind::no_end, 5ms), get("/a")}, 2ms)});
}

// Padding that comes late, an error stream, more than was announced.
Plan talkative() {
    Plan plan =
        plan_with({client({get("/a"), post("/a", Ask::Body::length, 30)}), client({get("/b")})});
    for (ClientPlan& each : plan.clients)
        for (Ask& ask : each.asks) {
            ask.fate.pads = ask.fate.remarks = ask.fate.says_more = true;
            ask.fate.app_status = 255;
        }
    plan.backend_piece = 150;
    return spoken(Speech::fcgi_kept, plan);
}

// fastcgi_finish_request(): the slot is kept while the worker works on; at times php-fpm's status
// cannot be read.
Plan workers_work_on(unsigned status_fails) {
    Plan plan = plan_with({client({get("/a")}), client({get("/a")}, 1ms),
                           client({post("/b", Ask::Body::length, 40)}, 2ms)});
    for (ClientPlan& each : plan.clients) each.asks[0].fate.works_on = 5ms;
    plan.a.worker_idle = true;
    plan.status_fails = status_fails;
    return spoken(Speech::fcgi, plan);
}

std::vector<Scenario> fcgi_scenarios() {
    const auto length = Ask::Body::length;
    const Speech fcgi = Speech::fcgi, kept = Speech::fcgi_kept;
    return {
        {"FastCGI: three in line",
         spoken(fcgi, plan_with({client({get("/a")}), client({get("/a")}), client({get("/b")})}))},
        {"FastCGI: an upload in line",
         spoken(kept,
                plan_with({client({get("/a")}), client({post("/a", length, 100)}, Duration{}, 60),
                           client({get("/a")}, 1ms)}))},
        {"FastCGI: tight upload, unqueued", spoken(fcgi, tight_upload("/free"))},
        {"FastCGI: early answers", spoken(kept, early_answers("/a"))},
        {"FastCGI: early answers, unqueued", spoken(fcgi, early_answers("/free"))},
        {"FastCGI: odd fields", spoken(kept, odd_fields())},
        {"FastCGI: slow reader", spoken(fcgi, slow_reader())},
        {"FastCGI: silent backend", spoken(fcgi, silent_backend())},
        {"FastCGI: hold_timeout: release", spoken(fcgi, held_too_long(OnHoldTimeout::release))},
        {"FastCGI: broken backend", spoken(fcgi, broken_backend())},
        {"FastCGI: reset while uploading", spoken(kept, reset_while_uploading())},
        {"FastCGI: old connections", spoken(kept, old_connections())},
        {"FastCGI: late ends", late_ends()},
        {"FastCGI: broken records", spoken(fcgi, broken_records())},
        {"FastCGI: broken records, kept", spoken(kept, broken_records())},
        {"FastCGI: garbage, kept", spoken(kept, garbage_whose_end_does_not_come())},
        {"FastCGI: talkative", talkative()},
        {"release: worker_idle", workers_work_on(0)},
        {"release: worker_idle, a failing status", workers_work_on(50)},
    };
}

}  // namespace

std::vector<Scenario> scenarios() {
    const auto length = Ask::Body::length, chunked = Ask::Body::chunked;
    std::vector<Scenario> all{
        {"three in line",
         plan_with({client({get("/a")}), client({get("/a")}), client({get("/b")})})},
        {"an upload in line",
         plan_with({client({get("/a")}), client({post("/a", length, 100)}, Duration{}, 60),
                    client({get("/a")}, 1ms)})},
        {"a chunked upload that asks first",
         plan_with({client({post("/a", chunked, 60, true)}), client({get("/a")})})},
        {"pipelined", pipelined()},
        {"slow reader", slow_reader()},
        {"slow reader, unqueued", slow_unqueued_reader()},
        {"steady reader", steady_reader("/a")},
        {"steady reader, unqueued", steady_reader("/free")},
        {"stuck reader", stuck_reader()},
        {"tight upload", tight_upload("/a")},
        {"tight upload, unqueued", tight_upload("/free")},
        {"silent backend", silent_backend()},
        {"just too late", just_too_late()},
        {"hold_timeout: keep", held_too_long(OnHoldTimeout::keep)},
        {"hold_timeout: release", held_too_long(OnHoldTimeout::release)},
        {"wait_timeout", waits_too_long()},
        {"full line", full_line()},
        {"paused", paused()},
        {"half close: stay", half_closers(true)},
        {"half close: leave", half_closers(false)},
        {"order: arrival", arrival_order()},
        {"two at a time", two_at_a_time()},
        {"small spool", small_spool()},
        {"bodies on disk", on_disk()},
        {"broken backend", broken_backend()},
        {"old connections", old_connections()},
        {"refused and pipelined", refused_and_pipelined()},
        {"reset while uploading", reset_while_uploading()},
        {"late connection", late_connection()},
        {"full backlog", full_backlog()},
        {"full backlog, upload", full_backlog_and_upload()},
        {"interim in part", interim_in_part()},
        {"scripts run on", scripts_run_on()},
        {"scripts write on", scripts_write_on()},
        {"scripts run on behind slots given away", given_away_and_runs_on()},
        {"heads in line", heads_in_line()},
        {"odd fields", odd_fields()},
        {"lost network", lost_network()},
        {"sealed connections", sealed_connections()},
    };
    for (Scenario& scenario : end_scenarios()) all.push_back(std::move(scenario));
    for (Scenario& scenario : early_scenarios()) all.push_back(std::move(scenario));
    for (Scenario& scenario : fcgi_scenarios()) all.push_back(std::move(scenario));
    for (Scenario& scenario : inside_scenarios()) all.push_back(std::move(scenario));
    return all;
}

}  // namespace ticketgate::sim
