// Blocks all signals of the calling thread while it lives. A thread or a process that is begun
// meanwhile begins with them blocked: the signals of the process are for the control thread.
#pragma once

#include <pthread.h>

#include <csignal>

namespace ticketgate {

class BlockedSignals {
 public:
    BlockedSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
    sigset_t before_;
};

}  // namespace ticketgate
