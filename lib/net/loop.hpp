// One I/O thread: an epoll instance, a scheduler, deadlines. Everything that lives on a loop
// (streams, sessions, runs, pools) is touched by its thread only; post() is the one way in from
// other threads. Owned by App. Data sockets are registered once, edge-triggered, for all events, so
// that waiting costs no call (Asio: an epoll_ctl or an empty read each, docs/decisions/0056).
#pragma once

#include <array>
#include <atomic>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/slist.hpp>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "task/deadlines.hpp"
#include "task/scheduler.hpp"

namespace ticketgate::net {

/// Something with a descriptor in a loop's epoll set. on_events() notes what happened and notifies;
/// it resumes nothing and destroys nothing but itself, as other events of the same batch are still
/// to come. No events: the turn that it asked for with again().
class Pollable : public boost::intrusive::list_base_hook<
                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
    virtual void on_events(std::uint32_t events) = 0;

 protected:
    ~Pollable() = default;
};

/// Work for a loop that brings its own link for the queue, so posting it cannot fail. For what must
/// arrive even without memory: the wake-up of a session that was granted a slot.
class Job : public boost::intrusive::slist_base_hook<> {
 public:
    virtual ~Job() = default;

 private:
    friend class Loop;
    virtual void run() = 0;
    // Under the loop's lock, from post() until just before run().
    std::shared_ptr<void> keep_;
    bool posted_ = false;
};

/// A function as a Job that can be posted any number of times.
class Call final : public Job {
 public:
    explicit Call(std::function<void()> work) : work_(std::move(work)) {}

 private:
    void run() override { work_(); }
    const std::function<void()> work_;
};

class Loop {
 public:
    explicit Loop(unsigned index);
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    unsigned index() const { return index_; }
    Scheduler& scheduler() { return scheduler_; }

    /// Scratch space for one read; valid to the reader's next suspension.
    std::span<char> buffer() { return *buffer_; }

    /// The time at which the loop last woke.
    Time woke() const { return woke_; }
    /// Counts from the loop's last wake-up: the work at hand began then.
    void arm(Deadline& deadline, Duration after) { deadlines_.arm(deadline, after, woke_); }
    /// Counts from an earlier time.
    void arm_from(Deadline& deadline, Duration after, Time from) {
        deadlines_.arm(deadline, after, from);
    }

    /// False, with errno: the system cannot watch one more (no memory, or the user's limit
    /// fs.epoll.max_user_watches).
    [[nodiscard]] bool add(Pollable&, int descriptor, std::uint32_t events);
    void remove(int descriptor);

    /// True if it polled all sockets within this time. Later events are not known yet.
    bool has_looked(Duration lately) const { return monotonic_now() - looked_ <= lately; }

    /// The number of this turn. Between two turns the loop polls all sockets and deadlines.
    std::uint32_t turns() const { return turns_; }
    /// Calls on_events(0) at the next turn: for a pollable that has used up its share of this one.
    void again(Pollable& pollable) { queue(pollable, again_); }
    /// Calls on_events(0) after a short pause: for a pollable whose call failed with `error` though
    /// its connection stands, as for want of memory. No event tells when another try can succeed.
    void later(Pollable& pollable, int error);
    /// Called with the error at each beginning of such pauses.
    void on_pause(std::function<void(int)> report) { report_pause_ = std::move(report); }

    /// Runs until stop(). Any notified coroutine runs before the loop sleeps.
    void run();
    /// One turn: at most `longest` asleep. For tests that drive a loop by hand.
    void run_once(Duration longest);

    // For a simulation, which delivers events itself and owns the clock.
    /// Runs one turn without polling or sleeping: what is due, what was posted, then at most `most`
    /// notified coroutines.
    void turn(int most);
    /// True if turn() has work before the next deadline.
    bool busy();
    std::optional<Time> next_deadline() const { return deadlines_.next(); }

    /// Runs `job` on this loop after the present batch of events.
    void defer(std::function<void()> job) { deferred_.push_back(std::move(job)); }

    // Any thread.
    void stop() noexcept;
    void post(std::function<void()>);
    /// Runs `job` once for all posts that came before the run. `keep` keeps the object around it
    /// alive until then.
    void post(Job& job, std::shared_ptr<void> keep = nullptr) noexcept;

    /// Called before each sleep; returns how long the loop may sleep at most.
    void before_sleep(std::function<Duration()> hook) { before_sleep_ = std::move(hook); }

    /// `co_await loop.move_to(other)`: the coroutine continues on the other loop. Its streams,
    /// signals and deadlines must have been taken off this loop, or not be notified until they are
    /// moved. The hop starts only when this thread has left the coroutine's stack.
    class Hop : private Job {
     public:
        Hop(Loop& from, Loop& to) : from_(from), to_(to) {}
        bool await_ready() const { return &from_ == &to_; }
        void await_suspend(std::coroutine_handle<> traveller) {
            traveller_ = traveller;
            from_.departures_.push_back(*this);
        }
        void await_resume() const {}

     private:
        friend class Loop;
        void run() override { traveller_.resume(); }
        Loop &from_, &to_;
        std::coroutine_handle<> traveller_;
    };
    Hop move_to(Loop& other) { return Hop(*this, other); }

 private:
    using Jobs = boost::intrusive::slist<Job, boost::intrusive::cache_last<true>,
                                         boost::intrusive::constant_time_size<false>>;
    using Pollables = boost::intrusive::list<Pollable, boost::intrusive::constant_time_size<false>>;
    // Wakes those that wait for the end of their pause.
    class Pause final : public Observer {
     public:
        explicit Pause(Loop& loop) : loop_(loop) {}
        void notify() override { loop_.end_pause(); }

     private:
        Loop& loop_;
    };
    static void queue(Pollable& pollable, Pollables& in);
    static void call_all(Pollables& due);
    void end_pause();
    void begin_turn();
    void run_posted();
    void run_ready(int most);
    void send_departures();
    int sleep_ms(Duration longest);

    static constexpr std::size_t buffer_size = 128 << 10;

    const unsigned index_;
    int epoll_ = -1;
    int wake_ = -1;
    Scheduler scheduler_;
    Deadlines deadlines_;
    Time woke_ = monotonic_now();
    Time looked_{};
    std::uint32_t turns_ = 0;
    Pollables again_, later_;
    Pause pause_{*this};
    Deadline pause_ends_{pause_};
    std::function<void(int)> report_pause_;
    std::unique_ptr<std::array<char, buffer_size>> buffer_;
    std::function<Duration()> before_sleep_;
    Jobs departures_;  // each a Hop
    std::vector<std::function<void()>> deferred_;
    std::atomic<bool> stopping_{false};

    std::mutex posted_lock_;  // guards posted_
    Jobs posted_;
    Call wake_up_{[] {}};
};

}  // namespace ticketgate::net
