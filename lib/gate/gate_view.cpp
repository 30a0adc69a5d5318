// The copies that a local gate makes of its line.
#include "gate/gate_view.hpp"

#include <algorithm>
#include <tuple>

#include "gate/local_gate.hpp"

namespace ticketgate {
namespace {

/// Tickets that a view has room for besides those that it saw when it took its memory.
constexpr std::size_t newcomers_of_a_view = 16;

Duration pause_left(Time until, Time now) {
    if (until <= now) return Duration{0};
    return until == until_resumed ? Duration::max() : until - now;
}

// A pause without an end says nothing about the wait.
std::uint32_t with_pause(std::uint32_t retry_after, Duration pause) {
    if (pause == Duration::max()) return retry_after;
    const auto whole = std::chrono::ceil<seconds>(pause).count();
    return static_cast<std::uint32_t>(std::min<std::int64_t>(retry_after + whole, 3600));
}

Duration with_pause(Duration wait, Duration pause) {
    return wait == Duration::max() ? wait : wait + pause;
}

}  // namespace

TicketView LocalGate::view_of(const queue::Ticket& ticket, Time now) {
    TicketView view{.number = ticket.number, .label = Pass::of(ticket).label()};
    view.inside_of = Pass::of(ticket).inside_of();
    view.blocked_by = ticket.blocked_by;
    view.holds = holds_slot(ticket.state);
    view.since = now - (view.holds ? ticket.granted : ticket.taken);
    view.ready = ticket.ready;
    view.sent = Pass::of(ticket).sent();
    view.client = Pass::of(ticket).client();
    view.end_unknown = Pass::of(ticket).end_unknown();
    return view;
}

// Allocates before it takes the lock that it copies under: room for the line that it has just
// seen and for those who come meanwhile, not for the longest line that a view may hold.
GateView LocalGate::view(std::size_t most) const {
    most = std::min(most, GateView::most);
    const auto [in_flight, inside, waiting] = [this] {
        const std::lock_guard lock(lock_);
        return std::tuple(queue_.in_flight(), count_inside(), queue_.waiting());
    }();
    const auto room_for = [most](std::size_t size) {
        return std::min(most, size + newcomers_of_a_view);
    };
    GateView view;
    view.in_flight.reserve(room_for(in_flight));
    view.inside.reserve(room_for(inside));
    view.waiting.reserve(room_for(waiting));
    const std::lock_guard lock(lock_);
    const Time now = monotonic_now();
    view.figures = figures_at(now);
    queue_.for_each_holder(view.in_flight.capacity(), [&](const queue::Ticket& one) {
        view.in_flight.push_back(view_of(one, now));
    });
    view_inside(queue_, now, view);
    queue_.for_each_waiting(view.waiting.capacity(), [&](const queue::Ticket& one) {
        view.waiting.push_back(view_of(one, now));
    });
    return view;
}

// Copies nothing but what it has found.
std::vector<FoundTicket> LocalGate::find(std::string_view request_id, std::size_t most) const {
    std::vector<FoundTicket> found;
    found.reserve(most);
    const std::lock_guard lock(lock_);
    const Time now = monotonic_now();
    const auto look = [&](const queue::Ticket& one, std::uint32_t ahead) {
        if (found.size() < most && Pass::of(one).label().request_id().starts_with(request_id))
            found.push_back({view_of(one, now), ahead});
    };
    const auto within = [&](const queue::Queue& line, const auto& self) -> void {
        line.for_each_holder(queue::unlimited, [&](const queue::Ticket& one) {
            look(one, 0);
            if (const auto& inner = Pass::of(one).within_) self(*inner, self);
        });
        std::uint32_t ahead = 0;
        line.for_each_waiting(queue::unlimited,
                              [&](const queue::Ticket& one) { look(one, ahead++); });
    };
    within(queue_, within);
    return found;
}

GateCounts LocalGate::counts() const {
    return metrics_.counts();
}

GateFigures LocalGate::figures() const {
    const std::lock_guard lock(lock_);
    return figures_at(monotonic_now());
}

GateFigures LocalGate::figures_at(Time now) const {
    const Duration pause = pause_left(paused_until_, now);
    const bool goes_on =
        pause != Duration::max() && (pause != Duration{0} || granted_until(now) > now);
    return {settings_,
            queue_.waiting(),
            queue_.in_flight(),
            count_inside(),
            queue_.oldest_wait(now),
            queue_.oldest_hold(now),
            queue_.stalled(now),
            queue_.ends_needed(),
            queue_.slot_seconds(now),
            with_pause(queue_.retry_after(now), pause),
            goes_on ? with_pause(queue_.newcomer_wait(now), pause) : Duration::max(),
            pause,
            until_ == queue::no_ticket,
            queue_.refuses_newcomers(now)};
}

}  // namespace ticketgate
