// Reads /proc. In a container it may be the machine's, in which processes have other numbers than
// their own (pid_namespaces(7)). Nothing is allocated for a file: a slot depends on the answer.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

namespace ticketgate::spawn {

/// `error`: errno of a call that has failed for lack of memory or descriptors: try it again.
bool is_shortage(int error) noexcept;

/// The number in /proc of the process with this descriptor (pidfd_open(2)); 0 or less: it has none
/// there. None: a shortage.
std::optional<pid_t> number_in_proc(int process) noexcept;

/// Fields of /proc/PID/stat (proc(5)).
struct Stat {
    char state = 0;  ///< of the first thread
    pid_t parent = 0, group = 0;
    int threads = 0;
};
/// Reads the fields that the line has; the others keep 0. Pure.
Stat read_stat(std::string_view line) noexcept;

/// A thread of the process with this number in /proc has memory: it runs, whatever the first one
/// does.
bool has_running_thread(pid_t number) noexcept;

}  // namespace ticketgate::spawn
