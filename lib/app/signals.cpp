#include "app/signals.hpp"

#include <pthread.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <system_error>

namespace ticketgate {
namespace {

sigset_t all_of_a_service() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : service_signals) sigaddset(&signals, signal);
    return signals;
}

void change_mask(int how) {
    const sigset_t signals = all_of_a_service();
    pthread_sigmask(how, &signals, nullptr);
}

}  // namespace

void hold_signals() {
    change_mask(SIG_BLOCK);
}

void release_signals() {
    change_mask(SIG_UNBLOCK);
}

// With SIGCHLD ignored, the system would reap children, and their exit codes would be lost.
void heed_signals() {
    for (const int signal : service_signals) std::signal(signal, SIG_DFL);
}

Descriptor watch_signals() {
    const sigset_t signals = all_of_a_service();
    Descriptor watched(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC));
    if (watched.get() < 0)
        throw std::system_error(errno, std::system_category(), "cannot watch for signals");
    return watched;
}

bool take_signal(int signal) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    const timespec at_once{};
    return ::sigtimedwait(&one, nullptr, &at_once) == signal;
}

void ignore_write_signals() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace ticketgate
