#include "disk/readers.hpp"

#include <pthread.h>
#include <csignal>

#include <chrono>
#include <exception>
#include <thread>

namespace ticketgate::disk {
namespace {

// How long the end of the process waits for reads that are under way.
constexpr auto parting = 2s;

// An idle thread ends after this time, so that a burst leaves none behind.
constexpr auto idle_stays = 60s;

}  // namespace

void Task::notify(Observer* waiter) {
    waiter_ = waiter;
    if (waiter == nullptr) wanted_ = false;
}

void Task::run() {
    done_ = true;
    if (waiter_ != nullptr) waiter_->notify();
}

Readers::Readers() : shared_(std::make_shared<Shared>()) {}

Readers::~Readers() {
    std::unique_lock lock(shared_->lock);
    shared_->closed = true;
    shared_->waiting.clear();
    shared_->wanted.notify_all();
    shared_->gone.wait_for(lock, parting, [this] { return shared_->threads == 0; });
}

void Readers::limit(Limits limits) {
    const std::scoped_lock lock(shared_->lock);
    shared_->limits = limits;
}

bool Readers::submit(std::shared_ptr<Task> task, net::Loop& from, For what) {
    const std::scoped_lock lock(shared_->lock);
    Shared& shared = *shared_;
    const std::uint64_t places = std::uint64_t{shared.limits.threads} + shared.limits.max_waiting;
    if (what == For::newcomer && shared.busy + shared.waiting.size() >= places) return false;
    shared.waiting.push_back({std::move(task), &from});
    const bool needs_thread = shared.threads - shared.busy < shared.waiting.size();
    if (needs_thread && shared.threads < shared.limits.threads && !start_thread(shared_) &&
        shared.threads == 0) {
        shared.waiting.pop_back();
        return false;
    }
    shared.wanted.notify_one();
    return true;
}

// Under the lock. Signals are for the thread that waits for them.
bool Readers::start_thread(const std::shared_ptr<Shared>& shared) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    try {
        ++shared->threads;
        std::thread([shared] { serve(shared); }).detach();
    } catch (const std::exception&) {  // no thread, or no memory
        --shared->threads;
        started = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

void Readers::serve(const std::shared_ptr<Shared>& shared) {
    std::unique_lock lock(shared->lock);
    const auto ready = [&] { return shared->closed || !shared->waiting.empty(); };
    for (;;) {
        const bool woken = shared->wanted.wait_for(lock, idle_stays, ready);
        if (!woken || shared->closed || shared->threads > shared->limits.threads) break;
        Entry entry = std::move(shared->waiting.front());
        shared->waiting.pop_front();
        ++shared->busy;
        lock.unlock();
        if (entry.task->wanted_) entry.task->work();
        lock.lock();
        // Once closed, the loop may be gone.
        if (!shared->closed) entry.from->post(*entry.task, entry.task);
        // The task may be the last owner of a file, whose close may wait for the disk.
        lock.unlock();
        entry.task.reset();
        lock.lock();
        --shared->busy;
    }
    --shared->threads;
    shared->gone.notify_all();
}

}  // namespace ticketgate::disk
