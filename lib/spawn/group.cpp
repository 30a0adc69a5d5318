#include "spawn/group.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/folder_names.hpp"
#include "spawn/proc.hpp"

namespace ticketgate::spawn {
namespace {

pid_t ended(idtype_t which, pid_t child) {
    siginfo_t info{};
    const auto id = static_cast<id_t>(child);
    if (::waitid(which, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return 0;
    return info.si_pid;
}

// The group's number in /proc; none: a shortage. Without pidfd_open(2) (before Linux 5.3), its own.
std::optional<pid_t> group_in_proc(pid_t group) {
    const Descriptor leader(static_cast<int>(::syscall(SYS_pidfd_open, group, 0)));
    if (leader.get() >= 0) return number_in_proc(leader.get());
    return is_shortage(errno) ? std::nullopt : std::optional(group);
}

bool is_process(const char* name) {
    return std::strspn(name, "0123456789") == std::strlen(name);
}

// `process`: a name in /proc. None: a shortage. Needs no memory: a slot depends on the answer.
std::optional<Stat> look_at(const char* process) {
    std::array<char, 64> path;
    std::snprintf(path.data(), path.size(), "/proc/%.32s/stat", process);
    const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
    std::array<char, 512> stat;  // the first fields: a name has at most 64 bytes
    const auto size = file.get() < 0 ? -1 : ::read(file.get(), stat.data(), stat.size());
    if (size < 0 && is_shortage(errno)) return std::nullopt;
    return read_stat({stat.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))});
}

bool runs(const Stat& stat) {
    return (stat.state != 'Z' && stat.state != 'X') || stat.threads > 1;
}

}  // namespace

bool runs_in(const Stat& stat, pid_t group) {
    return stat.group == group && runs(stat);
}

bool has_ended(pid_t child) {
    return ended(P_PID, child) == child;
}

pid_t any_ended() {
    return ended(P_ALL, 0);
}

void each_ended(const std::function<void(pid_t)>& tell) {
    FolderNames processes("/proc");
    while (const char* const name = processes.next()) {
        if (!is_process(name)) continue;
        const auto stat = look_at(name);
        const auto child = static_cast<pid_t>(std::atoi(name));
        if (stat && stat->parent == ::getpid() && !runs(*stat) && has_ended(child)) tell(child);
    }
}

// Without memory or descriptors a process cannot be looked at: it counts as one that may still run.
// The leader is not reaped: if it is not seen, neither may the others be.
Rest kill_rest(pid_t group) {
    (void)::kill(-group, SIGKILL);
    const auto number = group_in_proc(group);
    if (!number) return Rest::may_run;
    if (*number <= 0) return Rest::hidden;
    bool seen = false;
    FolderNames processes("/proc");
    while (const char* const name = processes.next()) {
        if (!is_process(name)) continue;
        const auto stat = look_at(name);
        if (!stat || runs_in(*stat, *number)) return Rest::may_run;
        seen = seen || std::atoi(name) == *number;
    }
    if (is_shortage(processes.error())) return Rest::may_run;
    return seen ? Rest::over : Rest::hidden;
}

}  // namespace ticketgate::spawn
