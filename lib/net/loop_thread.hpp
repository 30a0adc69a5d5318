// The thread of a loop. It is made before its loop may run, and waits: the system may refuse a
// thread, and nothing that others notice may have begun by then. Owned by the maker of the loop.
#pragma once

#include <future>
#include <thread>

#include "net/loop.hpp"

namespace ticketgate::net {

class LoopThread {
 public:
    /// Throws std::system_error.
    LoopThread();
    /// Stops the loop and waits for its end.
    ~LoopThread();
    LoopThread(LoopThread&&) noexcept = default;
    LoopThread& operator=(LoopThread&&) = delete;

    /// Runs the loop, which outlives this thread, until it is stopped. Once; never fails.
    void run(Loop& loop) noexcept;
    /// Waits until the loop has stopped.
    void join() { thread_.join(); }

 private:
    std::promise<Loop*> start_;  // null: there is none
    Loop* loop_ = nullptr;       // while it runs
    std::thread thread_;
};

}  // namespace ticketgate::net
