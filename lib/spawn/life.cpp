#include "spawn/life.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ticketgate::spawn {

// pidfd_open(2): Linux 5.3; the C library of Debian 12 has no wrapper in C++.
Life::Life(pid_t child) : process_(static_cast<int>(::syscall(SYS_pidfd_open, child, 0))) {}

bool Life::over() const noexcept {
    if (!known()) return false;
    pollfd process{process_.get(), POLLIN, 0};
    return ::poll(&process, 1, 0) > 0;
}

}  // namespace ticketgate::spawn
