// Who runs next on one loop: a first-in-first-out list of coroutines that have been notified.
// Coroutines are resumed from run() only, never from inside each other, so nothing is re-entered
// and the order in which things are notified is the order in which they happen. Pure: no thread, no
// clock, no socket; a test or a simulation drives it by calling run().
#pragma once

#include <boost/intrusive/list.hpp>
#include <coroutine>
#include <utility>

namespace ticketgate {

/// What a readiness event is told to.
class Observer {
 public:
    virtual void notify() = 0;

 protected:
    ~Observer() = default;
};

class Scheduler;

/// What one coroutine waits on: a condition variable with one waiter. notify() before the wait is
/// kept, so the waiter's loop is always: look at the state, and if nothing is to be done, `co_await
/// signal`. Owned by the session or run that waits on it; belongs to one loop at a time.
class Signal final : public Observer,
                     public boost::intrusive::list_base_hook<
                         boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
    explicit Signal(Scheduler& scheduler) : scheduler_(&scheduler) {}
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;

    void notify() override;

    /// From now on on another loop; nobody may be waiting or notified.
    void move_to(Scheduler& scheduler) { scheduler_ = &scheduler; }

    bool await_ready() { return std::exchange(pending_, false); }
    void await_suspend(std::coroutine_handle<> waiter) { waiter_ = waiter; }
    void await_resume() const {}

 private:
    friend class Scheduler;
    Scheduler* scheduler_;
    std::coroutine_handle<> waiter_;
    bool pending_ = false;
};

class Scheduler {
 public:
    /// Resumes the next notified coroutine; false if there is none.
    bool run_one();
    bool idle() const { return ready_.empty(); }

 private:
    friend class Signal;
    boost::intrusive::list<Signal, boost::intrusive::constant_time_size<false>> ready_;
};

inline void Signal::notify() {
    if (!waiter_) {
        pending_ = true;
    } else if (!is_linked()) {
        scheduler_->ready_.push_back(*this);
    }
}

inline bool Scheduler::run_one() {
    if (ready_.empty()) return false;
    Signal& signal = ready_.front();
    ready_.pop_front();
    std::exchange(signal.waiter_, nullptr).resume();
    return true;
}

}  // namespace ticketgate
