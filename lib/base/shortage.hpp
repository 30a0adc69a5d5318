// Errors of system calls that say nothing about what the call was for.
#pragma once

#include <cerrno>

namespace ticketgate {

/// True for the errno of a call on a socket for which the system has no memory now: the socket and
/// its connection stand, and the call may be tried again.
constexpr bool no_memory_now(int error) {
    return error == ENOBUFS || error == ENOMEM;
}

/// True for the errno of a call that had no memory, descriptor or thread: the same call may succeed
/// later.
constexpr bool lacks_means(int error) {
    return no_memory_now(error) || error == EMFILE || error == ENFILE || error == EAGAIN;
}

}  // namespace ticketgate
