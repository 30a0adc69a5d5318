// The control thread's Asio loop: signals, the admin listener, name resolution, reloads and the end
// of the process. Owned by App.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <new>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "log/log.hpp"

namespace ticketgate {

class Control {
 public:
    /// `on_signal` is called on this thread. Throws std::system_error.
    Control(Log& log, std::function<void(int signal)> on_signal);

    boost::asio::io_context& io() { return io_; }

    /// From now on run() takes the service's signals (app/signals.hpp); another one has its default
    /// effect. Call it on the thread of run(), before other threads begin.
    void hear_signals();
    /// Called after an exception, which may have ended work before that planned its next turn. May
    /// throw: then it is called again a little later.
    void after_failure(std::function<void()> go_on) { go_on_ = std::move(go_on); }
    /// Runs until stop(). An exception (no memory) ends one piece of work, not the process.
    void run();
    /// An exception ended some work, and what it would have planned is not planned again yet.
    bool failed() const { return failed_; }
    void run_again() {
        io_.restart();
        run();
    }
    void stop() { io_.stop(); }
    /// On its thread, while run() does not run: repeats this step until it needs no memory that is
    /// not there. Nothing else is done meanwhile.
    void surely(const std::function<void()>& step);
    /// Runs a step that only tells something. Without memory for it, logs `otherwise`.
    template <class Tell>
    void tell_if_possible(const Tell& tell, std::string_view otherwise) {
        try {
            tell();
        } catch (const std::bad_alloc&) {
            log_.error(otherwise);
        }
    }

    /// Any thread.
    template <class Work>
    void post(Work work) {
        boost::asio::post(io_, std::move(work));
    }

 private:
    void wait_for_signals();
    void take_signals();
    void go_on();
    Log& log_;
    const std::function<void(int)> on_signal_;
    boost::asio::io_context io_{1};
    boost::asio::posix::stream_descriptor signals_{io_};
    std::function<void()> go_on_ = [] {};
    bool failed_ = false;  // go_on() is due, from next_try_ on
    Time next_try_{};
};

}  // namespace ticketgate
