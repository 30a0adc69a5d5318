// For a worker of the tests that ends while its descriptors are open.
#pragma once

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

namespace ticketgate::test {

// Async-signal-safe. The child goes when this process is over.
inline void end_but_for_descriptors(int) {
    pollfd self{static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)), POLLIN, 0};
    if (::fork() == 0) (void)::poll(&self, 1, -1);
    ::_exit(0);
}

/// From now on SIGUSR1 ends this process, and a child keeps its descriptors. It has a second
/// thread, for HeldEnd.
inline void end_at_usr1() {
    sigset_t usr1;
    ::sigemptyset(&usr1);
    ::sigaddset(&usr1, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &usr1, nullptr);
    std::thread([] {
        for (;;) ::pause();
    }).detach();
    ::signal(SIGUSR1, end_but_for_descriptors);
    ::pthread_sigmask(SIG_UNBLOCK, &usr1, nullptr);
}

}  // namespace ticketgate::test
