// What the supervisor is to do for a pool, and what an operator sees of it.
#include <algorithm>

#include "spawn/pool.hpp"

namespace ticketgate::spawn {
namespace {

// The descriptors of a process that dies are closed a moment before its end can be seen; on a
// starved machine, or with much memory to free, long before.
constexpr Duration parted_for = 100ms, dying_for = 10s;

// The connections of a process that ends are ended, too.
constexpr Duration refused_for = 1s;

WorkerState shown_state(const Worker& worker) {
    return worker.state == WorkerState::busy && worker.offered ? WorkerState::starting
                                                               : worker.state;
}

}  // namespace

Pool::Orders Pool::orders(Time may_start, Duration start_timeout, Time now) {
    const std::lock_guard lock(mutex_);
    Orders out;
    std::vector<Standing> standings;
    const auto look_by = [&out](Time at) {
        out.look_again = std::min(out.look_again.value_or(Time::max()), at);
    };
    for (const auto& worker : workers_) {
        end_parted(*worker, now);
        note_refusal(*worker, now);
        const auto late = due(*worker, start_timeout);
        if (late && *late <= now) end(*worker, Ending::late, now);
        if (late && *late > now) look_by(*late);
        standings.push_back({worker->state, worker->since});
    }
    const Plan next = plan(bounds_, standings, waiting_.size(), may_start, now);
    for (const std::size_t i : next.stop)
        end(*workers_[i], retired_ ? Ending::reload : Ending::idle, now);
    out.start = stops_ ? 0 : next.start;
    if (next.look_again) look_by(*next.look_again);
    for (const auto& worker : workers_) {
        if (worker->state != WorkerState::stopping) continue;
        if (is_told(*worker))
            out.stop.push_back(worker);
        else if (now - *worker->parted < parted_for)
            look_by(*worker->parted + parted_for);
        else if (now - *worker->parted < dying_for)
            look_by(*worker->parted + dying_for);
    }
    next_look_ = std::min(out.look_again.value_or(Time::max()), now + look_at_least);
    return out;
}

// Under the mutex, as what follows.
void Pool::end_parted(Worker& worker, Time now) noexcept {
    if (!worker.parted || is_told(worker) || now - *worker.parted < parted_for) return;
    const bool dies = now - *worker.parted < dying_for ? worker.life.ends() : worker.life.over();
    if (!dies) end(worker, Ending::protocol, now);
}

// When one that does not wait for a request is to end.
std::optional<Time> Pool::due(const Worker& worker, Duration start_timeout) {
    if (worker.state == WorkerState::stopping) return {};
    if (shown_state(worker) == WorkerState::starting) return worker.since + start_timeout;
    if (worker.refuses) return *worker.refuses + start_timeout;
    return {};
}

void Pool::note_refusal(const Worker& worker, Time now) {
    if (worker.state == WorkerState::stopping || worker.life.over()) return;
    if (!worker.refuses || now - *worker.refuses < refused_for) return;
    trouble_ = "a worker ends its connections without reading from them";
}

Pool::News Pool::news() {
    const std::lock_guard lock(mutex_);
    return std::exchange(news_, {});
}

std::string Pool::trouble() const {
    const std::lock_guard lock(mutex_);
    return trouble_;
}

PoolFigures Pool::figures() const {
    const std::lock_guard lock(mutex_);
    PoolFigures out;
    for (const auto& worker : workers_) {
        const auto state = static_cast<std::size_t>(shown_state(*worker));
        if (state < out.workers.size()) ++out.workers[state];
    }
    out.waiting = waiting_.size();
    out.max = bounds_.max;
    return out;
}

std::vector<WorkerView> Pool::view() const {
    const std::lock_guard lock(mutex_);
    const Time now = monotonic_now();
    std::vector<WorkerView> out;
    out.reserve(workers_.size());
    for (const auto& w : workers_)
        out.push_back({w->number, w->pid, shown_state(*w), now - w->since, now - w->started,
                       w->requests, w->request_id.data()});
    return out;
}

}  // namespace ticketgate::spawn
