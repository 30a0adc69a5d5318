// What /proc tells of processes. It may be that of another namespace of processes, such as the
// machine's in a container, where they have other numbers. Needs no memory: a slot depends on it.
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
/// Of a cut line, what is whole. Pure.
Stat read_stat(std::string_view line) noexcept;

/// A thread of the process with this number in /proc has memory: it runs, whatever the first one
/// does.
bool has_running_thread(pid_t number) noexcept;

}  // namespace ticketgate::spawn
