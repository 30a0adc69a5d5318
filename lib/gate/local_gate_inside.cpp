// Calls from inside (CONTRACT 10): a request calls its own site while it holds a slot. The call
// runs within that hold, in a line of its own that has one slot. The slot of the caller is free
// when these calls are over as well.
#include "gate/local_gate.hpp"

namespace ticketgate {

using queue::State;

queue::Queue& LocalGate::line_of(Pass& pass) {
    return pass.parent_ ? *pass.parent_->within_ : queue_;
}

// Visits the innermost holds first: where ids are kept, a call has the request id of its caller.
template <class Is>
Pass* LocalGate::find_holder(queue::Queue& line, Is is) {
    Pass* found = nullptr;
    const auto visit = [&](queue::Ticket& ticket) {
        Pass& pass = Pass::of(ticket);
        if (found == nullptr && pass.within_) found = find_holder(*pass.within_, is);
        if (found == nullptr && is(pass)) found = &pass;
    };
    line.each_holder(visit);
    return found;
}

Pass* LocalGate::holder(std::uint64_t number) {
    return find_holder(queue_, [number](const Pass& pass) { return pass.number() == number; });
}

Pass* LocalGate::running(std::string_view request_id) {
    return find_holder(queue_, [&](const Pass& pass) {
        return pass.runs() && pass.label().request_id() == request_id;
    });
}

bool LocalGate::runs(std::string_view request_id) {
    const std::lock_guard lock(lock_);
    return running(request_id) != nullptr;
}

Pass* LocalGate::caller_of(const CalledBy& by) {
    return by.request_id.empty() ? only_hold(by) : running(by.request_id);
}

// Without an id: since before the call came, the exchanges of one hold have been the only ones.
// Then no other request can have made it, not even one that has ended since. Which of that hold's
// did is not known; the outermost that runs counts, so that its calls run one after the other, if
// it ran when the call came and those around it were over by then. What the exchanges say is asked
// after they are counted here, so that one that begins or ends meanwhile is seen.
Pass* LocalGate::only_hold(const CalledBy& by) {
    std::uint32_t own = 0;
    Pass* outermost = nullptr;
    (void)find_holder(queue_, [&](Pass& pass) {
        if (pass.runs()) {
            ++own;
            outermost = &pass;
        }
        return false;
    });
    bool only = outermost != nullptr && queue_.in_flight() == 1 &&
                by.exchanges.under_way() == own && outermost->granted() <= by.arrived_after &&
                last_freed_ <= by.arrived_after &&
                by.exchanges.ended_elsewhere(*this) <= by.arrived_after;
    if (!only) return nullptr;
    for (const Pass* up = outermost->parent_.get(); up != nullptr; up = up->parent_.get())
        only = only && up->over_at_ <= by.arrived_after;
    return only ? outermost : nullptr;
}

bool LocalGate::has_room_within(const Pass& caller) const {
    std::uint32_t depth = 1;
    for (const Pass* up = caller.parent_.get(); up != nullptr; up = up->parent_.get()) ++depth;
    const std::uint32_t beside =
        caller.within_ ? caller.within_->in_flight() + caller.within_->waiting() : 0;
    return depth <= settings_.max_inside && beside < settings_.max_inside;
}

// Takes the pass into the line within its caller's hold. `line`: memory for that line.
State LocalGate::enter_within(Pass& pass, const CalledBy& by, const queue::Queue::Entry& entry,
                              std::unique_ptr<queue::Queue>& line, Time now,
                              queue::Tickets& granted) {
    Pass* const parent = caller_of(by);
    if (parent == nullptr) return State::idle;
    if (!has_room_within(*parent)) return State::full;
    if (!parent->within_) parent->within_ = std::move(line);
    pass.parent_ = parent->shared_from_this();
    queue::Queue::Entry own = entry;
    own.max_waiting = queue::unlimited;
    return parent->within_->take(pass.ticket_, own, now, granted);
}

// Frees the slot of a request that is over, and of the callers around it that waited for this only.
void LocalGate::free_slots(Pass* pass, Time now, queue::Tickets& granted) {
    for (; pass != nullptr && pass->over(); pass = pass->parent_.get()) {
        const State before = pass->ticket_.state;
        if (before == State::left || (pass->within_ && !pass->within_->empty())) return;
        if (!pass->parent_) last_freed_ = now;
        (void)line_of(*pass).leave(pass->ticket_, now, granted);
        if (before == State::running && !pass->parent_)
            metrics_.hold.observe(to_s(now - pass->ticket_.granted));
    }
}

// The slot of their caller was given away: calls that run within it lose it too, and those that
// wait will never run.
void LocalGate::scatter(Pass& caller, Time now, queue::Tickets& granted) {
    if (!caller.within_) return;
    queue::Queue& line = *caller.within_;
    line.close();
    const auto lose = [&](queue::Ticket& ticket) {
        (void)give_away(Pass::of(ticket), now, granted);
        granted.push_back(ticket);  // to wake its run or session
    };
    while (queue::Ticket* const holder = line.oldest_holder()) lose(*holder);
    while (queue::Ticket* const waiting = line.oldest_waiting()) lose(*waiting);
}

std::uint32_t LocalGate::count_inside() const {
    std::uint32_t count = 0;
    const auto add = [&count](const queue::Queue& line, const auto& self) -> void {
        line.for_each_holder(queue::unlimited, [&](const queue::Ticket& ticket) {
            const auto& within = Pass::of(ticket).within_;
            if (!within) return;
            count += within->in_flight() + within->waiting();
            self(*within, self);
        });
    };
    add(queue_, add);
    return count;
}

void LocalGate::view_inside(const queue::Queue& line, Time now, GateView& view) const {
    line.for_each_holder(GateView::most, [&](const queue::Ticket& ticket) {
        const auto& within = Pass::of(ticket).within_;
        if (!within) return;
        const auto add = [&](const queue::Ticket& one) {
            if (view.inside.size() < view.inside.capacity())
                view.inside.push_back(view_of(one, now));
        };
        within->for_each_holder(GateView::most, add);
        within->for_each_waiting(GateView::most, add);
        view_inside(*within, now, view);
    });
}

}  // namespace ticketgate
