#include "app/control.hpp"

#include <poll.h>

#include <boost/asio/executor_work_guard.hpp>
#include <new>

#include "app/signals.hpp"
#include "base/error.hpp"

namespace ticketgate {
namespace {

constexpr milliseconds failure_pause = 100ms;  // between two tries while memory is short
// Pieces of other work between two tries; clients that never pause always have some.
constexpr int most_between_tries = 1000;

}  // namespace

Control::Control(Log& log, std::function<void(int)> on_signal)
    : log_(log), on_signal_(std::move(on_signal)) {
    Descriptor watched = watch_signals();
    signals_.assign(watched.get());
    (void)watched.release();  // not before: it is closed if there is no memory
}

void Control::hear_signals() {
    hold_signals();
    heed_signals();
    wait_for_signals();
}

// Work that throws does not end the loop. What it would have planned next is planned by go_on().
void Control::run() {
    const auto guard = boost::asio::make_work_guard(io_);
    while (!io_.stopped()) {
        try {
            if (failed_ && monotonic_now() >= next_try_) {
                // A machine that stalls may leave no time between two tries.
                for (int i = 0; i < most_between_tries && io_.poll_one() != 0; ++i) continue;
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

void Control::surely(const std::function<void()>& step) {
    for (;;) {
        try {
            return step();
        } catch (const std::bad_alloc& e) {
            log_.error("a step waits for memory", {{"what", e.what()}});
            (void)::poll(nullptr, 0, static_cast<int>(failure_pause.count()));
        }
    }
}

void Control::go_on() {
    next_try_ = monotonic_now() + failure_pause;
    signals_.cancel();
    wait_for_signals();
    go_on_();
    failed_ = false;
}

void Control::wait_for_signals() {
    signals_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                        [this](const error_code& error) {
                            if (error) return;
                            wait_for_signals();  // first: what a signal asks for may fail
                            take_signals();
                        });
}

// Each kind once, and then other work: a signal that is sent without pause delays neither the other
// kinds nor the admin listener.
void Control::take_signals() {
    for (const int signal : service_signals)
        if (take_signal(signal)) on_signal_(signal);
}

}  // namespace ticketgate
