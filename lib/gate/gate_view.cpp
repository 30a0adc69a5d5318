#include "gate/gate_view.hpp"

#include "gate/gate.hpp"
#include "log/record.hpp"

namespace ticketgate {
namespace {

TicketView view_of(const queue::Ticket& ticket, Duration since) {
    TicketView view;
    view.number = ticket.number;
    view.blocked_by = ticket.blocked_by;
    view.since = since;
    view.ready = ticket.ready;
    if (const Record* record = static_cast<const Pass&>(ticket).record()) {
        view.request_id = record->request_id.view();
        view.method = record->method;
        view.target = record->target;
        view.client_ip = record->client_ip;
    }
    return view;
}

}  // namespace

GateView Gate::view(std::size_t most) const {
    GateView view;
    const std::lock_guard lock(lock_);
    const Time now = monotonic_now();
    view.waiting_in_all = queue_.waiting();
    queue_.for_each_holder([&](const queue::Ticket& ticket) {
        view.in_flight.push_back(view_of(ticket, now - ticket.granted));
    });
    queue_.for_each_waiting([&](const queue::Ticket& ticket) {
        if (view.waiting.size() < most) view.waiting.push_back(view_of(ticket, now - ticket.taken));
    });
    return view;
}

}  // namespace ticketgate
