#include "app/old_requests.hpp"

#include <sstream>

#include "base/clock.hpp"

namespace ticketgate {
namespace {

WallTime before_now(Duration ago) {
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(ago).count();
    return {wall_now().unix_us - us};
}

}  // namespace

void OldRequests::tell() {
    gates_.for_each([this](const LocalGate& gate) { tell_of(gate); });
}

void OldRequests::tell_of(const LocalGate& gate) {
    const GateView view = gate.view(1);
    std::string text = gate.name();
    WallTime since;
    if (!view.in_flight.empty()) {
        const TicketView& oldest = view.in_flight.front();
        const auto& label = oldest.label;
        since = before_now(oldest.since);
        text.append(" ").append(std::to_string(oldest.number));
        for (const auto part : {label.request_id(), label.method(), label.target()})
            text.append(" ").append(part);
    }
    std::string& before = told_[gate.name()];
    if (before == text || (before.empty() && view.in_flight.empty())) return;
    send_({upgrade::Kind::oldest, static_cast<std::uint64_t>(since.unix_us), text});
    before = std::move(text);
}

// Without a request: the queue has none there any more.
void note_oldest(OldestRequests& known, const upgrade::Message& message) {
    std::istringstream words(message.text);
    std::string queue, method, target;
    admin::OldRequest request{.since = {static_cast<std::int64_t>(message.number)}};
    words >> queue >> request.number >> request.request_id >> method >> target;
    if (request.request_id.empty()) {
        known.erase(queue);
        return;
    }
    request.request = method + " " + target;
    known[queue] = std::move(request);
}

}  // namespace ticketgate
