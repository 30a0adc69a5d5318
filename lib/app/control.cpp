#include "app/control.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <csignal>

#include "base/error.hpp"

namespace ticketgate {
namespace {

constexpr Duration failure_pause = 100ms;  // between two tries while memory is short

}  // namespace

Control::Control(Log& log, std::function<void(int)> on_signal)
    : log_(log), on_signal_(std::move(on_signal)) {}

void Control::hear_signals() {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD})
        signals_.add(signal);
    wait_for_signal();
}

// Work that throws does not end the loop. What it would have planned next is planned by go_on().
void Control::run() {
    const auto guard = boost::asio::make_work_guard(io_);
    while (!io_.stopped()) {
        try {
            if (failed_ && monotonic_now() >= next_try_) {
                io_.poll();  // a machine that stalls may leave no time between two tries
                if (!io_.stopped()) go_on();
            }
            if (failed_)
                io_.run_for(failure_pause);
            else
                io_.run();
        } catch (const std::exception& e) {
            failed_ = true;
            log_.error("work on the control thread ended by an exception", {{"what", e.what()}});
        }
    }
}

void Control::go_on() {
    next_try_ = monotonic_now() + failure_pause;
    signals_.cancel();
    wait_for_signal();
    go_on_();
    failed_ = false;
}

void Control::wait_for_signal() {
    signals_.async_wait([this](const error_code& error, int signal) {
        if (error) return;
        on_signal_(signal);
        wait_for_signal();
    });
}

}  // namespace ticketgate
