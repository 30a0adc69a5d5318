#include "admin/queue_views.hpp"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>

#include "admin/print_json.hpp"

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

constexpr std::array<const char*, 4> clients{"served", "slow", "gone", "timed_out"};  // by ClientIs

// null: until it is resumed.
json::value pause_left(const GateFigures& figures) {
    if (figures.pause_left == Duration::max()) return nullptr;
    return to_s(figures.pause_left);
}

// null: nobody knows.
json::value newcomer_wait(const GateFigures& figures) {
    if (figures.newcomer_wait == Duration::max()) return nullptr;
    return to_s(figures.newcomer_wait);
}

json::object summary(const Gate& gate, const GateFigures& figures) {
    const queue::Limits& limits = figures.settings.limits;
    return {
        {"name", gate.name()},
        {"waiting", figures.waiting},
        {"in_flight", figures.in_flight},
        {"inside", figures.inside},
        {"max_in_flight", limits.max_in_flight},
        {"ends_needed", figures.ends_needed},
        {"order", limits.order == queue::Order::ready ? "ready" : "arrival"},
        {"oldest_wait_seconds", to_s(figures.oldest_wait)},
        {"oldest_hold_seconds", to_s(figures.oldest_hold)},
        {"stalled_seconds", to_s(figures.stalled)},
        {"retry_after_seconds", figures.retry_after},
        {"newcomer_wait_seconds", newcomer_wait(figures)},
        {"refuses_newcomers", figures.refuses},
        {"paused", figures.paused()},
        {"pause_left_seconds", pause_left(figures)},
    };
}

// Replaces bytes that are not ASCII: the client chose them, and the JSON must stay valid UTF-8.
std::string ascii(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (static_cast<unsigned char>(c) >= 0x80) c = '?';
    return out;
}

json::object ticket(const TicketView& view) {
    json::object out{
        {"number", view.number},
        {"request_id", view.label.request_id()},
        {"method", ascii(view.label.method())},
        {"target", ascii(view.label.target())},
        {"client_ip", ascii(view.label.client_ip())},
        {view.holds ? "held_seconds" : "waited_seconds", to_s(view.since)},
        {"blocked_by", view.blocked_by},
    };
    if (view.inside_of != 0) out["inside_of"] = view.inside_of;
    if (view.holds && !view.sent) {
        out["not_sent"] = true;
        out["upstream"] = ascii(view.label.upstream());
    }
    if (view.holds && view.end_unknown) out["end_unknown"] = true;
    if (view.holds) out["client"] = clients[static_cast<std::size_t>(view.client)];
    return out;
}

json::array list_of(const std::vector<TicketView>& views, std::size_t most) {
    json::array list;
    for (std::size_t i = 0; i < std::min(views.size(), most); ++i) list.push_back(ticket(views[i]));
    return list;
}

json::array line_of(const std::vector<TicketView>& views, std::size_t most) {
    json::array list = list_of(views, most);
    for (std::size_t i = 0; i < list.size(); ++i) {
        list[i].as_object()["position"] = i;
        list[i].as_object()["ready"] = views[i].ready;
    }
    return list;
}

// null: nothing of the queue runs but what its summary counts.
void add_place(json::object& to, const Gate& gate, const Elsewhere& elsewhere) {
    const Place place = elsewhere ? elsewhere(gate.name()) : Place();
    to["elsewhere"] = nullptr;
    if (place.where.empty()) return;
    to["elsewhere"] = json::string_view(place.where.data(), place.where.size());
    if (place.pid != 0) to["old_process_pid"] = place.pid;
    if (place.oldest == nullptr) return;
    const OldRequest& oldest = *place.oldest;
    to["old_process_runs"] =
        json::object{{"number", oldest.number},
                     {"request_id", oldest.request_id},
                     {"request", ascii(oldest.request)},
                     {"held_seconds", seconds_between(oldest.since, wall_now())}};
}

// null: nobody, this replica, or the queue is not clustered.
json::value keeper(const Gate& gate) {
    const Whereabouts at = gate.where();
    if (at.where != Whereabouts::Where::peer || !at.keeper) return nullptr;
    return json::value(at.keeper->name + " (" + at.keeper->address + ")");
}

void add_keeper(json::object& to, const Gate& gate) {
    to["keeper"] = keeper(gate);
    to["keeper_refuses"] = !to["keeper"].is_null() && gate.notes.keeper_refuses;
}

json::object tickets(const GateView& view, Most most) {
    json::array running = list_of(view.in_flight, most.in_flight);
    json::array waiting = line_of(view.waiting, most.waiting);
    const auto not_shown = view.figures.waiting - waiting.size(),
               not_running = view.figures.in_flight - running.size();
    return {{"in_flight", std::move(running)},
            {"inside", list_of(view.inside, most.in_flight)},
            {"waiting", std::move(waiting)},
            {"waiting_not_shown", not_shown},
            {"in_flight_not_shown", not_running}};
}

}  // namespace

std::string all_queues(const GateRegistry& gates, const Elsewhere& elsewhere,
                       const std::string& spool_trouble) {
    json::array list;
    gates.for_each([&](const Gate& gate) {
        json::object one = summary(gate, gate.figures());
        add_place(one, gate, elsewhere);
        add_keeper(one, gate);
        list.push_back(std::move(one));
    });
    json::object out{{"queues", std::move(list)}};
    if (!spool_trouble.empty()) out["spool_trouble"] = spool_trouble;
    return print_json(out) + "\n";
}

std::string one_queue(const Gate& gate, std::size_t most, const Elsewhere& elsewhere) {
    const GateView view = gate.view(most);
    json::object out = summary(gate, view.figures);
    add_place(out, gate, elsewhere);
    add_keeper(out, gate);
    out["tickets"] = tickets(view, {most, most});
    return print_json(out) + "\n";
}

json::object queue_view(const Gate& gate, Most most, const Elsewhere& elsewhere) {
    const GateView view = gate.view(std::max(most.in_flight, most.waiting));
    json::object out = summary(gate, view.figures);
    add_place(out, gate, elsewhere);
    if (out["elsewhere"].is_null()) out.erase("elsewhere");
    if (gate.notes.keeper_refuses) add_keeper(out, gate);
    out["tickets"] = tickets(view, most);
    out["orphaned"] = gate.notes.orphaned.load(std::memory_order_relaxed);
    out["timed_out"] = gate.notes.timed_out.load(std::memory_order_relaxed);
    out["held_back"] = gate.notes.held_back.load(std::memory_order_relaxed);
    out["exclusion_violations"] = gate.counts().exclusion_violations;
    return out;
}

std::string find_tickets(const GateRegistry& gates, std::string_view request_id, std::size_t most) {
    json::array list;
    bool more = false;
    gates.for_each([&](const Gate& gate) {
        if (more) return;
        for (const FoundTicket& found : gate.find(request_id, most - list.size() + 1)) {
            if (list.size() == most) return void(more = true);
            json::object one = ticket(found.ticket);
            one["queue"] = gate.name();
            if (!found.ticket.holds) one["position"] = found.ahead;
            if (!found.ticket.holds) one["ready"] = found.ticket.ready;
            list.push_back(std::move(one));
        }
    });
    return print_json(json::object{{"tickets", std::move(list)}, {"more", more}}) + "\n";
}

}  // namespace ticketgate::admin
