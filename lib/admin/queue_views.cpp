#include "admin/queue_views.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "admin/print_json.hpp"

namespace ticketgate::admin {
namespace {

namespace json = boost::json;

// null: until it is resumed.
json::value pause_left(const GateFigures& figures) {
    if (figures.pause_left == Duration::max()) return nullptr;
    return to_s(figures.pause_left);
}

json::object summary(const Gate& gate, const GateFigures& figures) {
    const queue::Limits& limits = figures.settings.limits;
    return {
        {"name", gate.name()},
        {"waiting", figures.waiting},
        {"in_flight", figures.in_flight},
        {"inside", figures.inside},
        {"max_in_flight", limits.max_in_flight},
        {"order", limits.order == queue::Order::ready ? "ready" : "arrival"},
        {"oldest_wait_seconds", to_s(figures.oldest_wait)},
        {"oldest_hold_seconds", to_s(figures.oldest_hold)},
        {"retry_after_seconds", figures.retry_after},
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

json::object ticket(const TicketView& view, const char* since) {
    return {
        {"number", view.number},
        {"request_id", view.label.request_id()},
        {"method", ascii(view.label.method())},
        {"target", ascii(view.label.target())},
        {"client_ip", ascii(view.label.client_ip())},
        {since, to_s(view.since)},
        {"blocked_by", view.blocked_by},
    };
}

}  // namespace

std::string all_queues(const GateRegistry& gates) {
    json::array list;
    gates.for_each([&](const Gate& gate) { list.push_back(summary(gate, gate.figures())); });
    return print_json(json::object{{"queues", std::move(list)}}) + "\n";
}

std::string one_queue(const Gate& gate, std::size_t most) {
    const GateView view = gate.view(most);
    json::array running, inside, waiting;
    for (const auto& one : view.in_flight) running.push_back(ticket(one, "held_seconds"));
    for (const auto& one : view.inside) {
        auto shown = ticket(one, one.holds ? "held_seconds" : "waited_seconds");
        shown["inside_of"] = one.inside_of;
        inside.push_back(std::move(shown));
    }
    for (const auto& one : view.waiting) {
        auto shown = ticket(one, "waited_seconds");
        shown["position"] = waiting.size();
        shown["ready"] = one.ready;
        waiting.push_back(std::move(shown));
    }
    auto whole = summary(gate, view.figures);
    whole["tickets"] =
        json::object{{"in_flight", std::move(running)},
                     {"inside", std::move(inside)},
                     {"waiting", std::move(waiting)},
                     {"waiting_not_shown", view.figures.waiting - view.waiting.size()},
                     {"in_flight_not_shown", view.figures.in_flight - view.in_flight.size()}};
    return print_json(whole) + "\n";
}

}  // namespace ticketgate::admin
