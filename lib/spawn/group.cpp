#include "spawn/group.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
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

// `process`: a name in /proc. Needs no memory: a slot depends on the answer.
bool may_run_in(const char* process, pid_t group) {
    std::array<char, 64> path;
    std::snprintf(path.data(), path.size(), "/proc/%.32s/stat", process);
    const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return is_shortage(errno);
    std::array<char, 512> stat;  // the first fields: a name has at most 64 bytes
    const auto size = ::read(file.get(), stat.data(), stat.size());
    if (size < 0) return is_shortage(errno);
    return runs_in({stat.data(), static_cast<std::size_t>(size)}, group);
}

}  // namespace

bool runs_in(std::string_view line, pid_t group) {
    const Stat stat = read_stat(line);
    if (stat.group != group) return false;
    return (stat.state != 'Z' && stat.state != 'X') || stat.threads > 1;
}

bool has_ended(pid_t child) {
    return ended(P_PID, child) == child;
}

pid_t any_ended() {
    return ended(P_ALL, 0);
}

// Without memory or descriptors a process cannot be looked at: it counts as one that may still run.
bool kill_rest(pid_t group) {
    (void)::kill(-group, SIGKILL);
    const auto number = group_in_proc(group);
    if (!number) return false;
    if (*number <= 0) return true;  // this /proc shows none of them
    FolderNames processes("/proc");
    while (const char* const name = processes.next()) {
        if (std::strspn(name, "0123456789") != std::strlen(name)) continue;
        if (may_run_in(name, *number)) return false;
    }
    return !is_shortage(processes.error());
}

}  // namespace ticketgate::spawn
