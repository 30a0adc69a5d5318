// Whether a process has ended, before its parent has heard of it.
#pragma once

#include <sys/types.h>

#include "base/descriptor.hpp"

namespace ticketgate::spawn {

/// Any thread.
class Life {
 public:
    Life() = default;
    /// Of a child whose exit status is not read. Where the system has no pidfd_open(2), nothing is
    /// known of it.
    explicit Life(pid_t child);

    /// True: it has ended, though it may not be reaped. False: it lives, or that is not known. One
    /// system call.
    bool over() const noexcept;
    bool known() const noexcept { return process_.get() >= 0; }

 private:
    Descriptor process_{-1};  // means this process also when its number is used again
};

}  // namespace ticketgate::spawn
