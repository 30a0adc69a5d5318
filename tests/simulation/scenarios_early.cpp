// Answers that begin before the request ends.
#include "simulation/scenario_parts.hpp"
#include "simulation/scenarios.hpp"

namespace ticketgate::sim {

Plan tight_upload(const std::string& route) {
    Plan plan = plan_with({client({post(route, Ask::Body::length, 600)}, Duration{}, 150),
                           client({post(route, Ask::Body::chunked, 300)}, Duration{}, 150)});
    plan.backend_capacity = 200;
    plan.backend_piece = 120;
    return plan;
}

Plan early_answers(const std::string& route) {
    Plan plan = tight_upload(route);
    for (ClientPlan& each : plan.clients) {
        Fate& fate = each.asks[0].fate;
        fate.early = fate.takes_all = true;
        fate.size = 500;
        each.asks.push_back(get(route));
    }
    return plan;
}

Plan sealed_connections() {
    Plan plan = plan_with({client({get("/a"), post("/a", Ask::Body::length, 3000), get("/a")}),
                           client({post("/b", Ask::Body::chunked, 3000), get("/a")}, 1ms),
                           client({post("/free", Ask::Body::length, 3000), get("/a")}, 2ms)});
    for (ClientPlan& one : plan.clients)
        for (Ask& ask : one.asks) ask.fate.sealed = true;
    plan.clients[1].asks[0].fate.early = true;
    plan.backend_capacity = 500;
    plan.response_timeout = 1s;
    return plan;
}

namespace {

// Its client reads it before it sends a body, which takes longer than body_timeout.
Plan answer_read_first() {
    Ask ask = post("/free", Ask::Body::length, 600);
    ask.fate.early = true;
    ask.fate.size = 900;
    Plan plan = plan_with({client({ask}, Duration{}, 10), client({get("/a")})});
    plan.body_timeout = 500ms;
    plan.clients[0].reads_first = true;
    plan.clients[0].capacity = 100;
    plan.clients[0].pause = 20ms;
    return plan;
}

// The whole answer comes first, and all of the request is read behind it: steadily, but for longer
// than response_timeout.
Plan whole_answers_first(const std::string& route) {
    Plan plan = tight_upload(route);
    plan.response_timeout = 400ms;
    // More than the connection holds, so that the answer comes before the last byte is written. The
    // proxy cannot know whether bytes in the connection were read.
    plan.clients[0].asks[0].size = 1200;
    plan.clients[1].asks[0].size = 900;
    for (ClientPlan& each : plan.clients) {
        Fate& fate = each.asks[0].fate;
        fate.early = true;
        fate.reads_on = 150ms;
        each.asks.push_back(get(route));
    }
    return plan;
}

// The same, with requests that lie whole in the connection when the answer comes: nothing is left
// to write, and the backend has not read them.
Plan whole_answers_ahead_of_the_body() {
    Plan plan = whole_answers_first("/a");
    plan.backend_capacity = 4000;
    return plan;
}

// The same, with all of the request read before the proxy gets a turn, as when its thread could not
// run. Less than surely_seen could not be told from a request that was read before its answer.
Plan whole_answers_unseen() {
    Plan plan = whole_answers_first("/a");
    plan.backend_capacity = 200'000;
    for (ClientPlan& each : plan.clients) {
        each.piece = 1 << 20;
        each.asks[0].size = 70'000;
        each.asks[0].fate.gulps = true;
    }
    return plan;
}

}  // namespace

std::vector<Scenario> early_scenarios() {
    return {
        {"early answers", early_answers("/a")},
        {"early answers, unqueued", early_answers("/free")},
        {"early answer, read first", answer_read_first()},
        {"whole answers first", whole_answers_first("/a")},
        {"whole answers ahead of the body", whole_answers_ahead_of_the_body()},
        {"whole answers unseen", whole_answers_unseen()},
        {"whole answers first, unqueued", whole_answers_first("/free")},
    };
}

}  // namespace ticketgate::sim
