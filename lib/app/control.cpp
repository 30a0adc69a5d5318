#include "app/control.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include "app/signals.hpp"
#include "base/error.hpp"

namespace ticketgate {
namespace {

constexpr Duration failure_pause = 100ms;  // between two tries while memory is short

}  // namespace

Control::Control(Log& log, std::function<void(int)> on_signal)
    : log_(log), on_signal_(std::move(on_signal)) {}

void Control::hear_signals() {
    signals_.assign(watch_signals().release());
    wait_for_signals();
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
    if (signals_.is_open()) {
        signals_.cancel();
        wait_for_signals();
    }
    go_on_();
    failed_ = false;
}

void Control::wait_for_signals() {
    signals_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [this](const error_code& error) {
                            if (error) return;
                            take_signals();
                            wait_for_signals();
                        });
}

// Each kind once, and then other work: a signal that is sent without pause delays neither the other
// kinds nor the admin listener.
void Control::take_signals() {
    for (const int signal : service_signals)
        if (take_signal(signal)) on_signal_(signal);
}

}  // namespace ticketgate
