#include "app/control.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <csignal>

#include "base/error.hpp"

namespace ticketgate {

Control::Control(Log& log, std::function<void(int)> on_signal)
    : log_(log), on_signal_(std::move(on_signal)) {}

void Control::hear_signals() {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD})
        signals_.add(signal);
    wait_for_signal();
}

// Loops because a signal's handler may throw: then the process waits for the next signal.
void Control::run() {
    const auto guard = boost::asio::make_work_guard(io_);
    for (;;) {
        try {
            if (!waits_for_signal_) wait_for_signal();
            io_.run();
            return;
        } catch (const std::exception& e) {
            log_.error("work on the control thread ended by an exception", {{"what", e.what()}});
        }
    }
}

void Control::wait_for_signal() {
    waits_for_signal_ = true;
    signals_.async_wait([this](const error_code& error, int signal) {
        waits_for_signal_ = false;
        if (error) return;
        on_signal_(signal);
        wait_for_signal();
    });
}

}  // namespace ticketgate
