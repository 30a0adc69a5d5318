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
// granted are woken. Nothing is allocated: a slot must reach the next even when memory is short.
template <class Change>
void Gate::change(const net::Loop* here, Change change) {
    queue::Tickets granted;
    {
        const std::lock_guard lock(lock_);
        const Time now = monotonic_now();
        change(now, granted);
        for (queue::Ticket& ticket : granted) {
            auto& pass = static_cast<Pass&>(ticket);
            metrics_.wait_admitted.observe(to_s(now - pass.taken));
            pass.self_ = pass.shared_from_this();
        }
    }
    while (!granted.empty()) {
        auto& pass = static_cast<Pass&>(granted.front());
        granted.pop_front();
        wake(std::move(pass.self_), here);
    }
}

void Gate::wake(std::shared_ptr<Pass> pass, const net::Loop* here) {
    if (here == &home_) return pass->run();
    net::Job& job = *pass;
    home_.post(job, std::shared_ptr<void>(std::move(pass)));
}

void Pass::run() {
    if (waiter_ != nullptr) waiter_->notify_first();
}

State Gate::take(Pass& pass, const queue::Queue::Entry& entry, net::Loop& here) {
    State state = State::idle;
    change(&here, [&](Time now, queue::Tickets& granted) {
        state = queue_.take(pass, entry, now, granted);
        if (state != State::full) return;
        metrics_.wait_full.observe(0);
        metrics_.rejected_full.add();
    });
    return state;
}

void Gate::ready(Pass& pass, net::Loop& here) {
    change(&here, [&](Time now, queue::Tickets& granted) { queue_.ready(pass, now, granted); });
}

State Gate::settle(Pass& pass, net::Loop& here) {
    State state = State::idle;
    change(&here, [&](Time now, queue::Tickets& granted) {
        const bool waited = pass.waiting();
        state = queue_.settle(pass, now, granted);
        if (!waited || state != State::expired) return;
        metrics_.wait_timeout.observe(to_s(now - pass.taken));
        metrics_.rejected_timeout.add();
    });
    return state;
}

State Gate::cancel(Pass& pass, net::Loop& here, GivenUp why) {
    State state = State::idle;
    change(&here, [&](Time now, queue::Tickets& granted) {
        const bool waited = pass.waiting();
        state = queue_.cancel(pass, now, granted);
        if (waited) metrics_.count(why, to_s(now - pass.taken));
    });
    return state;
}

State Gate::begin(Pass& pass) {
    const std::lock_guard lock(lock_);
    return queue_.begin(pass);
}

// Out of the line, or granted in the very moment in which its session gave up: then the slot goes
// on. A ticket that was decided otherwise has been counted.
void Gate::drop(Pass& pass, net::Loop& here) noexcept {
    change(&here, [&](Time now, queue::Tickets& granted) {
        const State before = pass.state;
        (void)queue_.drop(pass, now, granted);
        if (before == State::waiting)
            metrics_.count(GivenUp::client_closed, to_s(now - pass.taken));
        if (before == State::granted) metrics_.hold.observe(to_s(now - pass.granted));
    });
}

void Gate::leave(Pass& pass, net::Loop& here) noexcept {
    change(&here, [&](Time now, queue::Tickets& granted) {
        const State before = pass.state;
        (void)queue_.leave(pass, now, granted);
        if (before == State::running) metrics_.hold.observe(to_s(now - pass.granted));
    });
}

void Gate::fail_open(Pass& pass, net::Loop& here) noexcept {
    change(&here, [&](Time now, queue::Tickets& granted) { (void)give_away(pass, now, granted); });
}

Release Gate::release(std::uint64_t number) {
    std::shared_ptr<Pass> released;
    State state = State::idle;
    change(nullptr, [&](Time now, queue::Tickets& granted) {
        queue::Ticket* holder = queue_.holder(number);
        if (holder == nullptr) return;
        released = static_cast<Pass&>(*holder).shared_from_this();
        state = give_away(*released, now, granted);
    });
    if (!released) return Release::no_such;
    wake(std::move(released), nullptr);
    return state == State::revoked ? Release::not_begun : Release::failed_open;
}

// Under the lock, for a ticket that holds a slot or did: only one that runs fails open.
State Gate::give_away(Pass& pass, Time now, queue::Tickets& granted) {
    const State before = pass.state;
    const State state = queue_.release(pass, now, granted);
    if (state == before) return state;
    metrics_.hold.observe(to_s(now - pass.granted));
    if (state == State::revoked) metrics_.rejected_released.add();
    if (state != State::released) return state;
    metrics_.exclusion_violations.add();
    pass.taken_away_.store(true, std::memory_order_release);
    return state;
}

void Gate::configure(GateSettings settings) {
    change(nullptr, [&](Time now, queue::Tickets& granted) {
        settings_ = settings;
        queue_.resize(settings.limits, now, granted);
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
    gate_->drop(*pass_, *here_);
}

void Place::arrive(Signal& waiter) {
    here_ = &gate_->home();
    pass_->wake(&waiter);
}

Slot Place::begin() && {
    if (here_ == &gate_->home()) pass_->wake(nullptr);
    const State state = gate_->begin(*pass_);
    const auto pass = std::move(pass_);
    if (state == State::revoked) return {};
    return Slot(std::move(gate_), pass, here_);
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
    gate_->fail_open(*pass, *here_);
}

}  // namespace ticketgate
