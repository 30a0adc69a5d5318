#include "spawn/group.hpp"

#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/descriptor.hpp"
#include "base/folder_names.hpp"

namespace ticketgate::spawn {
namespace {

pid_t ended(idtype_t which, pid_t child) {
    siginfo_t info{};
    const auto id = static_cast<id_t>(child);
    if (::waitid(which, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0) return 0;
    return info.si_pid;
}

// Fields of proc(5) by their numbers.
enum Field { comm = 2, state = 3, pgrp = 5, num_threads = 20 };

// The name, in brackets, may hold anything.
std::string_view field(std::string_view stat, Field which) {
    stat.remove_prefix(std::min(stat.rfind(')'), stat.size()));
    for (int at = comm; at < which; ++at) {
        const auto blank = stat.find(' ');
        stat = blank == stat.npos ? "" : stat.substr(blank + 1);
    }
    return stat.substr(0, stat.find(' '));
}

int number(std::string_view text) {
    int value = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

bool is_shortage(int error) {
    return error == EMFILE || error == ENFILE || error == ENOMEM;
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

bool runs_in(std::string_view stat, pid_t group) {
    if (number(field(stat, pgrp)) != group) return false;
    const auto first_thread = field(stat, state);
    if (first_thread != "Z" && first_thread != "X") return true;
    return number(field(stat, num_threads)) > 1;
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
    FolderNames processes("/proc");
    while (const char* const name = processes.next()) {
        if (std::strspn(name, "0123456789") != std::strlen(name)) continue;
        if (may_run_in(name, group)) return false;
    }
    return !is_shortage(processes.error());
}

}  // namespace ticketgate::spawn
