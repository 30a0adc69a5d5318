// Ends of answers that the backend's connection does not show by itself: the proxy has to ask.
#include "simulation/scenario_parts.hpp"
#include "simulation/scenarios.hpp"

namespace ticketgate::sim {

Plan garbage_whose_end_does_not_come() {
    using Kind = Fate::Kind;
    Ask garbage = with(get("/a", 1ms, Fate::Form::chunked), Kind::garbage_chunk, 20ms);
    garbage.fate.stays = true;
    Ask announced = garbage;
    announced.fate.closes = true;
    return plan_with(
        {client({announced, get("/a")}), client({garbage}, 1ms), client({get("/b")}, 2ms)});
}

// The connection is kept: its end would come late, or never.
Plan odd_fields() {
    using Kind = Fate::Kind;
    const Ask long_head = with(get("/a"), Kind::odd_field);
    Ask no_status = with(get("/b", 5ms, Fate::Form::chunked), Kind::odd_field);
    no_status.fate.size = 61;
    Ask odd_line = no_status;
    odd_line.fate.size = 62;
    odd_line.fate.pause = 20ms;
    return plan_with({client({long_head, get("/a")}), client({no_status, odd_line}, 1ms),
                      client({get("/a"), get("/a")}, 2ms)});
}

namespace {

// They announce the end of their connections and keep them, some while their scripts run on.
Plan ends_that_do_not_come() {
    Ask staying = get("/a"), working = get("/a"), closing = get("/a");
    staying.fate.stays = working.fate.stays = closing.fate.closes = true;
    working.fate.works_on = closing.fate.works_on = 1500ms;
    working.fate.writes_after = 1200ms;
    return plan_with({client({staying, get("/a")}), client({working}, 1ms), client({closing}, 2ms),
                      client({staying}, 3ms)});
}

Plan heads_whose_ends_do_not_come() {
    Ask staying = get("/a", 1ms, Fate::Form::no_content);
    staying.fate.stays = true;
    return plan_with({client({staying, get("/a")}), client({staying}, 1ms)});
}

// Its framing breaks as well, where the script runs on and a FIN would hide its end.
Plan garbage_that_runs_on() {
    using Kind = Fate::Kind;
    Ask garbage = with(get("/a", 1ms, Fate::Form::chunked), Kind::garbage_chunk, 1500ms);
    garbage.fate.stays = garbage.fate.leaves_at_fin = true;
    garbage.fate.writes_after = 1200ms;
    Plan plan = plan_with({client({garbage}), client({get("/a")}, 1ms)});
    plan.response_timeout = 1s;
    return plan;
}

// Bodies that come behind answers without one, over connections that others want.
Plan late_bytes() {
    Ask headless = get("/free", 1ms, Fate::Form::no_content);
    headless.fate.says_more = true;
    headless.fate.says_late = 5ms;
    Ask head = headless;
    head.method = "HEAD";
    const Ask next = get("/free", 20ms);
    return plan_with(
        {client({headless, next, next}), client({head, next, next}, 100ms), client({next}, 1ms)});
}

// Between its answers it closes a connection without a word.
Plan closes_untold() {
    Ask closing = get("/a"), free = get("/free");
    closing.fate.closes_untold = free.fate.closes_untold = true;
    const Ask upload = post("/a", Ask::Body::length, 40);
    const Ask free_upload = post("/free", Ask::Body::length, 40);
    Plan plan = plan_with({client({get("/a"), upload, closing, upload}),
                           client({get("/free"), free_upload, free, free_upload}, 1ms)});
    plan.proven = false;
    return plan;
}

}  // namespace

std::vector<Scenario> end_scenarios() {
    return {
        {"late bytes", late_bytes()},
        {"closes untold", closes_untold()},
        {"ends that do not come", ends_that_do_not_come()},
        {"heads whose ends do not come", heads_whose_ends_do_not_come()},
        {"garbage whose end does not come", garbage_whose_end_does_not_come()},
        {"garbage that runs on", garbage_that_runs_on()},
    };
}

}  // namespace ticketgate::sim
