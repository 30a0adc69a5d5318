// Scripts that call their own site (CONTRACT 10). In each, what may be taken for the caller of a
// call without an id happens at the very moment of the call.
#include "simulation/scenarios.hpp"

namespace ticketgate::sim {
namespace {

Ask get(const std::string& route, Duration work) {
    Ask ask;
    ask.route = route;
    ask.fate.work = work;
    ask.fate.size = 60;
    return ask;
}

ClientPlan client(Ask ask, Duration starts = Duration{}) {
    ClientPlan plan;
    plan.asks = {std::move(ask)};
    plan.starts = starts;
    return plan;
}

// Made by the script of this request, so long after its begin.
ClientPlan call(std::uint64_t of, Ask ask, Duration after, bool awaited) {
    ClientPlan plan = client(std::move(ask), after);
    plan.of = of;
    plan.awaited = awaited;
    plan.leave = {Leave::Way::fin, Leave::When::sent, 0, 150ms};
    return plan;
}

Plan plan_with(std::vector<ClientPlan> clients) {
    Plan plan;
    plan.clients = std::move(clients);
    plan.delays = 0;
    plan.inside_calls = config::InsideCalls::pass_any;
    return plan;
}

// Its caller ends, and the next in line begins.
Plan left_behind() {
    return plan_with({client(get("/a", 5ms)), client(get("/a", 20ms), 1ms),
                      client(get("/b", 5ms), 2ms), call(1, get("/a", 5ms), 5ms, false)});
}

// Its caller ends while another call still runs within its hold.
Plan left_behind_within() {
    return plan_with({client(get("/a", 5ms)), client(get("/a", 5ms), 2ms),
                      call(1, get("/b", 20ms), 1ms, false), call(1, get("/a", 5ms), 5ms, false)});
}

// Its caller, which is not queued, ends while another request holds the slot.
Plan of_an_unqueued_request() {
    return plan_with({client(get("/a", 30ms)), client(get("/free", 5ms), 1ms),
                      client(get("/a", 5ms), 2ms), call(2, get("/a", 5ms), 5ms, false)});
}

// The same, and another queue's last request has ended long before.
Plan of_an_unqueued_request_later() {
    Plan plan = of_an_unqueued_request();
    plan.clients.insert(plan.clients.begin() + 3, client(get("/c", 1ms)));
    return plan;
}

// Its caller, which is not queued, runs on though its client has left.
Plan of_an_orphan() {
    Plan plan = of_an_unqueued_request();
    plan.clients[1].asks[0].fate.work = 15ms;
    plan.clients[1].leave = {Leave::Way::rst, Leave::When::running, 0, 1ms};
    return plan;
}

// Only a reload sets clients.inside, and requests that began before it may call, too. The sweep
// reloads at each step.
Plan by_reload(Plan plan) {
    plan.inside_by_reload = true;
    return plan;
}

// Its caller ends before its upload does, and a moment later it is cut.
Plan slow_upload() {
    Plan plan = plan_with({client(get("/a", 10ms)), client(get("/a", 20ms), 1ms),
                           call(1, get("/b", 10ms), 1ms, false)});
    ClientPlan& uploading = plan.clients.back();
    uploading.asks[0].method = "POST";
    uploading.asks[0].body = Ask::Body::length;
    uploading.asks[0].size = 200;
    uploading.names_caller = true;
    uploading.piece = 100;
    uploading.pause = 4ms;
    return plan;
}

// As WordPress starts its cron: it does not wait for the answer.
Plan hung_up() {
    Plan plan = plan_with({client(get("/a", 20ms)), client(get("/a", 5ms), 1ms),
                           call(1, get("/b", 5ms), 2ms, false)});
    plan.clients.back().names_caller = true;
    plan.clients.back().leave.after = Duration{};
    return plan;
}

// Two slots: the call of one caller runs on beside the other, and the next in line begins.
Plan beside_a_stranger() {
    Plan plan = plan_with({client(get("/a", 10ms)), client(get("/b", 40ms), 1ms),
                           client(get("/a", 5ms), 2ms), call(1, get("/b", 30ms), 5ms, false)});
    plan.a.limits.max_in_flight = 2;
    return plan;
}

// Two calls beside each other, of which one calls in turn, and strangers in line.
Plan family(bool named) {
    Plan plan = plan_with({client(get("/a", 5ms)), client(get("/a", 5ms), 1ms),
                           client(get("/b", 5ms), 2ms), call(1, get("/a", 5ms), 1ms, true),
                           call(1, get("/b", 5ms), 2ms, true), call(4, get("/a", 5ms), 1ms, true)});
    for (ClientPlan& each : plan.clients) each.names_caller = named && each.of != 0;
    return plan;
}

}  // namespace

std::vector<Scenario> inside_scenarios() {
    Plan waits = family(true), refused = family(true), opens = family(true);
    waits.inside_calls = config::InsideCalls::wait;
    refused.inside_calls = config::InsideCalls::refuse;
    auto accepted = waits;
    accepted.inside_calls = config::InsideCalls::accept;
    Plan unproved = left_behind(), proved = family(true);
    unproved.inside_calls = proved.inside_calls = config::InsideCalls::pass;
    opens.a.hold_timeout = 8ms;
    opens.a.on_hold_timeout = OnHoldTimeout::release;
    opens.wait_timeout = never;  // a call that waits in a hold that was given away would for ever
    return {
        {"a call that its caller leaves behind", left_behind()},
        {"a call without an id, where only an id counts", unproved},
        {"calls with ids, where only an id counts", proved},
        {"a call of an unqueued request", of_an_unqueued_request()},
        {"a call of an unqueued request, later", of_an_unqueued_request_later()},
        {"a call of an orphan", of_an_orphan()},
        {"a call of an unqueued request, inside by a reload", by_reload(of_an_unqueued_request())},
        {"a call of an orphan, inside by a reload", by_reload(of_an_orphan())},
        {"a call that uploads slowly", slow_upload()},
        {"a call that waits for no answer", hung_up()},
        {"calls from inside", family(true)},
        {"calls from inside, without ids", family(false)},
        {"calls from inside wait", waits},
        {"calls from inside are accepted", accepted},
        {"calls from inside are refused", refused},
        {"calls from inside, hold_timeout: release", opens},
        {"a call that its caller leaves behind within its hold", left_behind_within()},
        {"a call beside a stranger", beside_a_stranger()},
    };
}

}  // namespace ticketgate::sim
