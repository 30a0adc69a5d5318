// The control thread's Asio loop: signals, the admin listener, name resolution, reloads and the end
// of the process. Owned by App.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <functional>
#include <utility>

#include "log/log.hpp"

namespace ticketgate {

class Control {
 public:
    /// `on_signal` is called on this thread.
    Control(Log& log, std::function<void(int signal)> on_signal);

    boost::asio::io_context& io() { return io_; }

    /// Installs handlers for TERM, INT, HUP, USR1, USR2 and CHLD.
    void hear_signals();
    /// Runs until stop(). An exception (no memory) ends one piece of work, not the process.
    void run();
    void stop() { io_.stop(); }

    /// Any thread.
    template <class Work>
    void post(Work work) {
        boost::asio::post(io_, std::move(work));
    }

 private:
    void wait_for_signal();
    Log& log_;
    const std::function<void(int)> on_signal_;
    boost::asio::io_context io_{1};
    boost::asio::signal_set signals_{io_};
    bool waits_for_signal_ = false;
};

}  // namespace ticketgate
