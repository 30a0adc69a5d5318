#include "disk/readers.hpp"

#include <chrono>
#include <exception>
#include <new>
#include <thread>

#include "base/blocked_signals.hpp"

namespace ticketgate::disk {
namespace {

// How long the end of the process waits for reads that are under way.
constexpr auto parting = 2s;

// An idle thread ends after this time, so that a burst leaves none behind.
constexpr auto idle_stays = 60s;

// For all roots together. When so many hang, the tasks of every root wait.
constexpr std::size_t most_threads = 256;

class Close final : public Task {
 public:
    explicit Close(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
    void work() override { const Descriptor now = std::move(descriptor_); }
    Descriptor descriptor_;
};

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
    shared_->turns.clear();
    for (auto& [root, line] : shared_->lines) line.waiting.clear();
    shared_->wanted.notify_all();
    shared_->gone.wait_for(lock, parting, [this] { return shared_->threads == 0; });
}

void Readers::limit(Limits limits) {
    const std::scoped_lock lock(shared_->lock);
    shared_->limits = limits;
    for (auto& [root, line] : shared_->lines) give_turns(*shared_, line);
    while (find_thread(shared_)) {
    }
    shared_->wanted.notify_all();
}

bool Readers::submit(const std::string& root, std::shared_ptr<Task> task, net::Loop& from,
                     For what) {
    return add(shared_, root, {std::move(task), &from}, what);
}

std::function<void(Descriptor, std::uint64_t)> Readers::closer() const {
    return [shared = shared_](Descriptor descriptor, std::uint64_t device) {
        auto task = std::make_shared<Close>(std::move(descriptor));
        (void)add(shared, "close " + std::to_string(device), {std::move(task), nullptr},
                  For::begun);
    };
}

bool Readers::add(const std::shared_ptr<Shared>& shared_ptr, const std::string& root, Entry entry,
                  For what) {
    const auto owner = entry.task;  // until behind the lock: the last one may have to close
    const std::scoped_lock lock(shared_ptr->lock);
    Shared& shared = *shared_ptr;
    if (shared.closed || (what == For::newcomer && full(shared, root))) return false;
    Line& line = enqueue(shared, root, std::move(entry));
    give_turns(shared, line);
    (void)find_thread(shared_ptr);
    if (shared.threads == 0) {
        take_back_last(shared, line);
        return false;
    }
    shared.wanted.notify_one();
    return true;
}

// Under the lock, as what follows.
bool Readers::full(const Shared& shared, const std::string& root) {
    const auto line = shared.lines.find(root);
    const std::uint64_t places = std::uint64_t{shared.limits.threads} + shared.limits.max_waiting;
    return line != shared.lines.end() && line->second.busy + line->second.waiting.size() >= places;
}

// Without memory, nothing has changed.
Readers::Line& Readers::enqueue(Shared& shared, const std::string& root, Entry entry) {
    const auto [at, made] = shared.lines.try_emplace(root);
    Line& line = at->second;
    line.root = &at->first;
    try {
        line.waiting.push_back(std::move(entry));
    } catch (const std::bad_alloc&) {
        if (made) shared.lines.erase(at);
        throw;
    }
    return line;
}

// No thread runs, so no other task has come between.
void Readers::take_back_last(Shared& shared, Line& line) noexcept {
    line.waiting.pop_back();
    if (line.turns > line.waiting.size()) {
        --line.turns;
        shared.turns.pop_back();
    }
    end_if_over(shared, line);
}

void Readers::end_if_over(Shared& shared, Line& line) noexcept {
    if (line.over()) shared.lines.erase(shared.lines.find(*line.root));
}

void Readers::give_turns(Shared& shared, Line& line) noexcept {
    while (line.turns < line.waiting.size() && line.turns + line.busy < shared.limits.threads) {
        Turns& own = line.waiting[line.turns].own_turn;
        own.front() = &line;
        shared.turns.splice(shared.turns.end(), own);
        ++line.turns;
    }
}

// False: there is one already, there are too many, or the system has none.
bool Readers::find_thread(const std::shared_ptr<Shared>& shared) {
    if (shared->threads - shared->busy >= shared->turns.size()) return false;
    return shared->threads < most_threads && start_thread(shared);
}

bool Readers::start_thread(const std::shared_ptr<Shared>& shared) try {
    const BlockedSignals for_the_thread;
    ++shared->threads;
    std::thread([shared] { serve(shared); }).detach();
    return true;
} catch (const std::exception&) {  // no thread, or no memory
    --shared->threads;
    return false;
}

// A thread leaves only if there is nothing to do: nobody else would hear the call that it took.
void Readers::serve(const std::shared_ptr<Shared>& shared) {
    std::unique_lock lock(shared->lock);
    const auto ready = [&] { return shared->closed || !shared->turns.empty(); };
    while (shared->wanted.wait_for(lock, idle_stays, ready) && !shared->closed)
        work_on(*shared, lock);
    --shared->threads;
    shared->gone.notify_all();
}

void Readers::work_on(Shared& shared, std::unique_lock<std::mutex>& lock) {
    Line& line = *shared.turns.front();
    shared.turns.pop_front();
    Entry entry = std::move(line.waiting.front());
    line.waiting.pop_front();
    --line.turns;
    ++line.busy;
    ++shared.busy;
    lock.unlock();
    try {
        if (entry.task->wanted_) entry.task->work();
    } catch (const std::exception&) {
        entry.task->failed_ = true;
    }
    lock.lock();
    // Once closed, the loop may be gone.
    if (!shared.closed && entry.from != nullptr) entry.from->post(*entry.task, entry.task);
    // The task may be the last owner of a file, whose close may wait for the disk.
    lock.unlock();
    entry.task.reset();
    lock.lock();
    --line.busy;
    --shared.busy;
    if (!shared.closed) give_turns(shared, line);
    end_if_over(shared, line);
}

}  // namespace ticketgate::disk
