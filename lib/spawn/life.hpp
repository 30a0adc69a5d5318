// Whether a process can still run a step of its program. A killed process is seen here at once: it
// closes its sockets later, and its parent is told last.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "base/descriptor.hpp"

namespace ticketgate::spawn {

/// Any thread.
class Life {
 public:
    Life() = default;
    /// Of a child whose exit status is not read. Without /proc nothing is known of it.
    explicit Life(pid_t child);

    /// True: its program runs no further step. False: it may, or that is not known. One system
    /// call.
    bool over() const noexcept;
    bool known() const noexcept { return stat_.get() >= 0; }

 private:
    Descriptor stat_{-1};  // /proc/PID/stat: means this process also when its number is used again
};

/// The same, from the text of /proc/PID/stat.
bool tells_end(std::string_view stat) noexcept;

}  // namespace ticketgate::spawn
