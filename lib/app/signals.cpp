#include "app/signals.hpp"

#include <pthread.h>

#include <csignal>
#include <initializer_list>

namespace ticketgate {
namespace {

void change_mask(int how) {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGCHLD})
        sigaddset(&signals, signal);
    pthread_sigmask(how, &signals, nullptr);
}

}  // namespace

void hold_signals() {
    change_mask(SIG_BLOCK);
}

void release_signals() {
    change_mask(SIG_UNBLOCK);
}

void ignore_write_signals() {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace ticketgate
