// Chooses the coroutine that runs next on one loop: first-in-first-out lists of notified
// coroutines, the urgent ones before the others. Only run_one() resumes a coroutine, never another
// coroutine, so nothing is re-entered, and coroutines run in the order of their notifications.
// Pure: no thread, no clock, no socket; a test or a simulation drives it.
#pragma once

#include <boost/intrusive/list.hpp>
#include <coroutine>
#include <cstdint>
#include <utility>

namespace ticketgate {

/// The receiver of readiness events.
class Observer {
 public:
    virtual void notify() = 0;

 protected:
    ~Observer() = default;
};

class Scheduler;

/// A condition variable with one waiter, a coroutine. A notify() before the wait is kept, so the
/// waiter's loop is always: check the state, and if there is nothing to do, `co_await signal`.
/// Owned by the session or run that waits on it; belongs to one loop at a time.
class Signal final : public Observer,
                     public boost::intrusive::list_base_hook<
                         boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
    /// `urgent`: always runs before the others. For a run, whose end gives its slot to the next
    /// request.
    explicit Signal(Scheduler& scheduler, bool urgent = false)
        : scheduler_(&scheduler), urgent_(urgent) {}
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    void notify() override { notify_in(urgent_); }
    /// Urgent this once: a slot was granted and stands idle until its new holder runs.
    void notify_first() { notify_in(true); }

    /// Moves it to another loop; no coroutine may be waiting or notified.
    void move_to(Scheduler& scheduler) { scheduler_ = &scheduler; }

    bool await_ready() { return std::exchange(pending_, false); }
    void await_suspend(std::coroutine_handle<> waiter) { waiter_ = waiter; }
    void await_resume() const {}

 private:
    friend class Scheduler;
    void notify_in(bool urgent);
    Scheduler* scheduler_;
    std::coroutine_handle<> waiter_;
    bool pending_ = false;
    bool among_urgent_ = false;  // linked in the urgent list
    const bool urgent_;
};

class Scheduler {
 public:
    /// Resumes the next notified coroutine; false if there is none.
    bool run_one();
    bool idle() const { return urgent_.empty() && ready_.empty(); }

#ifdef TG_CHECK_SCRATCH
    /// Counts resumes: an unchanged number means that no coroutine has suspended since.
    std::uint64_t resumes() const {
        return resumes_;
    }
#endif

 private:
    friend class Signal;
    using List = boost::intrusive::list<Signal, boost::intrusive::constant_time_size<false>>;
    List urgent_, ready_;
#ifdef TG_CHECK_SCRATCH
    std::uint64_t resumes_ = 0;
#endif
};

inline void Signal::notify_in(bool urgent) {
    if (!waiter_) {
        pending_ = true;
        return;
    }
    if (is_linked()) {
        if (!urgent || among_urgent_) return;
        unlink();
    }
    among_urgent_ = urgent;
    (urgent ? scheduler_->urgent_ : scheduler_->ready_).push_back(*this);
}

inline bool Scheduler::run_one() {
    List& list = urgent_.empty() ? ready_ : urgent_;
    if (list.empty()) return false;
    Signal& signal = list.front();
    list.pop_front();
#ifdef TG_CHECK_SCRATCH
    ++resumes_;
#endif
    std::exchange(signal.waiter_, nullptr).resume();
    return true;
}

}  // namespace ticketgate
