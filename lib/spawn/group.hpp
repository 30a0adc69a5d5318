// The process group of a worker, in which a command that starts the real worker as its child (a
// shell script) and a script that forks leave processes. Control thread.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace ticketgate::spawn {

/// This child has ended. Its exit status is not read yet, so that its number stays its own.
bool has_ended(pid_t child);

/// A child that has ended, whatever it was; 0: none.
pid_t any_ended();

/// `stat`: the text of /proc/PID/stat. A process whose first thread has ended runs as long as
/// another one does: the state in that file is the first thread's (proc(5)). Pure.
bool runs_in(std::string_view stat, pid_t group);

/// Kills what is left of the group of a child whose exit status is not read. False: a process that
/// is dying may still run, or there is no memory or descriptor to see it; to be called again.
bool kill_rest(pid_t group);

}  // namespace ticketgate::spawn
