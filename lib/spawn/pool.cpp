#include "spawn/pool.hpp"

#include <algorithm>
#include <exception>
#include <tuple>

namespace ticketgate::spawn {

// On the waiter's loop. If the request has left meanwhile, the worker becomes idle here.
void Waiter::run() {
    if (const auto act = std::exchange(arrived, nullptr)) return act();
    if (worker) std::exchange(worker, nullptr)->link->arrive(loop);
}

std::shared_ptr<Worker> Pool::take(const std::shared_ptr<Waiter>& waiter) {
    const std::lock_guard lock(mutex_);
    Worker* chosen = nullptr;
    for (const auto& worker : workers_) {
        if (worker->state != WorkerState::idle) continue;
        // The one used last, so that the others can go; one of this loop needs no move. One that
        // has shown nothing may still be starting.
        const auto rank = [&](const Worker& w) {
            return std::tuple(w.was_idle, w.loop == &waiter->loop, w.since);
        };
        if (chosen == nullptr || rank(*worker) > rank(*chosen)) chosen = worker.get();
    }
    if (chosen == nullptr) {
        waiter->self_ = waiter;
        waiting_.push_back(*waiter);
        if (workers_.size() < bounds_.max) look_soon();
        return nullptr;
    }
    change(*chosen, WorkerState::busy, monotonic_now());
    if (chosen->loop == &waiter->loop) return chosen->shared_from_this();
    chosen->next = waiter;
    post(*chosen, chosen->move_on);
    return nullptr;
}

void Pool::cancel(Waiter& waiter) noexcept {
    waiter.arrived = nullptr;
    std::shared_ptr<Waiter> last;  // freed after the mutex
    const std::lock_guard lock(mutex_);
    if (!waiter.WaiterHook::is_linked()) return;
    waiting_.erase(waiting_.iterator_to(waiter));
    last = std::move(waiter.self_);
}

void Pool::idle(Worker& worker, bool shown) noexcept {
    if (worker.written) worker.written->ends();
    const std::lock_guard lock(mutex_);
    if (worker.state == WorkerState::dead) return;
    const Time now = monotonic_now();
    if (worker.state == WorkerState::busy && !worker.offered && busy_seconds_ != nullptr)
        busy_seconds_->observe(to_s(now - worker.since));
    rest(worker);
    if (worker.state == WorkerState::stopping) {
        end(worker, Ending::protocol, now);  // it has parted, and is not dying
        return leave(worker);
    }
    if (shown) show(worker);
    if (max_requests_ != 0 && worker.requests >= max_requests_) {
        change(worker, WorkerState::idle, now);
        return end(worker, Ending::max_requests, now);
    }
    if (waiting_.empty()) {
        change(worker, WorkerState::idle, now);
        return look_when_idle_too_long(now);
    }
    Waiter& first = waiting_.front();
    waiting_.pop_front();
    change(worker, WorkerState::busy, now);
    grant(worker, first);
}

// Under the mutex. Nothing of a request is left in it.
void Pool::rest(Worker& worker) noexcept {
    worker.offered = worker.works = false;
    worker.request_id[0] = 0;
    if (worker.requests != 0)
        news_.served = std::max(news_.served.value_or(worker.started), worker.started);
    heeds(worker);
}

// Under the mutex. It reads from a connection: what was said of it is over.
void Pool::heeds(Worker& worker) noexcept {
    if (!worker.refuses) return;
    worker.refuses.reset();
    news_.started = true;
    look_soon();
}

// Under the mutex. A waiter on another loop gets it when this one has let go of it.
void Pool::grant(Worker& worker, Waiter& waiter) noexcept {
    auto self = std::move(waiter.self_);
    if (worker.loop == &waiter.loop) {
        waiter.worker = worker.shared_from_this();
        return waiter.loop.post(waiter, std::move(self));
    }
    worker.next = std::move(self);
    post(worker, worker.move_on);
}

// On the loop that holds it.
void Pool::move_on(Worker& worker) noexcept {
    const bool left = worker.link->leave();
    const std::lock_guard lock(mutex_);
    if (!left) return post(worker, worker.move_on);
    const auto waiter = std::move(worker.next);
    worker.loop = &waiter->loop;
    waiter->worker = worker.shared_from_this();
    waiter->loop.post(*waiter, waiter);
}

// Under the mutex.
void Pool::show(Worker& worker) noexcept {
    if (std::exchange(worker.was_idle, true)) return;
    news_.started = true;
    look_soon();
}

void Pool::offers(Worker& worker) noexcept {
    const std::lock_guard lock(mutex_);
    worker.offered = true;
}

bool Pool::took(Worker& worker) noexcept {
    const std::lock_guard lock(mutex_);
    if (worker.state != WorkerState::busy) return false;
    worker.offered = false;
    show(worker);
    return true;
}

void Pool::serves(Worker& worker, std::string_view request_id) noexcept {
    if (worker.written) worker.written->begins(request_id);
    const std::lock_guard lock(mutex_);
    ++worker.requests;
    worker.works = true;
    heeds(worker);
    const std::size_t size =
        request_id.copy(worker.request_id.data(), worker.request_id.size() - 1);
    worker.request_id[size] = 0;
}

void Pool::spared(Worker& worker) noexcept {
    if (worker.written) worker.written->spared();
    const std::lock_guard lock(mutex_);
    --worker.requests;
    worker.works = false;
    worker.request_id[0] = 0;
    if (worker.state != WorkerState::busy) return;
    worker.offered = true;
    worker.since = monotonic_now();
    look_soon();
}

void Pool::refuses(Worker& worker) noexcept {
    const std::lock_guard lock(mutex_);
    if (worker.refuses) return;
    worker.refuses = monotonic_now();
    look_soon();
}

void Pool::reject(Worker& worker) noexcept {
    const std::lock_guard lock(mutex_);
    if (worker.state != WorkerState::dead) end(worker, Ending::protocol, monotonic_now());
}

void Pool::parted(Worker& worker) noexcept {
    const std::lock_guard lock(mutex_);
    if (worker.state == WorkerState::stopping || worker.state == WorkerState::dead) return;
    worker.parted = monotonic_now();
    stop_using(worker, *worker.parted);
}

void Pool::configure(const Bounds& bounds, std::uint32_t max_requests) {
    const std::lock_guard lock(mutex_);
    bounds_ = bounds;
    max_requests_ = max_requests;
    retired_ = false;
    look_soon();
}

void Pool::retire() {
    const std::lock_guard lock(mutex_);
    bounds_.min = 0;
    bounds_.idle_timeout = Duration{0};
    retired_ = true;
    look_soon();
}

// The streams and deadlines of its link are the loop's, so the worker is freed there, whichever
// thread drops it last. That needs no memory. Once the loops have stopped, any thread may.
class Pool::Bury {
 public:
    Bury(std::shared_ptr<Pool> pool, std::shared_ptr<void> grave)
        : pool_(std::move(pool)), grave_(std::move(grave)) {}
    void operator()(Worker* worker) noexcept {
        const auto pool = std::move(pool_);
        auto grave = std::move(grave_);
        if (worker->loop != nullptr && !pool->stops_)
            worker->loop->post(worker->burial, std::move(grave));
    }

