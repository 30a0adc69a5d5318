// An experiment (issue 11, point 8): the loop over Boost.Asio. Included by loop.hpp when the option
// TG_LOOP_ASIO is set; the face is that of the loop in loop.hpp.
// TG_LOOP_ASIO=posted: the scheduler runs from one handler that the first event of a batch posts.
// TG_LOOP_ASIO=direct: the scheduler runs inside each handler.
#pragma once

#include <array>
#include <atomic>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/slist.hpp>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "task/deadlines.hpp"
#include "task/scheduler.hpp"

namespace ticketgate::net {

class Pollable : public boost::intrusive::list_base_hook<
                     boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
    virtual void on_events(std::uint32_t events) = 0;

 protected:
    ~Pollable() = default;
};

class Job : public boost::intrusive::slist_base_hook<> {
 public:
    virtual ~Job() = default;

 private:
    friend class Loop;
    virtual void run() = 0;
    virtual void discard() noexcept {}
    std::shared_ptr<void> keep_;
    bool posted_ = false;
};

class Call final : public Job {
 public:
    explicit Call(std::function<void()> work) : work_(std::move(work)) {}

 private:
    void run() override { work_(); }
    const std::function<void()> work_;
};

/// Received bytes that still stand in the loop's buffer; they must be taken or saved before the
/// next event (direct) or turn (posted) ends.
class Holder : public boost::intrusive::list_base_hook<
                   boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
    virtual void spill() = 0;

 protected:
    ~Holder() = default;
};

class Loop {
 public:
    using Context = boost::asio::io_context;

    explicit Loop(unsigned index);
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    unsigned index() const { return index_; }
    Scheduler& scheduler() { return scheduler_; }
    std::span<char> buffer() { return *buffer_; }
    Time woke() const { return woke_; }
    void arm(Deadline& deadline, Duration after) { deadlines_.arm(deadline, after, woke_); }
    void arm_from(Deadline& deadline, Duration after, Time from) {
        deadlines_.arm(deadline, after, from);
    }

    [[nodiscard]] bool add(Pollable&, int descriptor, std::uint32_t events);
    void remove(int descriptor);
    bool has_looked(Duration lately) const { return monotonic_now() - looked_ <= lately; }
    std::uint32_t turns() const { return turns_; }
    void again(Pollable& pollable) {
        if (!pollable.is_linked()) again_.push_back(pollable);
    }

    void run();
    void run_once(Duration longest);
    void turn(int most);
    bool busy();
    std::optional<Time> next_deadline() const { return deadlines_.next(); }
    void defer(std::function<void()> job) { deferred_.push_back(std::move(job)); }

    void stop();
    void post(std::function<void()>);
    void post(Job& job, std::shared_ptr<void> keep = nullptr) noexcept;
    void before_sleep(std::function<Duration()> hook) { before_sleep_ = std::move(hook); }

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

    // For SocketStream.
    Context& context() { return io_; }
    /// Around what a handler of the context does.
    void begin_event();
    void end_event();
    /// Where the reactor puts what it reads now, and who holds it from then on.
    std::span<char> room() { return std::span(*arena_).subspan(arena_used_); }
    void hold(Holder& holder, std::size_t bytes);
    /// The buffer is about to be used for something else.
    void spill_others(Holder& except);

 private:
    struct Watched;
    class WakeMemory;
    struct Wake;
    using Jobs = boost::intrusive::slist<Job, boost::intrusive::cache_last<true>,
                                         boost::intrusive::constant_time_size<false>>;
    void watch(const std::shared_ptr<Watched>&);
    void begin_turn();
    void settle();
    void post_turn();
    void set_timer();
    void run_posted();
    void run_ready(int most);
    void send_departures();
    void spill();
    Duration sleep(Duration longest);

    static constexpr std::size_t buffer_size = 128 << 10;

    const unsigned index_;
    Scheduler scheduler_;
    Deadlines deadlines_;
    Time woke_ = monotonic_now();
    Time looked_{};
    std::uint32_t turns_ = 0;
    boost::intrusive::list<Pollable, boost::intrusive::constant_time_size<false>> again_;
    std::unique_ptr<std::array<char, buffer_size>> buffer_;
    std::shared_ptr<std::array<char, buffer_size>> arena_;
    std::size_t arena_used_ = 0;
    boost::intrusive::list<Holder, boost::intrusive::constant_time_size<false>> holders_;
    std::function<Duration()> before_sleep_;
    Jobs departures_;
    std::vector<std::function<void()>> deferred_;
    std::atomic<bool> stopping_{false};
    bool turn_posted_ = false;
    bool by_hand_ = false;
    Time timer_at_ = Time::max();
    std::map<int, std::shared_ptr<Watched>> watched_;

    std::mutex posted_lock_;
    Jobs posted_;
    std::atomic<bool> wake_posted_{false};
    alignas(16) std::array<unsigned char, 256> wake_memory_;

    Context io_;
    boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                      boost::asio::wait_traits<std::chrono::steady_clock>,
                                      Context::executor_type>
        timer_;
};

}  // namespace ticketgate::net
