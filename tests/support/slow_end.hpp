// For a worker of the tests whose end takes long, as where the system frees much memory.
#pragma once

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

namespace ticketgate::test {

/// From now on SIGUSR1 ends the first thread of the process alone, if that has called this. A
/// second thread keeps the process, with its descriptors, until it is killed.
inline void end_slowly() {
    sigset_t usr1;
    ::sigemptyset(&usr1);
    ::sigaddset(&usr1, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
    std::thread([] {
        for (;;) ::pause();
    }).detach();
    ::signal(SIGUSR1, [](int) { ::syscall(SYS_exit, 0); });
    ::pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
}

}  // namespace ticketgate::test