 private:
    std::shared_ptr<Pool> pool_;
    std::shared_ptr<void> grave_;  // owns the worker
};

std::shared_ptr<Worker> Pool::make(Wire wire) {
    struct Grave {
        Grave(std::uint64_t number, Wire its_wire) : worker(number, std::move(its_wire)) {}
        Worker worker;
    };
    const auto grave = std::make_shared<Grave>(++last_number_, std::move(wire));
    return {&grave->worker, Bury(shared_from_this(), grave)};
}

std::shared_ptr<Worker> Pool::add(Wire wire) {
    const std::lock_guard lock(mutex_);
    const auto worker = make(std::move(wire));
    Worker* const w = worker.get();
    w->since = w->started = monotonic_now();
    w->arrive.call = std::make_unique<net::Call>([this, w] { w->link->arrive(*w->arrive.to); });
    w->move_on.call = std::make_unique<net::Call>([this, w] { move_on(*w); });
    w->part.call = std::make_unique<net::Call>([this, w] { at_home(*w, w->part, &Link::close); });
    w->mourn.call =
        std::make_unique<net::Call>([this, w] { at_home(*w, w->mourn, &Link::process_ended); });
    workers_.push_back(worker);
    return worker;
}

void Pool::started(Worker& worker, net::Loop& other) {
    const std::lock_guard lock(mutex_);
    worker.loop = waiting_.empty() ? &other : &waiting_.front().loop;
    post(worker, worker.arrive);
}

Pool::Ended Pool::ended(Worker& worker) noexcept {
    const std::lock_guard lock(mutex_);
    const Ended was{worker.state, worker.ending, worker.was_idle, worker.requests,
                    worker.request_id};
    worker.ended = true;
    change(worker, WorkerState::dead, monotonic_now());
    if (worker.loop != nullptr && !stops_) post(worker, worker.mourn);
    std::erase_if(workers_, [&](const auto& one) { return one.get() == &worker; });
    // No start has failed, and none may be needed that would tell so.
    const bool others_work = std::ranges::any_of(workers_, &Worker::was_idle);
    if (was.ending == Ending::late && was.was_idle && others_work) trouble_.clear();
    return was;
}

bool Pool::works(const Worker& worker) const {
    const std::lock_guard lock(mutex_);
    return worker.works;
}

void Pool::stop() {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    for (const auto& worker : workers_) {
        end(*worker, Ending::stop, monotonic_now());
        if (worker->link) (void)worker->link->close();  // the loops have stopped
    }
}

void Pool::trouble(std::string why) {
    const std::lock_guard lock(mutex_);
    trouble_ = std::move(why);
}

// Under the mutex, as what follows.
void Pool::change(Worker& worker, WorkerState state, Time now) noexcept {
    worker.state = state;
    worker.since = now;
}

void Pool::end(Worker& worker, Ending why, Time now) noexcept {
    if (is_told(worker)) return;
    worker.ending = why;
    worker.state == WorkerState::stopping ? look_soon() : stop_using(worker, now);
}

void Pool::stop_using(Worker& worker, Time now) noexcept {
    const bool free = worker.state != WorkerState::busy || worker.offered;
    change(worker, WorkerState::stopping, now);
    if (free) leave(worker);
    look_soon();
}

void Pool::leave(Worker& worker) noexcept {
    if (worker.loop != nullptr && !stops_) post(worker, worker.part);
}

void Pool::post(Worker& worker, Errand& errand) noexcept {
    errand.to = worker.loop;
    worker.loop->post(*errand.call, worker.shared_from_this());
}

// The worker may have moved since the errand was sent.
void Pool::at_home(Worker& worker, Errand& errand, bool (Link::*act)()) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (worker.loop != errand.to) return post(worker, errand);
    }
    if ((worker.link.get()->*act)()) return;
    const std::lock_guard lock(mutex_);
    post(worker, errand);
}

// Under the mutex. The next look may come too late for a short idle_timeout; then that look notes
// the end of this worker, so there is one for each idle_timeout, not for each request.
void Pool::look_when_idle_too_long(Time now) noexcept {
    if (workers_.size() <= bounds_.min || now + bounds_.idle_timeout >= next_look_) return;
    next_look_ = now;
    look_soon();
}

// Without memory the supervisor looks a second later.
void Pool::look_soon() noexcept {
    try {
        wake_(*this);
    } catch (const std::exception&) {
    }
}

}  // namespace ticketgate::spawn
