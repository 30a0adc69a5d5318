// Errors of system calls that say nothing about what the call was for.
#pragma once

#include <cerrno>
#include <exception>
#include <new>
#include <system_error>

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

/// The same of the exception of a step.
inline bool lacks_means(const std::exception& why) {
    if (dynamic_cast<const std::bad_alloc*>(&why) != nullptr) return true;
    const auto* const error = dynamic_cast<const std::system_error*>(&why);
    return error != nullptr && lacks_means(error->code().value());
}

}  // namespace ticketgate
