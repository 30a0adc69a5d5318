// Whether a process has ended or begun to, before its parent has heard of it.
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
    /// True: it has begun to end, or is over. None of its threads runs any more; its descriptors
    /// are still open while its memory is freed. One system call while its first thread runs;
    /// without the file of /proc as over().
    bool ends() const noexcept;

 private:
    // Mean this process also when its number is used again.
    Descriptor process_{-1};
    pid_t number_ = 0;       // in /proc
    Descriptor memory_{-1};  // /proc/PID/statm
};

}  // namespace ticketgate::spawn
