#include "gate/local_gate.hpp"

namespace ticketgate {

using queue::State;

LocalGate::LocalGate(std::string name, GateSettings settings, net::Loop& home,
                     metrics::Registry& registry, Permit* permit)
    : Gate(std::move(name), home),
      permit_(permit),
      queue_(settings.limits),
      settings_(settings),
      metrics_(registry, *this) {
    set_worker_idle(settings.worker_idle);
}

// Makes every change: under the lock the pure queue decides, afterwards this wakes the granted
// tickets. Allocates nothing: a slot must reach the next ticket even without memory. Permit, pause
// and grant_until() are three reasons not to grant. All are asked each time, so a grant never rests
// on an earlier answer.
template <class Change>
void LocalGate::change(const net::Loop* here, Change change) {
    if (make(here, std::move(change))) permit_->missed();
}

// True: tickets wait that the permit does not allow.
template <class Change>
bool LocalGate::make(const net::Loop* here, Change change) {
    queue::Tickets granted;
    bool missed = false;
    {
        const std::lock_guard lock(lock_);
        const Time now = monotonic_now();
        const bool permitted = this->permitted();
        const Time until = permitted ? open_until(now) : queue::no_ticket;
        if (until != queue_.allowed()) queue_.allow(until, now, granted);
        change(now, granted);
        missed = !permitted && queue_.waiting() != 0;
        for (queue::Ticket& ticket : granted) {
            Pass& pass = Pass::of(ticket);
            pass.self_ = pass.shared_from_this();
        }
    }
    while (!granted.empty()) {
        Pass& pass = Pass::of(granted.front());
        granted.pop_front();
        wake(std::move(pass.self_), here);
    }
    return missed;
}

// The permit calls this. The facts show it the waiting requests, so make() must not notify it of
// them: it would look again at once.
LocalGate::Facts LocalGate::look() {
    Facts facts;
    (void)make(nullptr, [&](Time, queue::Tickets&) { facts = this->facts(); });
    return facts;
}

LocalGate::Facts LocalGate::facts() {
    const queue::Ticket* const next = queue_.next_in_line();
    return {.waits = queue_.waiting() != 0,
            .holds = queue_.in_flight(),
            .token = queue_.numbering().token,
            .next = next == nullptr ? Time::max() : next->taken,
            .stopped = until_ == queue::no_ticket};
}

void LocalGate::grant_until(Time until) {
    change(nullptr, [&](Time now, queue::Tickets& granted) {
        until_ = until;
        queue_.allow(granted_until(now), now, granted);
    });
}

// Under one lock: a request that takes a ticket just now is granted a slot before, and then the
// gate does not stop, or waits.
LocalGate::Facts LocalGate::stop_when_done() {
    Facts facts;
    change(nullptr, [&](Time now, queue::Tickets& granted) {
        facts = this->facts();
        if (facts.holds != 0 || facts.next < until_) return;
        until_ = queue::no_ticket;
        queue_.allow(until_, now, granted);
        facts.stopped = true;
    });
    return facts;
}

void LocalGate::start_term(std::uint64_t last) {
    change(nullptr, [&](Time, queue::Tickets&) { queue_.raise(last); });
}

void LocalGate::move_away() {
    change(nullptr, [&](Time now, queue::Tickets& woken) { queue_.move(now, woken); });
}

void LocalGate::wake(std::shared_ptr<Pass> pass, const net::Loop* here) {
    if (here == &home()) return pass->run();
    net::Job& job = *pass;
    home().post(job, std::shared_ptr<void>(std::move(pass)));
}

State LocalGate::take(Pass& pass, const queue::Queue::Entry& entry, net::Loop& here) {
    State state = State::idle;
    change(&here, [&](Time now, queue::Tickets& granted) {
        state = queue_.take(pass.ticket_, entry, now, granted);
        if (state != State::full) return;
        metrics_.wait_full.observe(0);
        metrics_.rejected_full.add();
    });
    return state;
}

// Allocates before it takes the lock.
State LocalGate::take_within(Pass& pass, const CalledBy& by, const queue::Queue::Entry& entry,
                             net::Loop& here) {
    auto line = std::make_unique<queue::Queue>(queue::Limits(), queue_.numbering());
    State state = State::idle;
    change(&here, [&](Time now, queue::Tickets& granted) {
        state = enter_within(pass, by, entry, line, now, granted);
    });
    return state;
}

void LocalGate::ready(Pass& pass, net::Loop& here) {
    change(&here, [&](Time now, queue::Tickets& granted) {
        line_of(pass).ready(pass.ticket_, now, granted);
    });
}

State LocalGate::settle(Pass& pass, net::Loop& here) {
    State state = State::idle;
    change(&here, [&](Time now, queue::Tickets& granted) {
        const bool waited = pass.ticket_.waiting();
        state = line_of(pass).settle(pass.ticket_, now, granted);
        if (!waited || state != State::expired) return;
        free_slots(pass.parent_.get(), now, granted);
        metrics_.wait_timeout.observe(to_s(now - pass.ticket_.taken));
        metrics_.rejected_timeout.add();
    });
    return state;
}

State LocalGate::cancel(Pass& pass, net::Loop& here, GivenUp why) {
    State state = State::idle;
    change(&here, [&](Time now, queue::Tickets& granted) {
        const bool waited = pass.ticket_.waiting();
        state = line_of(pass).cancel(pass.ticket_, now, granted);
        free_slots(pass.parent_.get(), now, granted);
        if (waited) metrics_.count(why, to_s(now - pass.ticket_.taken));
        pass.given_up_ = why;
    });
    return state;
}

void LocalGate::count_refused(GivenUp why, Duration waited) {
    const std::lock_guard lock(lock_);
    metrics_.count(why, to_s(waited));
}

void LocalGate::count_forward(Duration took) {
    const std::lock_guard lock(lock_);
    if (metrics_.forward != nullptr) metrics_.forward->observe(to_s(took));
}

// A request counts as admitted when it begins, not at its grant: its client may leave in between.
State LocalGate::begin(Pass& pass) {
    const std::lock_guard lock(lock_);
    const queue::Ticket& ticket = pass.ticket_;
    if (ticket.state == State::granted)
        metrics_.wait_admitted.observe(to_s(ticket.granted - ticket.taken));
    return line_of(pass).begin(pass.ticket_);
}

// Takes the ticket out of the line. If it was granted just as its session gave up, the slot passes
// on. Tickets in other states have already been counted.
void LocalGate::drop(Pass& pass, net::Loop& here) noexcept {
    change(&here, [&](Time now, queue::Tickets& granted) {
        const State before = pass.ticket_.state;
        (void)line_of(pass).drop(pass.ticket_, now, granted);
        free_slots(pass.parent_.get(), now, granted);
        if (before == State::waiting || before == State::granted)
            metrics_.count(pass.given_up_, to_s(now - pass.ticket_.taken));
    });
}

void LocalGate::leave(Pass& pass, net::Loop& here) noexcept {
    change(&here, [&](Time now, queue::Tickets& granted) {
        pass.over_at_ = now;
        free_slots(&pass, now, granted);
    });
}

void LocalGate::fail_open(Pass& pass, net::Loop& here) noexcept {
    change(&here, [&](Time now, queue::Tickets& granted) { (void)give_away(pass, now, granted); });
}

Released LocalGate::release(const ToRelease& what) {
    std::shared_ptr<Pass> released;
    Released result;
    change(nullptr, [&](Time now, queue::Tickets& granted) {
        Pass* found = holder(what.number);
        if (queue::Ticket* const waits = found ? nullptr : queue_.find_waiting(what.number))
            found = &Pass::of(*waits);
        if (found == nullptr) return;
        result = {Release::another, found->label()};
        if (what.request_id && *what.request_id != result.label.request_id()) return;
        released = found->shared_from_this();
        const State state = give_away(*released, now, granted);
        const bool unsent = state == State::revoked || released->withdrawn();
        result.how = unsent ? Release::not_sent : Release::failed_open;
    });
    if (released) wake(std::move(released), nullptr);
    return result;
}

// Under the lock, for a ticket that holds or held a slot. Only one that may have been sent fails
// open: what still waits for a connection or a worker never runs.
State LocalGate::give_away(Pass& pass, Time now, queue::Tickets& granted) {
    const State before = pass.ticket_.state;
    const State state = line_of(pass).release(pass.ticket_, now, granted);
    if (state == before) return state;
    scatter(pass, now, granted);
    free_slots(pass.parent_.get(), now, granted);
    if (state == State::revoked) {
        metrics_.rejected_released.add();
        const Time end = before == State::waiting ? now : pass.ticket_.granted;
        metrics_.wait_released.observe(to_s(end - pass.ticket_.taken));
    }
    if (state != State::released) return state;
    metrics_.hold.observe(to_s(now - pass.ticket_.granted));
    (pass.withdraw() ? metrics_.rejected_released : metrics_.exclusion_violations).add();
    pass.taken_away_.store(true, std::memory_order_release);
    return state;
}

void LocalGate::add_loss(std::size_t which, std::uint64_t count) {
    const std::lock_guard lock(lock_);
    metrics_.loss(which).add(count);
}

void LocalGate::pause(Time until) {
    change(nullptr, [&](Time now, queue::Tickets& granted) {
        paused_until_ = until > now ? until : Time{};
        queue_.allow(granted_until(now), now, granted);
    });
}

bool LocalGate::end_pause() {
    const bool was_paused = paused_until() > monotonic_now();
    if (was_paused) resume();
    return was_paused;
}

Time LocalGate::paused_until() const {
    const std::lock_guard lock(lock_);
    return paused_until_;
}

void LocalGate::configure(GateSettings settings) {
    change(nullptr, [&](Time now, queue::Tickets& granted) {
        settings_ = settings;
        set_worker_idle(settings.worker_idle);
        queue_.resize(settings.limits, now, granted);
    });
}

GateSettings LocalGate::settings() const {
    const std::lock_guard lock(lock_);
    return settings_;
}

}  // namespace ticketgate
