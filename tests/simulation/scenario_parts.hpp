// What the scenarios are made of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "simulation/plan.hpp"

namespace ticketgate::sim {

inline Ask get(const std::string& route, Duration work = 5ms,
               Fate::Form form = Fate::Form::length) {
    Ask ask;
    ask.route = route;
    ask.fate.work = work;
    ask.fate.form = form;
    ask.fate.size = 60;
    return ask;
}

inline Ask post(const std::string& route, Ask::Body body, std::uint32_t size,
                bool expects = false) {
    Ask ask = get(route);
    ask.method = "POST";
    ask.body = body;
    ask.size = size;
    ask.expects_continue = expects;
    return ask;
}

inline Ask with(Ask ask, Fate::Kind kind, Duration runs_on = Duration{}) {
    ask.fate.kind = kind;
    ask.fate.runs_on = runs_on;
    return ask;
}

inline ClientPlan client(std::vector<Ask> asks, Duration starts = Duration{},
                         std::uint32_t piece = 1 << 20) {
    ClientPlan plan;
    plan.asks = std::move(asks);
    plan.starts = starts;
    plan.piece = piece;
    return plan;
}

inline Plan plan_with(std::vector<ClientPlan> clients) {
    Plan plan;
    plan.clients = std::move(clients);
    plan.delays = 0;
    return plan;
}

/// Uploads to a backend whose connection holds less than a request.
Plan tight_upload(const std::string& route);
/// The backend sends more than its connection holds before it reads the rest of the request, and
/// ends its answer only afterwards.
Plan early_answers(const std::string& route);
/// Uploads that cannot be sent on, over new connections and a kept one; one is answered meanwhile.
Plan sealed_connections();
/// The framing of their answers breaks, and they keep their connections, whether they announce the
/// end of it or not.
Plan garbage_whose_end_does_not_come();
/// Fields and status lines that must not be forwarded, in answers whose ends are certain.
Plan odd_fields();

}  // namespace ticketgate::sim
