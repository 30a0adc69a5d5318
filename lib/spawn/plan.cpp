#include "spawn/plan.hpp"

#include <algorithm>

namespace ticketgate::spawn {
namespace {

constexpr Duration first_pause = 100ms, longest_pause = 30s;

struct Census {
    std::size_t starting = 0, idle = 0, busy = 0, stopping = 0;
    std::size_t living() const { return starting + idle + busy; }
};

Census count(std::span<const Standing> workers) {
    Census census;
    for (const Standing& worker : workers) {
        if (worker.state == WorkerState::starting) ++census.starting;
        if (worker.state == WorkerState::idle) ++census.idle;
        if (worker.state == WorkerState::busy) ++census.busy;
        if (worker.state == WorkerState::stopping) ++census.stopping;
    }
    return census;
}

// Indices of the idle workers, the longest idle first.
std::vector<std::size_t> idle_ones(std::span<const Standing> workers) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < workers.size(); ++i)
        if (workers[i].state == WorkerState::idle) found.push_back(i);
    std::ranges::stable_sort(found, {}, [&](std::size_t i) { return workers[i].since; });
    return found;
}

std::size_t to_start(const Bounds& bounds, const Census& now, std::size_t waiting) {
    const std::size_t wanted = std::clamp<std::size_t>(now.busy + waiting, bounds.min, bounds.max);
    const std::size_t room =
        bounds.max - std::min<std::size_t>(bounds.max, now.living() + now.stopping);
    return wanted > now.living() ? std::min(room, wanted - now.living()) : 0;
}

void note_look(Plan& plan, Time at) {
    plan.look_again = plan.look_again ? std::min(*plan.look_again, at) : at;
}

}  // namespace

Plan plan(const Bounds& bounds, std::span<const Standing> workers, std::size_t waiting,
          Time may_start, Time now) {
    Plan out;
    const Census census = count(workers);
    if (const auto wanted = to_start(bounds, census, waiting); wanted != 0) {
        if (now >= may_start)
            out.start = wanted;
        else
            note_look(out, may_start);
    }
    std::size_t living = census.living();
    for (const std::size_t i : idle_ones(workers)) {
        if (living <= bounds.min || waiting != 0) break;
        const Time ends = workers[i].since + bounds.idle_timeout;
        if (living <= bounds.max && ends > now) {
            note_look(out, ends);
            break;
        }
        out.stop.push_back(i);
        --living;
    }
    return out;
}

void StartPause::served(Time started) {
    if (started > last_failure_) *this = {};
}

void StartPause::failed(Time now) {
    last_failure_ = now;
    if (now < until_) return;  // one of those that were started together
    const std::uint32_t doublings = std::min<std::uint32_t>(failures_++, 10);
    until_ = now + std::min(longest_pause, first_pause * (1 << doublings));
}

}  // namespace ticketgate::spawn
