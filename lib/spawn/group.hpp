// The process group of a worker, in which a command that starts the real worker as its child (a
// shell script) and a script that forks leave processes. Control thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>

#include "spawn/proc.hpp"

namespace ticketgate::spawn {

/// This child has ended. Its exit status is not read yet, so that its number stays its own.
bool has_ended(pid_t child);

/// A child that has ended, whatever it was; 0: none.
pid_t any_ended();

/// A process whose first thread has ended runs as long as another one does. Pure.
bool runs_in(const Stat& stat, pid_t group);

/// Tells each child that has ended: any_ended() tells the same one until its status is read.
/// Without a /proc of this namespace of processes, none.
void each_ended(const std::function<void(pid_t)>& tell);

enum class Rest : std::uint8_t {
    over,
    may_run,  ///< a process is dying, or cannot be looked at now: to be called again
    hidden    ///< is killed, but /proc does not show whether it is over (proc(5), hidepid)
};
/// Kills what is left of the group of a child whose exit status is not read.
Rest kill_rest(pid_t group);

}  // namespace ticketgate::spawn
