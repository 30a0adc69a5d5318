// Whether a process has ended, before its parent has heard of it.
#pragma once

#include <sys/types.h>

#include "base/descriptor.hpp"

namespace ticketgate::spawn {

/// Any thread.
class Life {
 public:
    Life() = default;
    /// Watches a child whose exit status has not been read. Without pidfd_open(2) in the system,
    /// the object does not know the process.
    explicit Life(pid_t child);

    /// True: it has ended, though it may not be reaped. False: it lives, or that is not known. One
    /// system call.
    bool over() const noexcept;
    bool known() const noexcept { return process_.get() >= 0; }
    /// True: it has begun to end, and is over or will be: it runs nothing any more, and its
    /// descriptors close. Reads a file of /proc; false without a descriptor for that.
    bool ends() const noexcept;

 private:
    pid_t pid_ = 0;
    Descriptor process_{-1};  // means this process also when its number is used again
};

}  // namespace ticketgate::spawn
