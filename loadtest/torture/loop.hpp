#pragma once
// The one thread of tg_torture: sockets, alarms and signals that coroutines wait for.

#include <coroutine>
#include <cstdint>
#include <vector>

#include "../net_lite.hpp"
#include "coro.hpp"

namespace loadtest {

class Loop;

// A descriptor under watch. One coroutine waits for it at a time, up to a deadline.
class Socket {
 public:
    explicit Socket(Loop& loop) : loop_{loop} {}
    ~Socket() { reset(); }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;

    void open(Fd fd);
    void reset();
    const Fd& fd() const { return fd_; }

    // True when something happened since the last wait ended, false at the deadline.
    class Wait {
     public:
        Wait(Socket& socket, Micros deadline) : socket_{socket}, deadline_{deadline} {}
        bool await_ready() const noexcept { return socket_.stirred_; }
        void await_suspend(std::coroutine_handle<> waiter) noexcept {
            socket_.waiter_ = waiter;
            socket_.deadline_ = deadline_;
        }
        bool await_resume() const noexcept { return std::exchange(socket_.stirred_, false); }

     private:
        Socket& socket_;
        Micros deadline_;
    };
    Wait stir(Micros deadline) { return Wait{*this, deadline}; }

 private:
    friend Loop;
    void wake();

    Loop& loop_;
    Fd fd_;
    bool stirred_ = false;
    std::coroutine_handle<> waiter_;
    Micros deadline_ = 0;
};

class Loop {
 public:
    Loop();
    // Until the task has ended.
    void run(Task<> main);

    class Sleep {
     public:
        Sleep(Loop& loop, Micros until) : loop_{loop}, until_{until} {}
        bool await_ready() const noexcept { return now_us() >= until_; }
        void await_suspend(std::coroutine_handle<> waiter);
        void await_resume() const noexcept {}

     private:
        Loop& loop_;
        Micros until_;
    };
    Sleep sleep_until(Micros when) { return Sleep{*this, when}; }
    Sleep sleep(Micros time) { return Sleep{*this, now_us() + time}; }

 private:
    friend Socket;
    // Time-outs of sockets need no precision; one look at all of them each tick is cheap.
    static constexpr Micros tick_us = 20'000;
    void handle(const epoll_event& event);
    void run_alarms();
    void look_at_deadlines(Micros now);

    Poller poller_;
    Alarms alarms_;
    // By descriptor; the generation tells an event of a closed one from its successor's.
    struct Watched {
        Socket* socket = nullptr;
        std::uint32_t generation = 0;
    };
    std::vector<Watched> watched_;
    Micros next_look_us_ = 0;
};

// Coroutines that wait until something happens, such as the next answer.
class Event {
 public:
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) { waiters_.push_back(waiter); }
    void await_resume() const noexcept {}
    void happen() {
        for (const auto waiter : std::exchange(waiters_, {})) waiter.resume();
    }

 private:
    std::vector<std::coroutine_handle<>> waiters_;
};

}  // namespace loadtest
