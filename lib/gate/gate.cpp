#include "gate/gate.hpp"

#include "base/check.hpp"

namespace ticketgate {

using queue::State;

Gate::Gate(std::string name, GateSettings settings, net::Loop& home, metrics::Registry& registry)
    : name_(std::move(name)),
      home_(home),
      metrics_(registry, name_, *this),
      queue_(settings.limits),
      settings_(settings) {}

Gate::~Gate() = default;

// Every change goes through here: under the lock the pure queue decides; after it those who were
// granted are woken. `granted` keeps them alive on the way.
template <class Change>
void Gate::change(const net::Loop* here, Change change) {
    Granted granted;
    {
        const std::lock_guard lock(lock_);
        granted_.clear();
        const Time now = monotonic_now();
        change(now);
        for (queue::Ticket* ticket : granted_) {
            auto& pass = static_cast<Pass&>(*ticket);
            metrics_.wait_admitted.observe(to_s(now - pass.taken));
            granted.push_back(pass.shared_from_this());
        }
    }
    wake(granted, here);
}

void Gate::wake(const Granted& granted, const net::Loop* here) {
    for (const auto& pass : granted) {
        if (here == &home_) {
            if (pass->waiter_ != nullptr) pass->waiter_->notify_first();
        } else {
            home_.post([pass] {
                if (pass->waiter_ != nullptr) pass->waiter_->notify_first();
            });
        }
    }
}

State Gate::take(Pass& pass, const queue::Queue::Entry& entry, net::Loop& here) {
    State state = State::idle;
    change(&here, [&](Time now) {
        state = queue_.take(pass, entry, now, granted_);
        if (state != State::full) return;
        metrics_.wait_full.observe(0);
        metrics_.rejected_full.add();
    });
    return state;
}

void Gate::ready(Pass& pass, net::Loop& here) {
    change(&here, [&](Time now) { queue_.ready(pass, now, granted_); });
}

State Gate::settle(Pass& pass, net::Loop& here) {
    State state = State::idle;
    change(&here, [&](Time now) {
        const bool waited = pass.waiting();
        state = queue_.settle(pass, now, granted_);
        if (!waited || state != State::expired) return;
        metrics_.wait_timeout.observe(to_s(now - pass.taken));
        metrics_.rejected_timeout.add();
    });
    return state;
}

State Gate::cancel(Pass& pass, net::Loop& here, GivenUp why) {
    State state = State::idle;
    change(&here, [&](Time now) {
        const bool waited = pass.waiting();
        state = queue_.cancel(pass, now, granted_);
        if (waited) metrics_.count(why, to_s(now - pass.taken));
    });
    return state;
}

void Gate::leave(Pass& pass, net::Loop& here) {
    change(&here, [&](Time now) {
        if (pass.state == State::left) return;  // an operator was first
        metrics_.hold.observe(to_s(now - pass.granted));
        queue_.leave(pass, now, granted_);
    });
}

bool Gate::release_held(Pass& pass, net::Loop& here) {
    bool released = false;
    change(&here, [&](Time now) { released = fail_open(pass, now); });
    return released;
}

bool Gate::release(std::uint64_t number) {
    std::shared_ptr<Pass> released;
    change(nullptr, [&](Time now) {
        queue::Ticket* holder = queue_.holder(number);
        if (holder != nullptr && fail_open(*holder, now))
            released = static_cast<Pass&>(*holder).shared_from_this();
    });
    if (!released) return false;
    home_.post([released] {
        released->taken_away_ = true;
        if (released->waiter_ != nullptr) released->waiter_->notify();
    });
    return true;
}

// Under the lock: whoever does it, it is counted, and the time is that of a slot that was held.
bool Gate::fail_open(queue::Ticket& ticket, Time now) {
    const Time granted = ticket.granted;
    const bool released = queue_.release_held(ticket, now, granted_);
    if (!released) return false;
    metrics_.exclusion_violations.add();
    metrics_.hold.observe(to_s(now - granted));
    return true;
}

void Gate::configure(GateSettings settings) {
    change(nullptr, [&](Time now) {
        settings_ = settings;
        queue_.resize(settings.limits, now, granted_);
    });
}

GateSettings Gate::settings() const {
    const std::lock_guard lock(lock_);
    return settings_;
}

bool Gate::empty() const {
    const std::lock_guard lock(lock_);
    return queue_.waiting() == 0 && queue_.in_flight() == 0;
}

std::uint32_t Gate::waiting() const {
    const std::lock_guard lock(lock_);
    return queue_.waiting();
}

std::uint32_t Gate::in_flight() const {
    const std::lock_guard lock(lock_);
    return queue_.in_flight();
}

std::uint32_t Gate::retry_after() const {
    const std::lock_guard lock(lock_);
    return queue_.retry_after(monotonic_now());
}

double Gate::oldest_wait_seconds() const {
    const std::lock_guard lock(lock_);
    return to_s(queue_.oldest_wait(monotonic_now()));
}

double Gate::oldest_hold_seconds() const {
    const std::lock_guard lock(lock_);
    return to_s(queue_.oldest_hold(monotonic_now()));
}

Place::~Place() {
    if (pass_ == nullptr) return;
    if (here_ == &gate_->home()) pass_->wake(nullptr);
    // Granted in the very moment in which the session gives up: then the slot must go on.
    if (cancel(GivenUp::client_closed) == State::granted) Slot(std::move(*this)).give_back();
}

void Place::arrive(Signal& waiter) {
    here_ = &gate_->home();
    pass_->wake(&waiter);
}

Slot::Slot(Place&& place)
    : gate_(std::move(place.gate_)), pass_(std::move(place.pass_)), here_(place.here_) {
    TG_CHECK(pass_->state == State::granted);
    if (here_ == &gate_->home()) pass_->wake(nullptr);
}

void Slot::give_back() noexcept {
    if (pass_ == nullptr) return;
    observe(nullptr);
    const auto pass = std::move(pass_);
    gate_->leave(*pass, *here_);
}

void Slot::fail_open() noexcept {
    if (pass_ == nullptr) return;
    observe(nullptr);
    const auto pass = std::move(pass_);
    gate_->release_held(*pass, *here_);
}

}  // namespace ticketgate
